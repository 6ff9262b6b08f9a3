"""Search trees of ToolBench and ToolEval -> trees of steps: a thought, the call that it led to, and what came of that."""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

from agentnb.readers._fields import list_of, text_of
from agentnb.readers._json import parse_json
from agentnb.readers._reprs import parse_repr

_CODES = {
    1: "There is no such function.",
    2: "The arguments are not JSON.",
    5: "The call timed out.",
    6: "The tool was not found.",
    7: "The tool is not subscribed to.",
    8: "Not authorized.",
    9: "Too many requests.",
    10: "Too many requests in a minute.",
    11: "The tool's answer tells of an error.",
    12: "The request could not be sent.",
}
"""What a code says of a call that failed; 0 is fine, 3 the final answer, 4 giving up."""

# Nobody searches as deeply as this, and each step takes room on the stack.
_MOST_DEEP = 120
_ENDS = {3: "give_answer", 4: "give_up"}
_NAME = re.compile(r"\{'name': '([^']*)'")
_FIELD = r"""'{}': ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_ARGUMENTS, _RESPONSE = re.compile(_FIELD.format("arguments")), re.compile(_FIELD.format("response"))
_ERROR = re.compile(r"""\s*\{\s*"error":\s*("(?:[^"\\]|\\.)*")""")
_CUT = r"""'{}': ['"](.*)\Z"""
_CUT_ARGUMENTS, _CUT_RESPONSE = re.compile(_CUT.format("arguments"), re.DOTALL), re.compile(_CUT.format("response"), re.DOTALL)


class Step:
    """One step of a search, with the steps that were tried after it."""

    def __init__(self, place: int) -> None:
        """Start an empty step at a place in the tree."""
        self.place = place
        self.nodes = 1
        """How many nodes of the tree it stands for."""
        self.thought: str | None = None
        self.name: str | None = None
        self.input: Any = None
        self.output: str | None = None
        self.answered = False
        self.error: str | None = None
        self.failed: bool | None = None
        self.end: str | None = None
        """How it ended the search: give_answer or give_up."""
        self.extra: dict[str, Any] = {}
        self.result_extra: dict[str, Any] = {}
        self.children: list[Step] = []


class Found(NamedTuple):
    """The first steps of a search, each with what follows it."""

    steps: list[Step]
    left_out: int
    """How many nodes are nested too deeply, or are no nodes."""


def steps_of_tree(root: dict[str, Any]) -> Found:
    """Return the steps of a tree of thoughts, actions and their inputs."""
    tree = _Tree()
    return Found(tree.after(root, 0), tree.left_out)


def steps_of_chain(nodes: list[Any]) -> Found:
    """Return the steps of a chain of nodes, which is a tree without branches."""
    linked: dict[str, Any] = {"children": []}
    listed = [node for node in nodes if isinstance(node, dict)]
    for node in reversed(listed):
        linked = {"children": [{**node, "children": linked["children"]}]}
    found = steps_of_tree(linked)
    return found._replace(left_out=found.left_out + len(nodes) - len(listed))


def steps_of_details(nodes: list[Any]) -> Found:
    """Return the steps of ToolEval's nodes, whose calls are Python values as text, some of them cut."""
    details = _Details()
    return Found(details.after({"next": nodes}, 0), details.left_out)


class _Tree:
    """Counts the places of nodes while it makes steps of them."""

    def __init__(self) -> None:
        self.place = 1
        self.left_out = 0

    def after(self, node: dict[str, Any], depth: int) -> list[Step]:
        """Return the steps that were tried after a node."""
        children = node.get("children")
        listed = children if isinstance(children, list) else []
        known = [child for child in listed if isinstance(child, dict)] if depth < _MOST_DEEP else []
        self.left_out += len(listed) - len(known) if depth < _MOST_DEEP else count_nodes(node, "children")
        return [self._step(child, depth + 1) for child in known]

    def _step(self, node: dict[str, Any], depth: int) -> Step:
        self.place += 1
        step = Step(self.place)
        if node.get("node_type") == "Thought":
            step.thought = text_of(node.get("description"))
            only = _only_child(node)
            if only is None or only.get("node_type") != "Action" or _was_expanded(node):
                _note_node(step, node)
                step.children = self.after(node, depth)
                return step
            self._count(step)
            node = only
        if node.get("node_type") == "Action":
            step.name = text_of(node.get("description")) or ""
            only = _only_child(node)
            if only is None or only.get("node_type") != "Action Input":
                _note_node(step, node)
                step.children = self.after(node, depth)
                return step
            self._count(step)
            node = only
        _read_input(step, node)
        _note_node(step, node)
        step.children = self.after(node, depth)
        return step

    def _count(self, step: Step) -> None:
        self.place += 1
        step.nodes += 1


