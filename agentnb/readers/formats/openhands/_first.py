"""Events of the first generation: actions and observations, paired by the id of the event that caused the other."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import as_extra, dict_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._times import Time, read_time
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.dialects.chat import asked_in, usage_in
from agentnb.readers.formats.openhands._run import Placed, Run

_SOURCES = ("agent", "user", "environment")
_ROOT = frozenset({"id", "timestamp", "source", "message", "action", "args", "observation", "content", "extras", "cause", "success"})
_META = frozenset({"tool_call_metadata", "llm_metrics", "timeout"})
# What of an action's arguments is no argument of the tool: how it was asked for, and a second writing of it.
_AROUND = frozenset({"thought", "confirmation_state", "is_confirmed", "translated_ipython_code", "final_thought", "security_risk", "action_risk"})
_INJECTED = frozenset({"recall", "change_agent_state", "agent_state_changed", "condensation", "condensation_request", "agent_condense", "loop_recovery"})
_ENDS = {"finish": "finished", "reject": "stopped"}


def is_event(value: Any) -> bool:
    """Tell whether a value is an event of this generation."""
    if not isinstance(value, dict) or value.get("source") not in _SOURCES:
        return False
    acted = isinstance(value.get("action"), str) and isinstance(value.get("args"), dict)
    return acted or (isinstance(value.get("observation"), str) and (isinstance(value.get("extras"), dict) or "cause" in value))


def read_event(event: Placed, run: Run) -> None:
    """Read one event."""
    record = event.record
    time = read_time(record.get("timestamp"))
    if isinstance(record.get("action"), str):
        _read_action(event, record["action"], _args_of(record), time, run)
    elif isinstance(record.get("observation"), str):
        _read_observation(event, record["observation"], _extras_of(record), time, run)
    else:
        event.account.leave_out("no_event", "It stands among the events and is neither an action nor an observation.", line=event.place, excerpt=record)


def _args_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of an action; in the very old form they stand at the root."""
    args = record.get("args")
    return args if isinstance(args, dict) else {name: value for name, value in record.items() if name not in ("action", "id", "timestamp", "source", *_META)}


def _extras_of(record: dict[str, Any]) -> dict[str, Any]:
    extras = record.get("extras")
    return extras if isinstance(extras, dict) else {name: value for name, value in record.items() if name not in (*_ROOT, *_META)}


def _read_action(event: Placed, action: str, args: dict[str, Any], time: Time, run: Run) -> None:
    record = event.record
    by_person = record.get("source") == "user"
    content = text_of(args.get("content"))
    if action == "system":
        run.draft.row.agent_name = text_of(args.get("agent_class")) or run.draft.row.agent_name
        run.draft.row.agent_version = text_of(args.get("openhands_version"))
        _inject(event, action, args, content, time, run)
    elif action in _INJECTED:
        if action == "change_agent_state":
            run.state = text_of(args.get("agent_state")) or run.state
        _inject(event, action, args, text_of(args.get("summary")), time, run)
    elif action == "message" and record.get("source") in ("user", "environment", None):
        # The very old form tells no source: what is said first is the task.
        if record.get("source") is None and run.draft.turns:
            _reply(event, action, args, time, run)
            return
        urls = args.get("image_urls") or args.get("images_urls")
        images = tuple(Piece("image", text_of(url)) for url in urls) if isinstance(urls, list) else ()
        extra = _left(args, {"content", "image_urls", "images_urls"})
        pieces = ((Piece("text", content),) if content else ()) + images
        injected = record.get("source") == "environment"
        run.say(Said("user", event.place, pieces, at=time.micros, zone_assumed=time.zone_assumed, injected=injected, extra=as_extra(extra)))
    elif by_person:
        asked = Asked(None, action, to_json(_left(args, _AROUND)))
        empty = Said("tool", event.place, at=time.micros, started=time.micros, zone_assumed=time.zone_assumed)
        run.run_by_person(asked, empty, record.get("id"))
    else:
        _reply(event, action, args, time, run)


def _inject(event: Placed, kind: str, args: dict[str, Any], text: str | None, time: Time, run: Run) -> None:
    extra = _left(args, {"content", "summary", "thought", "agent_class", "openhands_version"} if text else {"thought"})
    run.inject(kind, event, text, extra, time.micros, zone_assumed=time.zone_assumed)


def _left(fields: dict[str, Any], read: frozenset[str] | set[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in read and value is not None and value != ""}


def _reply(event: Placed, action: str, args: dict[str, Any], time: Time, run: Run) -> None:
    """Read what the agent did: words, and a call of a tool unless it is only words."""
    record = event.record
    metadata = dict_of(record.get("tool_call_metadata"))
    response = dict_of(metadata.get("model_response"))
    confirmed = args.get("confirmation_state", args.get("is_confirmed"))
    confirmed = text_of(confirmed)
    named = text_of(metadata.get("tool_call_id"))
    key = f"{named}/{text_of(response.get('id'))}" if named else to_json([action, _left(args, _AROUND)])
    if run.ask_person(key, record.get("id"), confirmed, time.micros):
        return
    choice = _choice(response)
    message = choice.get("message") if isinstance(choice.get("message"), dict) else {}
    assert isinstance(message, dict)
    usage = usage_in(response.get("usage"))
    spent = run.measure(record.get("llm_metrics"))
    said = Said(
        "assistant",
        event.place,
        _pieces(action, args, message),
        () if action == "message" else (_asked(action, args, named, metadata, message),),
        at=time.micros,
        zone_assumed=time.zone_assumed,
        model=text_of(response.get("model")),
        usage=usage | ({"cost": spent["cost"]} if "cost" in spent else {}) if usage else spent,
        finish_reason=text_of(choice.get("finish_reason")),
        extra=_extra_of_reply(record, action, args),
    )
    run.reply(said, text_of(response.get("id")), record.get("id"))
    run.wait_for_person(key, record.get("id"), confirmed, time.micros)
    if action == "delegate":
        run.delegate(text_of(args.get("agent")) or "", event, time.micros)
    elif action in _ENDS and len(run.levels) == 1:
        run.end_turn(_ENDS[action])


def _choice(response: dict[str, Any]) -> dict[str, Any]:
    choices = response.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}


