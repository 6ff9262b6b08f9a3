"""One kind of event after another: what each tells of the turn, of a call, or of what was said."""

from __future__ import annotations

from typing import Any, Literal

from agentnb.readers._fields import as_extra, list_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers.builders.message_list import Piece, Said
from agentnb.readers.formats.codex._calls import Asking, Moment, Told
from agentnb.readers.formats.codex._items import is_injected
from agentnb.readers.formats.codex._rollout import Handler, Rollout
from agentnb.readers.formats.codex._tokens import usage_in
from agentnb.readers.formats.codex._told import block_text, command_told, dynamic_told, mcp_told, patch_told, unread_of
from agentnb.readers.formats.codex._words import Words

_ANSWERS: dict[str, Literal["yes", "no"]] = {
    "approved": "yes",
    "approved_for_session": "yes",
    "accept": "yes",
    "denied": "no",
    "abort": "no",
    "decline": "no",
    "rejected": "no",
}


def read_event(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    """Read one event."""
    kind = event.get("type")
    handler = HANDLERS.get(kind) if isinstance(kind, str) else None
    if handler is not None:
        handler(rollout, event, moment)
    elif isinstance(kind, str) and kind.endswith(("_delta", "_section_break")):
        rollout.account.skip("streamed_piece")
    else:
        rollout.flush()
        rollout.note(text_of(kind) or "event", event, moment)


def _user_message(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    text = text_of(event.get("message")) or ""
    images = [Piece("image", text_of(image)) for name in ("images", "local_images") for image in list_of(event.get(name))]
    rest = unread_of(event, "message", "images", "local_images", "text_elements", "kind", "client_id")
    injected = is_injected(text) or event.get("kind") not in (None, "plain")
    pieces = (Piece("text", text), *images) if text or not images else tuple(images)
    said = Said("user", moment.place, pieces, at=moment.at, injected=injected, extra=to_json(rest) if any(rest.values()) else None)
    if injected:
        rollout.flush()
        rollout.stream.say(said)
    else:
        rollout.hear(Words("user", text, said))


def _agent_message(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    text = text_of(event.get("message")) or ""
    rest = unread_of(event, "message")
    said = Said("assistant", moment.place, (Piece("text", text),), at=moment.at, extra=as_extra(rest))
    rollout.hear(Words("assistant", text, said))


def _reasoning(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    text = text_of(event.get("text")) or ""
    rollout.hear(Words("reasoning", text, Said("assistant", moment.place, (Piece("reasoning", text),), at=moment.at)))


def _command_begins(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    rollout.flush()
    rollout.calls.begin(_call_id(event), command_told(event), moment)


def _command_ends(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    _tell(rollout, event, command_told(event), moment)


def _patch_begins(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    rollout.flush()
    rollout.calls.begin(_call_id(event), patch_told(event), moment)


def _patch_ends(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    _tell(rollout, event, patch_told(event), moment)


def _mcp_begins(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    rollout.flush()
    rollout.calls.begin(_call_id(event), mcp_told(event), moment)


def _mcp_ends(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    _tell(rollout, event, mcp_told(event), moment)


def _search_ends(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    call_id = _call_id(event)
    if call_id.startswith("exec-") or rollout.calls.knows(call_id):
        action = event.get("action")
        asked = to_json(action if isinstance(action, dict) else {"query": event.get("query")})
        results = event.get("results")
        rest = unread_of(event, "action", "results")
        told = Told("web_search", asked, text_of(results) if results else None, None, False, None, None, {"web_search_end": rest} if rest else None)
        _tell(rollout, event, told, moment)
        return
    rollout.flush()
    rollout.search = (event, moment)


def _dynamic_begins(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    rollout.flush()
    rollout.calls.begin(_call_id(event), dynamic_told(event), moment)


def _dynamic_ends(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    _tell(rollout, event, dynamic_told(event), moment)


def _image_viewed(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    _tell(rollout, event, Told("view_image", to_json({"path": event.get("path")}), extra=None), moment)


def _image_made(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    rest = unread_of(event, "revised_prompt")
    told = Told("image_generation", to_json({"revised_prompt": event.get("revised_prompt")}), None, extra={"image_generation_end": rest})
    _tell(rollout, event, told, moment)


def _agent_told(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    """Read an event about sub-agents: the call that started one, spoke to it, waited for it or closed it."""
    kind = str(event["type"]).removeprefix("collab_").removesuffix("_end").removesuffix("_begin")
    names = {"agent_spawn": "spawn_agent", "agent_interaction": "send_input", "waiting": "wait_agent", "close": "close_agent"}
    name = text_of(event.get("tool")) or names.get(kind, kind)
    asked = {key: event[key] for key in ("prompt", "model", "receiver_thread_id") if event.get(key) is not None}
    told = Told(name, to_json(asked), None, extra={str(event["type"]): unread_of(event, "prompt")})
    if str(event["type"]).endswith("_begin"):
        rollout.flush()
        call = rollout.calls.begin(_call_id(event), told, moment)
    else:
        call = _tell(rollout, event, told, moment)
    started = event.get("new_thread_id")
    if isinstance(started, str) and started and call is not None:
        rollout.calls.spawned[started] = call


def _approval_asked(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    call_id = _call_id(event)
    patch = event["type"] == "apply_patch_approval_request"
    if not rollout.calls.knows(call_id):
        rollout.flush()
        rollout.calls.begin(call_id, patch_told(event) if patch else command_told(event), moment)
    else:
        rollout.account.merge()
    question = text_of(event.get("reason")) or text_of(event.get("command") or event.get("changes"))
    rollout.calls.question(text_of(event.get("approval_id")) or call_id, Asking(call_id, question, moment))


def _assessed(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    """Read what a reviewer that stands in for a person thinks of a call."""
    status = event.get("status")
    answer = _ANSWERS.get(status) if isinstance(status, str) else None
    by = text_of(event.get("decision_source")) or "guardian"
    reason = text_of(event.get("rationale"))
    call_id = text_of(event.get("target_item_id")) or ""
    if not rollout.calls.knows(call_id):
        rollout.flush()
        rollout.note("guardian_assessment", event, moment)
        return
    asking = Asking(call_id, text_of(event.get("action")), moment, answer, by if answer else None, reason, moment if answer else None)
    rollout.calls.question(text_of(event.get("id")) or call_id, asking)
    rollout.account.merge()


def _named(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    rollout.thread.draft.row.title = text_of(event.get("thread_name")) or rollout.thread.draft.row.title
    rollout.account.keep()


def _failed(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    error = event.get("error")
    told = event.get("message") or (error.get("message") if isinstance(error, dict) else error)
    rollout.fail(event, moment, text_of(told))


def _turn_counted(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    usage = usage_in(event.get("usage"))
    if usage:
        rollout.use(usage, moment, {})
    else:
        rollout.note("turn.completed", event, moment)


def _item_completed(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    """Read an item as newer versions write it into the stream of events: what older ones wrote as an event of its own."""
    item = event.get("item")
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(kind, str):
        rollout.note("item_completed", event, moment)
        return
    as_event = _ITEMS.get("WebSearch" if kind == "Extension" and item.get("action") is not None else kind)
    if as_event is None:
        rollout.flush()
        rollout.note(f"item_completed {kind}", event, moment)
        return
    renamed = {"call_id": item.get("id"), **{name: value for name, value in item.items() if name not in ("type", "id")}, "type": as_event}
    if as_event in ("user_message", "agent_message", "agent_reasoning"):
        texts = item.get("text") or item.get("summary_text") or item.get("content") or item.get("raw_content")
        words = "\n".join(text for block in list_of(texts) if (text := block_text(block))) if not isinstance(texts, str) else texts
        renamed = {"type": as_event, "message": words, "text": words}
        if not words:
            # An item of reasoning that is encrypted has no words.
            rollout.account.merge()
            return
    HANDLERS[as_event](rollout, renamed, moment)


def _begins_only(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    rollout.account.skip("begin_of_an_item")


def _repeated_setting(rollout: Rollout, event: dict[str, Any], moment: Moment) -> None:
    rollout.frame(str(event["type"]), event, moment)


def _tell(rollout: Rollout, event: dict[str, Any], told: Told, moment: Moment) -> Any:
    rollout.flush()
    call_id = _call_id(event)
    if not call_id:
        rollout.note(str(event.get("type")), event, moment)
        return None
    return rollout.calls.tell(call_id, told, moment)


def _call_id(event: dict[str, Any]) -> str:
    return text_of(event.get("call_id") or event.get("callId")) or ""


_ITEMS = {
    "UserMessage": "user_message",
    "AgentMessage": "agent_message",
    "Plan": "agent_message",
    "Reasoning": "agent_reasoning",
    "CommandExecution": "exec_command_end",
    "FileChange": "patch_apply_end",
    "McpToolCall": "mcp_tool_call_end",
    "WebSearch": "web_search_end",
    "ImageView": "view_image_tool_call",
}

HANDLERS: dict[str, Handler] = {
    "task_started": lambda rollout, event, moment: rollout.start_turn(event, moment),
    "turn_started": lambda rollout, event, moment: rollout.start_turn(event, moment),
    "task_complete": lambda rollout, event, moment: rollout.end_turn(event, moment, aborted=False),
    "turn_complete": lambda rollout, event, moment: rollout.end_turn(event, moment, aborted=False),
    "turn_aborted": lambda rollout, event, moment: rollout.end_turn(event, moment, aborted=True),
    "turn.completed": _turn_counted,
    "token_count": lambda rollout, event, moment: rollout.count(event, moment),
    "user_message": _user_message,
    "agent_message": _agent_message,
    "agent_reasoning": _reasoning,
    "agent_reasoning_raw_content": _reasoning,
    "exec_command_begin": _command_begins,
    "exec_command_end": _command_ends,
    "patch_apply_begin": _patch_begins,
    "patch_apply_end": _patch_ends,
    "mcp_tool_call_begin": _mcp_begins,
    "mcp_tool_call_end": _mcp_ends,
    "web_search_begin": _begins_only,
    "web_search_end": _search_ends,
    "dynamic_tool_call_request": _dynamic_begins,
    "dynamic_tool_call_response": _dynamic_ends,
    "view_image_tool_call": _image_viewed,
    "image_generation_end": _image_made,
    "collab_agent_spawn_begin": _agent_told,
    "collab_agent_spawn_end": _agent_told,
    "collab_agent_interaction_begin": _agent_told,
    "collab_agent_interaction_end": _agent_told,
    "collab_waiting_begin": _agent_told,
    "collab_waiting_end": _agent_told,
    "collab_close_begin": _agent_told,
    "collab_close_end": _agent_told,
    "collab_tool_call": _agent_told,
    "exec_approval_request": _approval_asked,
    "apply_patch_approval_request": _approval_asked,
    "guardian_assessment": _assessed,
    "thread_name_updated": _named,
    "thread_settings_applied": _repeated_setting,
    "error": _failed,
    "item_completed": _item_completed,
    "item_started": _begins_only,
}
"""What reads each kind of event; another kind is kept as a part of its own."""
