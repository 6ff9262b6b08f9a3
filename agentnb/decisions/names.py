"""How are tools called on the wire, and what does calling each of them mean?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentnb.errors import ToolNameError
from agentnb.values import Value
from agentnb.values.decisions import ControlToolRole

LONGEST_NAME: Final = 64
"""Characters that providers allow in the name of a tool."""
PAYLOAD_TOOL: Final = "payload_change_request"
ASK_TOOL: Final = "ask_user"
FINISH_TOOL: Final = "complete_task"
DELEGATE_PREFIX: Final = "delegate_to_"
CONTROL_TOOLS: Final = (PAYLOAD_TOOL, ASK_TOOL, FINISH_TOOL)
"""Control tools with fixed names, in the order in which they are declared."""

_OTHER = re.compile("[^A-Za-z0-9]+")
_ROLES: Final = {"payloadChange": "payloadChange", "askUser": "chat", "complete": "taskComplete"}


class ToolBinding(Value):
    """What a declared tool stands for."""

    kind: str
    """action, subAgent, payloadChange, askUser or complete."""
    name: str | None = None
    """The real name of the Action or agent."""


class ToolNames(Value):
    """The tools of an agent by their names on the wire, in the order in which they are declared."""

    bindings: dict[str, ToolBinding]
    """Each name on the wire with what it stands for."""
    tool_name_map: dict[str, str]
    """Names on the wire of Actions to their real names, as a `RawTurn` takes them."""
    control_tool_map: dict[str, ControlToolRole]
    """Names of control tools to their roles, as a `RawTurn` takes them."""

    @property
    def control_tool_names(self) -> tuple[str, ...]:
        """Names of the tools that are no Actions: sub-agents, payload, ask, finish."""
        return tuple(name for name, binding in self.bindings.items() if binding.kind != "action")


def sanitize_action_name(name: str) -> str:
    """Return the name on the wire of an Action, as MemberJunction makes it.

    Every run of characters other than ASCII letters and digits becomes one underscore, none stays at the ends, letters are lowered, and the result is cut
    to 64 characters last, so that it may end in an underscore after all.

    Args:
        name: the Action's real name.

    Returns:
        The name; empty when there is nothing in it that a provider allows.

    Example:
        sanitize_action_name("Run Ad-hoc Query")  # "run_ad_hoc_query"
    """
    return _OTHER.sub("_", name).strip("_").lower()[:LONGEST_NAME]


def build_tool_name_map(actions: Iterable[str]) -> dict[str, str]:
    """Map names on the wire back to the names of Actions.

    Args:
        actions: real names, in the order in which the tools are declared.

    Returns:
        Names on the wire to real names.

    Raises:
        ToolNameError: two Actions have the same name on the wire, or one has none.
    """
    return {tool: binding.name or "" for tool, binding in _action_bindings(actions).items()}


def build_tool_names(actions: Iterable[str], *, sub_agents: Iterable[str] = (), control_tools: bool = True) -> ToolNames:
    """Name all tools of an agent: Actions, sub-agents, and the three control tools with fixed names.

    Args:
        actions: real names of Actions.
        sub_agents: real names of agents that can be handed over to.
        control_tools: whether payload, ask and finish are declared, too; their names are then reserved.

    Raises:
        ToolNameError: names collide, are reserved or empty; nothing is resolved silently.
    """
    bindings = _action_bindings(actions, reserved=CONTROL_TOOLS if control_tools else ())
    for agent in sub_agents:
        tool = f"{DELEGATE_PREFIX}{sanitize_action_name(agent)}"[:LONGEST_NAME]
        if tool in bindings:
            raise ToolNameError(f"sub-agent {agent!r} and {_described(bindings[tool])} would both be the tool {tool!r}; rename one of them")
        bindings[tool] = ToolBinding(kind="subAgent", name=agent)
    if control_tools:
        bindings |= {PAYLOAD_TOOL: ToolBinding(kind="payloadChange"), ASK_TOOL: ToolBinding(kind="askUser"), FINISH_TOOL: ToolBinding(kind="complete")}
    names = {tool: binding.name or "" for tool, binding in bindings.items() if binding.kind == "action"}
    return ToolNames(bindings=bindings, tool_name_map=names, control_tool_map=control_tool_map_for(bindings))


def control_tool_map_for(bindings: Mapping[str, ToolBinding | Mapping[str, Any]]) -> dict[str, ControlToolRole]:
    """Return what calling each control tool decides.

    Args:
        bindings: names on the wire to what they stand for: a `ToolBinding`, or a mapping with `kind` and the agent's `name` or `agent`.

    Returns:
        Roles; Actions and bindings of unknown kinds are left out. An agent without a name is called by its tool.
    """
    roles: dict[str, ControlToolRole] = {}
    for tool, binding in bindings.items():
        kind, name = _kind_and_name(binding)
        if kind == "subAgent":
            roles[tool] = ControlToolRole(kind="subAgent", name=name or tool)
        elif kind in _ROLES:
            roles[tool] = ControlToolRole.model_validate({"kind": _ROLES[kind]})
    return roles


def _action_bindings(actions: Iterable[str], *, reserved: tuple[str, ...] = ()) -> dict[str, ToolBinding]:
    bindings: dict[str, ToolBinding] = {}
    for action in actions:
        tool = sanitize_action_name(action)
        if tool in bindings:
            raise ToolNameError(f"Actions {bindings[tool].name!r} and {action!r} would both be the tool {tool!r}; rename one of them")
        if not tool:
            raise ToolNameError(f"Action {action!r} has no letter or digit that the name of a tool could be made of; rename it")
        if tool in reserved:
            raise ToolNameError(f"Action {action!r} would be the tool {tool!r}, which is reserved for a control tool; rename it")
        bindings[tool] = ToolBinding(kind="action", name=action)
    return bindings


def _described(binding: ToolBinding) -> str:
    return f"{'Action' if binding.kind == 'action' else 'sub-agent'} {binding.name!r}"


def _kind_and_name(binding: ToolBinding | Mapping[str, Any]) -> tuple[str | None, str | None]:
    if isinstance(binding, ToolBinding):
        return binding.kind, binding.name
    agent = binding.get("agent")
    given = [binding.get("name"), agent.get("name") if isinstance(agent, Mapping) else agent]
    kind = binding.get("kind")
    return kind if isinstance(kind, str) else None, next((name for name in given if isinstance(name, str) and name), None)
