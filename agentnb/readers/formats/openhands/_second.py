"""Events of the second generation, of the software agent SDK: messages, actions and observations with a kind, paired by the id of the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentnb.readers._fields import as_extra, dict_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._times import Time, read_time
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.formats.openhands._run import Placed, Run

_COMMON = frozenset({"id", "timestamp", "source", "kind", "llm_response_id", "tool_call_id", "tool_name", "action_id"})
_ROLES = {"user": "user", "assistant": "assistant", "system": "system"}


def is_event(value: Any) -> bool:
    """Tell whether a value is an event of this generation."""
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str) or not isinstance(value.get("source"), str):
        return False
    return (value["kind"] in _READERS or value["kind"].endswith("Event")) and isinstance(value.get("id"), str) and "timestamp" in value


def read_event(event: Placed, run: Run) -> None:
    """Read one event."""
    time = read_time(event.record.get("timestamp"))
    _READERS.get(event.record["kind"], _read_other)(event, time, run)


def _read_message(event: Placed, time: Time, run: Run) -> None:
    record = event.record
    message = dict_of(record.get("llm_message"))
    role = _ROLES.get(str(message.get("role")), "user" if record.get("source") == "user" else "assistant")
    reasoning = _thought(message) or _thought(record)
    more = record.get("extended_content")
    pieces = ((Piece("reasoning", reasoning),) if reasoning else ()) + _pieces(message.get("content")) + _pieces(more)
    rest = _left(record, {"llm_message", "extended_content"}) | _signatures(message)
    rest |= {
        name: value
        for name, value in message.items()
        if name not in ("role", "content", "reasoning_content", "thinking_blocks") and value not in (None, [], "")
    }
    said = Said(role, event.place, pieces, at=time.micros, zone_assumed=time.zone_assumed, id=record["id"], extra=as_extra(rest))
    if role == "assistant":
        run.reply(said, text_of(record.get("llm_response_id")), record["id"])
    else:
        run.say(said._replace(injected=role == "system" or record.get("source") == "environment"))


def _read_action(event: Placed, time: Time, run: Run) -> None:
    record = event.record
    reasoning = _thought(record)
    # Without a thought an empty text stands there.
    pieces = ((Piece("reasoning", reasoning),) if reasoning else ()) + tuple(piece for piece in _pieces(record.get("thought")) if piece.text != "")
    call, action = record.get("tool_call"), record.get("action")
    call = call if isinstance(call, dict) else {}
    function = call.get("function") if isinstance(call.get("function"), dict) else call
    assert isinstance(function, dict)
    arguments = read_arguments(function.get("arguments", action))
    kind = action.get("kind") if isinstance(action, dict) else None
    named = text_of(record.get("tool_call_id")) or text_of(call.get("id"))
    state = "done" if kind == "FinishAction" else None
    asked = Asked(named, text_of(record.get("tool_name")) or text_of(function.get("name")) or "", arguments.text, None, arguments.oddities, state)
    rest = _left(record, {"thought", "reasoning_content", "action", "tool_call"}) | _signatures(record)
    if action is not None and not arguments.text:
        rest["action"] = action
    said = Said("assistant", event.place, pieces, (asked,), at=time.micros, zone_assumed=time.zone_assumed, extra=as_extra(rest))
    run.reply(said, text_of(record.get("llm_response_id")), record["id"])
    if kind == "FinishAction" and isinstance(action, dict):
        run.end_turn()
        answer = text_of(action.get("message"))
        if answer:
            run.say(Said("assistant", event.place, (Piece("text", answer),), at=time.micros, same_step=True, records=0))


def _thought(record: dict[str, Any]) -> str | None:
    """Return what a model thought: as a text, else the blocks in which Anthropic's models give it."""
    blocks = record.get("thinking_blocks")
    texts = [block.get("thinking") for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    return text_of(record.get("reasoning_content") or None) or "\n\n".join(text for text in texts if isinstance(text, str) and text) or None


def _signatures(record: dict[str, Any]) -> dict[str, Any]:
    """Return of thoughts what is not read: how the service knows them again."""
    blocks = record.get("thinking_blocks")
    known = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    rest = [rest_of(block, ("type", "thinking")) for block in known]
    return {"thinking_blocks": rest} if any(rest) else {}


def _read_acp_call(event: Placed, time: Time, run: Run) -> None:
    """Read a call that an agent of its own made, told again with each change of its state; which model asked for it is not told."""
    record = event.record
    arguments = read_arguments(record.get("raw_input"))
    read = {"raw_input", "raw_output", "content", "status", "is_error", "tool_kind"}
    rest = _left(record, read)
    named = text_of(record.get("tool_call_id"))
    asked = Asked(named, text_of(record.get("tool_kind") or record.get("title")) or "", arguments.text, as_extra(rest), arguments.oddities)
    text = "\n".join(filter(None, map(_acp_text, record["content"]))) if isinstance(record.get("content"), list) else ""
    raw = record.get("raw_output")
    output = text or (text_of(raw) if raw is not None else None)
    ended = record.get("status") in ("completed", "failed") or record.get("is_error") is True
    failed = record.get("status") == "failed" or record.get("is_error") is True
    pieces = (Piece("text", output),) if output is not None else ()
    said = Said("tool", event.place, pieces, at=time.micros, zone_assumed=time.zone_assumed, failed=failed or None, records=0)
    run.act_alone(asked, said, ended=ended)


def _acp_text(block: Any) -> str | None:
    inner = block.get("content") if isinstance(block, dict) and isinstance(block.get("content"), dict) else block
    return text_of(inner.get("text") or None) if isinstance(inner, dict) else None


def _read_failure(event: Placed, time: Time, run: Run) -> None:
    record = event.record
    run.state = "error"
    _inject(event, "error", text_of(record.get("detail") or record.get("code")), _left(record, {"detail"}), time, run)


def _read_observation(event: Placed, time: Time, run: Run) -> None:
    record = event.record
    observation = record.get("observation")
    seen = observation if isinstance(observation, dict) else {"content": observation}
    pieces = _pieces(seen.get("content") if seen.get("content") is not None else seen.get("output"))
    metadata = seen.get("metadata")
    code = seen.get("exit_code", metadata.get("exit_code") if isinstance(metadata, dict) else None)
    rest = {name: value for name, value in seen.items() if name not in ("content", "output", "command", "is_error") and value not in (None, "", [], False)}
    said = Said(
        "tool",
        event.place,
        pieces,
        result_of=text_of(record.get("tool_call_id")),
        at=time.micros,
        zone_assumed=time.zone_assumed,
        failed=seen.get("is_error") is True or None,
        exit_code=code if type(code) is int and code != -1 and abs(code) < 2**31 else None,
        extra=as_extra(rest),
    )
    run.observe(said, record.get("action_id"))


def _read_error(event: Placed, time: Time, run: Run) -> None:
    record = event.record
    text = text_of(record.get("error"))
    pieces = (Piece("text", text),) if text is not None else ()
    rest = _left(record, {"error"})
    named = text_of(record.get("tool_call_id"))
    said = Said("tool", event.place, pieces, result_of=named, at=time.micros, zone_assumed=time.zone_assumed, failed=True, error=text)
    known = any(call.tool_call_id == named and call.state is None for call in run.thread.calls if call.kind == "tool")
    run.observe(said._replace(loose=not known, extra=as_extra(rest)), None)


def _read_refusal(event: Placed, time: Time, run: Run) -> None:
    record = event.record
    reason = text_of(record.get("rejection_reason"))
    pieces = (Piece("text", reason),) if reason is not None else ()
    named = text_of(record.get("tool_call_id"))
    said = Said("tool", event.place, pieces, result_of=named, at=time.micros, zone_assumed=time.zone_assumed, failed=False)
    call = run.observe(said, record.get("action_id"))
    if call is not None:
        run.refuse(call, reason, time.micros)


def _read_system(event: Placed, time: Time, run: Run) -> None:
    record = event.record
    prompt = record.get("system_prompt")
    text = text_of(prompt.get("text")) if isinstance(prompt, dict) else text_of(prompt)
    _inject(event, "system_prompt", text, _left(record, {"system_prompt"}), time, run)


def _read_condensation(event: Placed, time: Time, run: Run) -> None:
    record = event.record
    _inject(event, "condensation", text_of(record.get("summary")), _left(record, {"summary"}), time, run)


def _read_state(event: Placed, time: Time, run: Run) -> None:
    record = event.record
    if record.get("key") in ("execution_status", "agent_status"):
        run.state = text_of(record.get("value")) or run.state
    _inject(event, "state", None, _left(record, set()), time, run)


def _read_pause(event: Placed, time: Time, run: Run) -> None:
    run.state = "paused"
    _read_other(event, time, run)


def _read_other(event: Placed, time: Time, run: Run) -> None:
    _inject(event, text_of(event.record.get("kind")) or "event", None, _left(event.record, set()), time, run)


_READERS: dict[str, Callable[[Placed, Time, Run], None]] = {
    "MessageEvent": _read_message,
    "ActionEvent": _read_action,
    "ObservationEvent": _read_observation,
    "AgentErrorEvent": _read_error,
    "UserRejectObservation": _read_refusal,
    "SystemPromptEvent": _read_system,
    "Condensation": _read_condensation,
    "CondensationSummaryEvent": _read_condensation,
    "ConversationStateUpdateEvent": _read_state,
    "PauseEvent": _read_pause,
    "ACPToolCallEvent": _read_acp_call,
    "ConversationErrorEvent": _read_failure,
}


def _inject(event: Placed, kind: str, text: str | None, extra: dict[str, Any], time: Time, run: Run) -> None:
    run.inject(kind, event, text, extra, time.micros, zone_assumed=time.zone_assumed)


def _left(record: dict[str, Any], read: set[str]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in _COMMON and name not in read and value not in (None, [], "", {})}


def _pieces(content: Any) -> tuple[Piece, ...]:
    if isinstance(content, list):
        return tuple(map(_piece, content))
    return (Piece("text", text_of(content)),) if content is not None else ()


def _piece(block: Any) -> Piece:
    if isinstance(block, str):
        return Piece("text", block)
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return Piece("text", block["text"])
    urls = block.get("image_urls") if isinstance(block, dict) else None
    return Piece("image", text_of(urls[0])) if isinstance(urls, list) and len(urls) == 1 else Piece("other", extra=object_of(block))
