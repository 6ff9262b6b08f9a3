"""Records of a conversation, made for tests: the usual ones in a word each, and damaged ones by chance."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from agentnb.values.times import time_text

NOON = 1_790_000_000_000_000
KINDS = ("program", "turn", "lease", "ended", "waiting", "approval", "tool", "reply", "call", "stop", "head", "entry", "mystery")


def made(kind: str, turn: str | None = None, **keys: Any) -> dict[str, Any]:
    """Make a record of a kind."""
    own = {} if turn is None else {"turn": turn}
    return {"functai_conversation": 1, "kind": kind, "at": time_text(NOON), **own, **keys}


def turn(name: str, parent: str | None = None, **keys: Any) -> dict[str, Any]:
    """Make the record of a turn that was sent."""
    return made("turn", name, parent=parent, program="v1", inputs={"message": name}, **keys)


def lease(name: str, seconds: float = 30, attempt: int = 1) -> dict[str, Any]:
    """Make a lease that reaches some seconds after noon."""
    return made("lease", name, holder="here:1:abcdef", until=time_text(NOON + round(seconds * 1e6)), attempt=attempt)


def ended(name: str, state: str = "done", **keys: Any) -> dict[str, Any]:
    """Make the end of a turn."""
    outputs = {"outputs": {"result": f"answer to {name}"}} if state == "done" else {}
    return made("ended", name, state=state, **{**outputs, **keys})


def waiting(name: str, *invocations: int, **keys: Any) -> dict[str, Any]:
    """Make a record of a turn that waits for a person."""
    return made("waiting", name, approvals=[approval_object(name, number) for number in invocations], **keys)


def approval_object(name: str, invocation: int) -> dict[str, Any]:
    """Make what a person is asked about one tool call."""
    return {"call": name, "invocation": invocation, "id": f"c{invocation}", "name": "refund", "path": "p/refund", "site": "p#1", "input": {"order": "B-2210"}}


def tool(name: str, invocation: int, state: str, **keys: Any) -> dict[str, Any]:
    """Make a record of a tool."""
    return made("tool", name, site="p#1", invocation=invocation, id=f"c{invocation}", name="refund", state=state, **keys)


def reply(name: str, key: str, text: str, attempt: int = 1, **keys: Any) -> dict[str, Any]:
    """Make a record of what a model answered."""
    return made("reply", name, key=key, response={"text": text}, attempt=attempt, **keys)


def damaged() -> st.SearchStrategy[Any]:
    """Give records in which anything may stand anywhere."""
    scalars = st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | st.text(max_size=5) | st.sampled_from(["a", "b", "done", "started"])
    anything = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=6)
    names = ("parent", "state", "until", "attempt", "site", "invocation", "plugin", "approvals", "outputs", "response", "key", "saw", "request_id", "program")
    approvals = st.lists(st.fixed_dictionaries({}, optional={"site": anything, "invocation": anything, "plugin": anything}) | anything, max_size=3)
    record = st.fixed_dictionaries(
        {"kind": st.sampled_from(KINDS) | anything, "turn": st.sampled_from(["a", "b", "c"]) | anything},
        optional={
            "functai_conversation": st.just(1) | anything,
            "seq": anything,
            **{name: st.sampled_from(["a", "b", "c"]) | approvals | anything for name in names},
        },
    )
    return record | record.map(lambda made: {"functai_conversation": 1, **made}) | anything
