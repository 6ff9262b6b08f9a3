"""The streams of the project are what their module writes, and each goes wrong in the way that it tells."""

from __future__ import annotations

from pathlib import Path

import pytest

import agentnb as anb
from agentnb.transports import StageTransport, read_stream
from data.make import streams

OUTCOMES = {
    "chosen-well": ("ok", None, None),
    "cut": ("cut", "arguments_incomplete", None),
    "decimal-comma": ("broken", "arguments_invalid", 8),
    "too-early": ("broken", "tool_not_in_stage", 0),
    "as-text": ("ok", None, None),
}


@anb.tool
def find_order(order_id: str) -> str:
    """Find an order by its number."""
    return order_id


@anb.tool
def refund(order_id: str, amount: float, method: str) -> str:
    """Refund an order."""
    return f"{order_id} {amount} {method}"


SHOP = StageTransport(
    "lamp-shop",
    tools=anb.define_model_tools([find_order, refund]),
    stages=[{"id": "look-up", "tool_ids": ["find_order"]}, {"id": "settle", "tool_ids": ["find_order", "refund"]}],
)


def test_the_same_bytes_are_written_every_time(data: Path, tmp_path: Path) -> None:
    streams.write(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_bytes() for path in (data / "streams").iterdir()}
    assert sorted(made) == sorted(f"{name}.jsonl" for name in OUTCOMES)


@pytest.mark.parametrize("name", OUTCOMES)
def test_each_stream_has_the_outcome_of_its_story(data: Path, name: str) -> None:
    stream = read_stream((data / "streams" / f"{name}.jsonl").read_text("utf-8"))
    assert stream.unread == ()
    trace = anb.trace_selection(SHOP.prepare(str(stream.header.stage), adapter=stream.header.adapter), stream.parts)
    assert (trace.outcome, trace.code, trace.broke_at) == OUTCOMES[name]
