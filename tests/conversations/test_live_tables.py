"""A conversation stands in the tables with the same rows, wherever it is kept."""

from __future__ import annotations

from typing import Any

import pytest

import agentnb as anb
from tests.conversations.scripted import EchoProvider, wants
from tests.conversations.stores.places import Place

WAIT = 20
ROWS = "select kind, name, state, input, output from calls where kind <> 'model' order by call_index"


@anb.tool(effects="changes")
def refund(order: str) -> str:
    """Refund an order."""
    return f"refunded {order}"


@anb.program(tools=[refund], approve="changes")
def support(message: str) -> str:
    """Help."""


def refunds(request: Any) -> Any:
    return "Done." if request.input[-1]["role"] == "tool" else wants(("refund", {"order": "7"}))


@pytest.mark.kinds("sqlite", "postgres")
def test_a_database_is_followed_wherever_it_is(place: Place) -> None:
    chat = support.conversation("alex", store=place.open(), model=EchoProvider(refunds))
    turn = chat.send("Refund 7").wait(WAIT)
    ws = anb.open(place.where)
    assert ws.turn(turn.id).state == "waiting"
    (question,) = anb.Approvals(ws).waiting
    assert (question.conversation_id, question.turn_id, question.name) == ("alex", turn.id, "refund")
    turn.approve(by="ana").wait(WAIT)
    assert ws.sql(ROWS).fetchall() == [
        ("agent", "support", "done", '{"message":"Refund 7"}', '{"result":"Done."}'),
        ("tool", "refund", "done", '{"order":"7"}', "refunded 7"),
    ]
    assert "password" not in str(ws.sql("select path from sources").fetchall())
    assert anb.Approvals(ws).waiting == ()
