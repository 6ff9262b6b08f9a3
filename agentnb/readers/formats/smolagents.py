"""smolagents: the steps of an agent's memory, full or succinct, as the agent returns them.

A record is the task, a plan, or a step: one model call, the tools it called and what they printed. All calls of a step share one text, so that only a step
with a single call has a result of its own; where a call failed, only the model's message tells which calls there were, and the error which one it was.
The messages that a step was given repeat the steps before it, and are not read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentnb.readers._fields import count_in, dict_of, extra_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said

_READ_TASK = frozenset({"task", "task_images"})
_READ_STEP = frozenset(
    {
        "timing", "model_input_messages", "tool_calls", "error", "model_output_message", "model_output", "code_action", "observations", "action_output",
        "token_usage", "plan", "observations_images",
    }
)  # fmt: skip
_READ_CALL = frozenset({"id", "type", "function"})


def _matches(sample: Sample) -> bool:
    values = _items(sample.document) if sample.shape == "document" else sample.values
    return any(map(_is_step, values[:20]))


def _items(document: Any) -> list[Any]:
    """Return the steps of a document: a list, or an object that holds one."""
    if isinstance(document, dict):
        document = document.get("steps")
    return document if isinstance(document, list) else []


def _is_step(value: Any) -> bool:
    return isinstance(value, dict) and "step_number" in value and "model_output" in value and ("observations" in value or "token_usage" in value)


def _is_task(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("task"), str) and "step_number" not in value


def _keys(sample: Sample) -> set[str]:
    """Return the ids of the runs of a file, so that equal ones in several files are told apart."""
    values = _items(sample.document) if sample.shape == "document" else sample.values
    return {_digest(value) for index, value in enumerate(values) if index == 0 or _is_task(value)}


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        values = read_values(file, on_bytes)
        document = next(values)[1] if file.sample.shape != "lines" else None
        items = values if file.sample.shape == "lines" else enumerate(_items(document), 1)
        reader: MessageList | None = None
        for place, value in items:
            if reader is None or _is_task(value):
                if reader is not None:
                    _finish(reader)
                reader = MessageList(apart.start(_digest(value), file.account, line=place).main, file.account)
            _read_record(reader, value, place)
        if reader is not None:
            _note_run(reader, document)
            _finish(reader)


def _note_run(reader: MessageList, document: Any) -> None:
    """Note what the result of a run tells besides its steps: what came out, how it ended, and what all steps cost together."""
    if not isinstance(document, dict):
        return
    turn, draft = reader.thread.turn, reader.thread.draft
    if turn is not None and document.get("output") is not None:
        turn.answer = turn.answer or text_of(document["output"])
    draft.labels |= {"state": document["state"]} if isinstance(document.get("state"), str) else {}
    draft.extra |= rest_of(document, ("steps", "output", "state"))


def _finish(reader: MessageList) -> None:
    reader.finish()
    reader.thread.draft.finish()


def _read_record(reader: MessageList, value: Any, place: int) -> None:
    """Read a task, a plan or a step; anything else is kept as it is, as something that nobody said."""
    thread = reader.thread
    if not isinstance(value, dict):
        reader.read([Said("system", place, (Piece("other", None, extra=object_of(value)),), injected=True)])
        return
    first_call = len(thread.calls)
    reader.read(_task(value, place) if _is_task(value) else _step(value, place))
    calls = [call for call in thread.calls[first_call:] if call.kind == "tool"]
    for call in calls:
        # The time of a step covers the model and its tools, and tells nothing of either.
        call.started_at = call.ended_at = call.seconds = None
    if len(calls) > 1 and value.get("observations") is not None:
        thread.share(calls, line=place)
    if value.get("is_final_answer") is True and thread.turn is not None:
        returned = text_of(value.get("action_output")) or text_of(value.get("observations"))
        thread.turn.answer, thread.turn.state = returned or thread.turn.answer, "done"


def _task(value: dict[str, Any], place: int) -> Iterator[Said]:
    images = value.get("task_images")
    pieces = (Piece("text", value["task"]), *(Piece("image", text_of(image)) for image in (images if isinstance(images, list) else ())))
    yield Said("user", place, pieces, extra=extra_of(value, _READ_TASK))


def _step(value: dict[str, Any], place: int) -> Iterator[Said]:
    """Say a step: what the model said and called, then what came back, which is one text for all of its calls."""
    times = dict_of(value.get("timing"))
    started, ended = read_time(times.get("start_time")).micros, read_time(times.get("end_time")).micros
    asked = _asked(value)
    message = value.get("model_output_message")
    words = text_of(value.get("model_output")) or text_of(message.get("content") if isinstance(message, dict) else None) or text_of(value.get("plan"))
    error = None if asked else _error(value.get("error"))
    yield Said(
        "assistant", place, (Piece("text", words),) if words else (), asked, at=ended, started=started, usage=_usage(value), error=error,
        extra=extra_of(value, _READ_STEP | ({"code_action"} if asked else set())),
    )  # fmt: skip
    observed, failure = text_of(value.get("observations")), _error(value.get("error"))
    if observed is None and value.get("action_output") is not None:
        observed = text_of(value["action_output"])
    images = value.get("observations_images")
    pictures = tuple(Piece("image", text_of(image)) for image in (images if isinstance(images, list) else ()))
    if observed is not None or failure is not None or pictures:
        pieces = (*([Piece("text", observed)] if observed is not None else []), *pictures)
        failed = None if not asked else failure is not None
        failing = _failing(asked, failure) if failure is not None else None
        yield Said("tool", place, pieces, loose=not asked, at=ended, failed=failed, error=failure if asked else None, records=0, result_of=failing)


def _asked(value: dict[str, Any]) -> tuple[Asked, ...]:
    """Return the calls in the order in which the model asked for them, which is not always that of the list."""
    calls = value.get("tool_calls")
    listed = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    message = value.get("model_output_message")
    wanted = message.get("tool_calls") if isinstance(message, dict) else None
    if not listed and value.get("error") is not None and isinstance(wanted, list):
        listed = [call for call in wanted if isinstance(call, dict)]
    order = [call.get("id") for call in wanted if isinstance(call, dict)] if isinstance(wanted, list) else []
    return tuple(_call(call) for call in sorted(listed, key=lambda call: order.index(call.get("id")) if call.get("id") in order else len(order)))


def _failing(asked: tuple[Asked, ...], failure: str) -> str | None:
    """Return the id of the call that an error is of, as its words tell; None when they tell of none."""
    for call in asked:
        given = parse_json((call.input or "").encode())
        if given.ok and f"'{call.name}' with arguments {given.value}" in failure:
            return call.tool_call_id
    return None


def _call(call: dict[str, Any]) -> Asked:
    named = dict_of(call.get("function"))
    name, arguments = text_of(named.get("name")) or "", named.get("arguments")
    # The arguments of the tool that runs code are the code itself.
    read = read_arguments({"code": arguments} if name == "python_interpreter" and isinstance(arguments, str) else arguments)
    return Asked(text_of(call.get("id")) or None, name, read.text, extra_of(call, _READ_CALL), read.oddities)


def _error(error: Any) -> str | None:
    if not isinstance(error, dict):
        return text_of(error)
    return ": ".join(text for name in ("type", "message") if (text := text_of(error.get(name)))) or to_json(error)


def _usage(value: dict[str, Any]) -> dict[str, Any]:
    usage = value.get("token_usage")
    found = {name: count_in(usage.get(name)) for name in ("input_tokens", "output_tokens")} if isinstance(usage, dict) else {}
    return {name: count for name, count in found.items() if count is not None}


def _digest(value: Any) -> str:
    task = value.get("task") if isinstance(value, dict) else None
    return f"smolagents-{digest_of(['smolagents', task])}"


READER = Reader(format="smolagents", title="smolagents steps", matches=_matches, keys=_keys, read=_read)
