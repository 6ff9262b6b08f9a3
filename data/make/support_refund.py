"""A lamp shop's support agent: eight recorded runs, one of which refunds wrongly, and two small files from the same shop."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from data.make import support_runs
from data.make.chat import Chat, Record, completion, tau_run, tool_call, write_json, write_lines
from data.make.clock import Clock
from data.make.ids import Ids
from data.make.shop import POLICY, Shop

PHOTO = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAYAAAAGCAIAAABvrngfAAAAHklEQVR42mM4YaPx4eEWIIIzGND4QAYDGh+kilyNAKbKSonu0uQoAAAAAElFTkSuQmCC"


class Task(NamedTuple):
    """One run: which task, which trial, what was asked for, how it went."""

    task_id: int
    trial: int
    reward: float
    user_id: str
    instruction: str
    actions: list[Record]
    tell: Callable[[Chat], None]


def _action(name: str, **kwargs: Any) -> Record:
    return {"name": name, "kwargs": kwargs}


_HERON = _action("refund_order", order_id="#L10482", amount=89.9, payment_method_id="credit_card_5512", reason="article is faulty")
_BELL = _action("cancel_pending_order", order_id="#L10520", reason="wrong colour")
_LIGHTS = _action("modify_order_address", order_id="#L10498", address1="7 Muster Lane", city="Bonn", zip="53111")
_WREN = _action("refund_order", order_id="#L10466", amount=44.5, payment_method_id="credit_card_1187", reason="not as expected")
_DIMMER = _action("refund_order", order_id="#L10455", amount=19.9, payment_method_id="gift_card_3141", reason="does not fit")
_ANA = "You are Ana Example. The desk lamp Heron flickers and you want your money back, best on your gift card. You keep the bulb and the floor lamp."
_CHIDI = "You are Chidi Placeholder. You want a refund that is not allowed any more."

TASKS = [
    Task(0, 0, 1.0, "ben_sample_2090", "You are Ben Sample and want to know where your parcel is.", [], support_runs.where_is_my_parcel),
    Task(1, 0, 1.0, "lena_sample_5158", "You are Lena Sample. You want to cancel the pendant lamp.", [_BELL], support_runs.cancel_a_pending_order),
    Task(2, 0, 0.0, "ana_example_4471", _ANA, [_HERON], support_runs.refund_to_the_wrong_card),
    Task(3, 0, 1.0, "zoe_example_7716", "You are Zoë Müller-Example 🌻 and moved to Bonn.", [_LIGHTS], support_runs.change_an_address),
    Task(4, 0, 1.0, "chidi_placeholder_3305", _CHIDI, [], support_runs.too_late_for_a_refund),
    Task(5, 0, 1.0, "mei_sample_8812", "You are Mei Sample and mistype your order number and your e-mail address.", [_WREN], support_runs.mistyped_order),
    Task(6, 0, 0.0, "omar_example_6024", "You are Omar Example. You want to return the dimmer only.", [_DIMMER], support_runs.cut_short),
    Task(2, 1, 1.0, "ana_example_4471", _ANA, [_HERON], support_runs.refund_to_the_right_card),
]


def write(folder: Path, *, rehearse: bool = False) -> None:
    """Write the three files into a folder; there is nothing to rehearse."""
    write_json(folder / "lamp-shop.tau.json", [_run(task) for task in TASKS])
    write_json(folder / "broken-shade.messages.json", _photo_chat().messages)
    write_lines(folder / "late-parcel.http.jsonl", _exchanges())


def _run(task: Task) -> Record:
    # Both trials of a task deal from one seed: real files of this kind have the same ids in several runs.
    chat = Chat(Ids(f"support_refund {task.task_id}"), POLICY, tool=Shop().call)
    task.tell(chat)
    digest = hashlib.sha256(repr(task.actions).encode()).hexdigest()
    asked = {"user_id": task.user_id, "actions": task.actions, "instruction": task.instruction, "outputs": []}
    return tau_run(chat, task_id=task.task_id, trial=task.trial, reward=task.reward, task=asked, digest=digest)


def _photo_chat() -> Chat:
    """Return a chat with a photo, two calls in one message and an empty text."""
    ids = Ids("support_refund photo")
    chat = Chat(ids, POLICY, tool=Shop().call)
    photo = {"type": "image_url", "image_url": {"url": PHOTO, "detail": "low"}}
    chat.user([{"type": "text", "text": "The shade arrived like this.\r\nOrder #L10466, mei@example.com"}, photo])
    asked = {"find_user_by_email": {"email": "mei@example.com"}, "get_order_details": {"order_id": "#L10466"}}
    calls = [tool_call(ids.call(), name, arguments) for name, arguments in asked.items()]
    chat.messages.append({"content": "", "role": "assistant", "tool_calls": calls})
    for call, (name, arguments) in zip(calls, asked.items(), strict=True):
        chat.answer(call["id"], name, arguments)
    chat.agent("I can see the crack in the shade, I'm sorry. Shall I refund 44.50 to the credit card ending in 1187? (yes/no)")
    chat.user("Yes")
    chat.call("refund_order", order_id="#L10466", amount=44.5, payment_method_id="credit_card_1187", reason="arrived broken")
    chat.agent("Done: 44.50 goes back to your card. You don't have to send the broken shade back.")
    return chat


def _exchanges() -> list[Record]:
    """Return the requests and responses of one chat; the second request is refused once and sent again."""
    ids = Ids("support_refund exchanges")
    clock = Clock(datetime(2026, 4, 14, 8, 31, 0, tzinfo=UTC))
    chat = Chat(ids, POLICY, tool=Shop().call)
    chat.user("Where is my order #L10513?")
    call = tool_call(ids.call(), "track_parcel", {"order_id": "#L10513"})
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    answered = {"role": "assistant", "content": "It was in Hannover last night and should arrive tomorrow, 15 April."}
    busy = {"error": {"message": "Rate limit reached for gpt-4o. Try again in 2s.", "type": "tokens", "param": None, "code": "rate_limit_exceeded"}}
    first = _exchange(chat, 200, completion(asked, ids=ids, created=clock.epoch, tokens=(371, 18)))
    chat.messages.append(asked)
    chat.answer(call["id"], "track_parcel", {"order_id": "#L10513"})
    clock.tick(6)
    return [first, _exchange(chat, 429, busy), _exchange(chat, 200, completion(answered, ids=ids, created=clock.epoch, tokens=(452, 21)))]


def _exchange(chat: Chat, status: int, response: Record) -> Record:
    parameters = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
    tools = [{"type": "function", "function": {"name": "track_parcel", "description": "Say where a parcel is.", "parameters": parameters}}]
    request = {"messages": list(chat.messages), "model": "gpt-4o", "stream": False, "tool_choice": "auto", "tools": tools}
    return {"method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "request": request, "status": status, "response": response}