def _pieces(action: str, args: dict[str, Any], message: dict[str, Any]) -> tuple[Piece, ...]:
    """Return the words of a reply: those of the response, else the thought that was taken from it; of the last action also the answer."""
    reasoning = text_of(message.get("reasoning_content"))
    words = [text_of(message.get("content"))] if isinstance(message.get("content"), str) else [text_of(args.get("thought"))]
    last = text_of(args.get("content") if action == "message" else args.get("final_thought") if action == "finish" else None)
    words += [last] if last and last != words[0] else []
    thought = text_of(args.get("thought"))
    if words[0] is not None and action not in ("message", "finish", "think") and thought and thought not in words[0]:
        words.append(thought)
    texts = [word for word in words if word]
    return ((Piece("reasoning", reasoning),) if reasoning else ()) + tuple(Piece("text", text) for text in texts)


def _asked(action: str, args: dict[str, Any], named: str | None, metadata: dict[str, Any], message: dict[str, Any]) -> Asked:
    """Return the call: as the model asked for it where that is recorded, else as the action it became."""
    found = next((asked for asked in asked_in(message) if asked.tool_call_id == named), None) if named else None
    function = text_of(metadata.get("function_name"))
    rest = {name: value for name, value in _left(args, _AROUND).items() if value is not False}
    # The last action of a run is observed by nobody, and is done all the same.
    state = "done" if action in _ENDS else None
    if found is None:
        arguments = read_arguments(rest or None)
        extra = {"action": action} if function and function != action else {}
        return Asked(named, function or action, arguments.text, as_extra(extra), arguments.oddities, state)
    known = found.input or ""
    other = {name: value for name, value in rest.items() if to_json(value) not in known}
    more: dict[str, Any] = {"action": action} | ({"args": other} if other else {})
    return found._replace(extra=to_json(more), state=state)


def _extra_of_reply(record: dict[str, Any], action: str, args: dict[str, Any]) -> str | None:
    rest = rest_of(record, _ROOT | _META) if "args" in record else {}
    if action == "message":
        rest |= {name: value for name, value in _left(args, {"content", "thought"}).items() if value is not False}
    risk = args.get("security_risk", args.get("action_risk"))
    if risk not in (None, "", -1):
        rest["security_risk"] = risk
    return as_extra(rest)


def _read_observation(event: Placed, kind: str, extras: dict[str, Any], time: Time, run: Run) -> None:
    record = event.record
    text = text_of(record.get("content"))
    if kind == "null":
        event.account.skip("null_observation")
        return
    if kind in _INJECTED:
        if kind == "agent_state_changed":
            run.state = text_of(extras.get("agent_state")) or run.state
        run.inject(kind, event, text, _left(extras, set()), time.micros, zone_assumed=time.zone_assumed)
        return
    said = _said_result(event, kind, text, extras, time)
    cause = record.get("cause")
    if kind == "delegate":
        call = run.end_delegate()
        cause = cause if cause is not None or call is None else next((name for name, known in run.calls.items() if known[0] is call), None)
    has_ids = record.get("id") is not None
    # An event of a list with ids that names no cause was shown to the agent all the same: a call that could not be understood.
    answered = run.observe(said._replace(loose=cause is None and said.result_of is None and has_ids), cause)
    if kind == "user_rejected" and answered is not None:
        run.refuse(answered, text, time.micros)


def _said_result(event: Placed, kind: str, text: str | None, extras: dict[str, Any], time: Time) -> Said:
    record = event.record
    metadata = record.get("tool_call_metadata")
    named = text_of(metadata.get("tool_call_id")) if isinstance(metadata, dict) else None
    code = _exit_code(extras)
    success = record.get("success")
    failed: bool | None = kind == "error" or None
    if success is False and code is not None:
        failed = True
    rest = _left(extras, {"command", "code", "hidden"})
    rest = {name: value for name, value in rest.items() if value is not False} | ({"observation": kind} if kind == "error" else {})
    return Said(
        "tool",
        event.place,
        (Piece("text", text),) if text is not None else (),
        result_of=named,
        at=time.micros,
        zone_assumed=time.zone_assumed,
        failed=failed,
        exit_code=code,
        extra=as_extra(rest),
    )


def _exit_code(extras: dict[str, Any]) -> int | None:
    """Return the exit code of a command that ended; minus one stands for one that still runs."""
    metadata = extras.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else extras.get("exit_code")
    return code if type(code) is int and code != -1 and abs(code) < 2**31 else None
