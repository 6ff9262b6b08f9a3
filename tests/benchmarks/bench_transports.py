"""Is tracing linear, however small the pieces, and what does it cost beside parsing the chunks?

Takes the characters of the argument and the number of parts.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pydantic_core import from_json

sys.path.insert(0, str(Path(__file__).parents[2]))

import agentnb.transports as tr
from tests.benchmarks.measure import best_times, print_ratios

PARTIAL = 40_000
"""Characters for which a parser that begins anew with each piece is measured: its time grows with the square."""


def main(chars: int, parts: int) -> None:
    """Measure one long argument in pieces of one character, then a long recorded stream."""
    prepared = _prepared()
    _measure_argument(prepared, chars)
    _measure_stream(prepared, parts)


def _measure_argument(prepared: tr.PreparedModelInteraction, chars: int) -> None:
    sys.stdout.write(f"an argument of {chars:,} characters in pieces of one\n")
    for share in (8, 4, 2, 1):
        size = chars // share
        begin, cpu = time.perf_counter(), time.process_time()
        collector = prepared.create_response()
        for part in _pieces(size):
            collector.push(part)
        selection = collector.finish()
        assert len(selection.input["text"]) == size
        wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
        sys.stdout.write(f"  {size:>12,} characters  {wall * 1e6 / size:6.2f} microseconds each  {cpu * 1e6 / size:6.2f} CPU\n")
    competitors = {"scanner": lambda: _scan(PARTIAL), "partial parsing again": lambda: _parse_again(PARTIAL)}
    sys.stdout.write(f"{PARTIAL:,} characters, against partial parsing of all that came, after each of them\n")
    print_ratios(best_times(competitors, rounds=3), against="scanner")


def _measure_stream(prepared: tr.PreparedModelInteraction, parts: int) -> None:
    lines = [json.dumps(chunk) for chunk in _chunks(parts)]
    chunks = [json.loads(line) for line in lines]
    lifted = list(tr.lift_parts(chunks, "openai-chat"))
    sys.stdout.write(f"{len(lifted):,} parts of a recorded stream\n")
    competitors = {
        "json.loads": lambda: [json.loads(line) for line in lines],
        "lift": lambda: list(tr.lift_parts(chunks, "openai-chat")),
        "trace": lambda: tr.trace_selection(prepared, lifted),
        "parse, lift and trace": lambda: tr.trace_selection(prepared, map(json.loads, lines), dialect="openai-chat"),
    }
    print_ratios(best_times(competitors, rounds=3), against="json.loads")
    sizes = [len(lifted) // 4, len(lifted) // 2, len(lifted)]
    traces = {f"trace of {size:,}": partial(tr.trace_selection, prepared, lifted[:size]) for size in sizes}
    print_ratios(best_times(traces, rounds=3), against=next(iter(traces)))


def _prepared() -> tr.PreparedModelInteraction:
    schema = {"json_schema": {"type": "object", "properties": {"text": {"type": "string"}}}, "parse": dict}
    tools = tr.define_model_tools([{"id": "write", "description": "Write a text.", "input_schema": schema, "resolve": dict}])
    return tr.StageTransport("bench", tools=tools, stages=[{"id": "write", "tool_ids": ["write"]}]).prepare("write")


def _pieces(size: int) -> Iterator[Any]:
    yield tr.CallPart(index=0, id="call_1", name="write", arguments='{"text":"')
    piece = tr.CallPart(index=0, arguments="x")
    for _ in range(size):
        yield piece
    yield tr.CallPart(index=0, arguments='"}')
    yield tr.FinishPart(reason="tool_calls")


def _scan(size: int) -> None:
    scanner = tr.JsonScanner()
    for char in '{"text":"' + "x" * size:
        scanner.feed(char)


def _parse_again(size: int) -> None:
    text = ""
    for char in '{"text":"' + "x" * size:
        text += char
        from_json(text, allow_partial=True)


def _chunks(count: int) -> Iterator[dict[str, Any]]:
    frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "model", "usage": None}
    words = ('{"text":"', *["word "] * (count - 3), '"}')
    for at, word in enumerate(words):
        call = {"index": 0, "function": {"arguments": word}} | ({"id": "call_1", "type": "function"} if at == 0 else {})
        if at == 0:
            call["function"] = {"name": "write", "arguments": word}
        yield {**frame, "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "logprobs": None, "finish_reason": None}]}
    yield {**frame, "choices": [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "tool_calls"}]}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000, int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