def count_nodes(node: dict[str, Any], field: str) -> int:
    """Count the nodes below a node."""
    count = 0
    waiting = [node]
    while waiting:
        listed = list_of(waiting.pop().get(field))
        count += len(listed)
        waiting += [child for child in listed if isinstance(child, dict)]
    return count


def _only_child(node: dict[str, Any]) -> dict[str, Any] | None:
    children = node.get("children")
    return children[0] if isinstance(children, list) and len(children) == 1 and isinstance(children[0], dict) else None


def _was_expanded(node: dict[str, Any]) -> bool:
    """Tell whether the search went on from a thought, so that what follows it is another reply of the model."""
    count = node.get("expand_num")
    return type(count) is int and count > 0


def _note_node(step: Step, node: dict[str, Any]) -> None:
    kept = {"expand_num": node.get("expand_num"), "pruned": node.get("pruned") or None, "io_state": node.get("io_state") or None}
    rating = node.get("Elo")
    step.extra = {name: value for name, value in kept.items() if value is not None} | ({"Elo": rating} if rating not in (None, 1000, 1000.0) else {})


def _read_input(step: Step, node: dict[str, Any]) -> None:
    code = node.get("observation_code")
    step.input = node.get("description")
    step.name = step.name or ""
    step.answered = node.get("observation") is not None
    step.output = text_of(node.get("observation"))
    _judge(step, code if type(code) is int else None)


def _judge(step: Step, code: int | None) -> None:
    step.end = _ENDS.get(code) if code is not None else None
    # Long observations were cut, so that they are no JSON any more; the error stands at their beginning.
    told = _ERROR.match(step.output) if step.output else None
    error = _literal(told.group(1)) if told is not None else None
    step.error = error or (_CODES.get(code, f"Code {code}.") if code is not None and code not in (0, *_ENDS) else None)
    step.failed = step.error is not None if code is not None or told is not None else None
    if code not in (None, 0):
        step.result_extra["observation_code"] = code


class _Details:
    """Counts the places of ToolEval's nodes while it makes steps of them."""

    def __init__(self) -> None:
        self.place = 0
        self.left_out = 0

    def after(self, node: dict[str, Any], depth: int) -> list[Step]:
        """Return the steps that follow a node."""
        listed = list_of(node.get("next"))
        known = [child for child in listed if isinstance(child, dict)] if depth < _MOST_DEEP else []
        self.left_out += len(listed) - len(known) if depth < _MOST_DEEP else count_nodes(node, "next")
        return [self._step(child, depth + 1) for child in known]

    def _step(self, node: dict[str, Any], depth: int) -> Step:
        self.place += 1
        step = Step(self.place)
        role, text = node.get("role"), text_of(node.get("message"))
        if role == "assistant":
            step.thought = text
            following = node.get("next")
            only = following[0] if isinstance(following, list) and len(following) == 1 and isinstance(following[0], dict) else None
            if only is None or only.get("role") != "tool":
                step.children = self.after(node, depth)
                return step
            self.place += 1
            step.nodes += 1
            node, text = only, text_of(only.get("message"))
        elif role != "tool":
            step.extra = {"role": role}
            step.thought = text
            step.children = self.after(node, depth)
            return step
        _read_call(step, text or "")
        step.children = self.after(node, depth)
        return step


def _read_call(step: Step, text: str) -> None:
    call = parse_repr(text)
    if isinstance(call, dict) and "name" in call:
        step.name, step.input, step.answered = text_of(call["name"]) or "", call.get("arguments"), True
        step.output = text_of(call.get("response"))
        rest = {name: value for name, value in call.items() if name not in ("name", "arguments", "response")}
        step.extra |= rest
    else:
        _read_cut_call(step, text)
    _judge(step, None)
    if step.name == "Finish":
        arguments = parse_json(step.input.encode()).value if isinstance(step.input, str) else step.input
        kind = text_of(arguments.get("return_type")) if isinstance(arguments, dict) else None
        given_up = "give_up" in (kind or text)
        step.end = "give_up" if given_up else "give_answer"


def _read_cut_call(step: Step, text: str) -> None:
    """Read what can be read of a call whose text was cut; the text itself is kept."""
    name = _NAME.match(text)
    step.name = name.group(1) if name is not None else ""
    arguments, response = _ARGUMENTS.search(text), _RESPONSE.search(text)
    step.answered = True
    step.result_extra["message"] = text
    if arguments is not None:
        step.input = _literal(arguments.group(1))
    elif (cut := _CUT_ARGUMENTS.search(text)) is not None:
        step.input = cut.group(1)
    if response is not None:
        step.output = _literal(response.group(1))
    elif (cut := _CUT_RESPONSE.search(text)) is not None:
        step.output = cut.group(1)


def _literal(text: str) -> str:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text[1:-1]
    return value if isinstance(value, str) else text[1:-1]
