"""The story mail_desk: a program that sorts the mail of a lamp shop, under two models, and what two people said of a draw of its answers."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from data.make.chat import completion, write_lines
from data.make.clock import Clock
from data.make.ids import Ids

Record = dict[str, Any]

PROMPT: Final = (
    'You sort the mail of the lamp shop Lumen & Leaf. Answer with JSON alone: {"desk": "orders" | "refunds" | "repairs" | "other", "urgent": true | false}. '
    "Money back goes to refunds, anything broken that should be mended to repairs. Urgent is what is dangerous, or must happen today."
)
MODELS: Final = ("invented-model-1", "invented-model-2")
# What is asked, the right desk, whether it is urgent, and which of the models get it wrong how often: desks they mistake, of every so many mails.
KINDS: Final = (
    ("Where is my order {order}? It should have come on Tuesday.", "orders", False, (None, None)),
    ("Please send {order} to my office instead of my home.", "orders", False, (None, None)),
    ("The lamp of order {order} flickers. I want my money back.", "refunds", False, ("repairs", None)),
    ("The shade of {order} came in two pieces. Can you send a new one?", "repairs", False, ("refunds", None)),
    ("My lamp from {order} smells burnt and the plug is hot!", "repairs", True, (None, None)),
    ("I cancelled {order} a week ago and was charged all the same.", "refunds", False, (None, "orders")),
    ("Do you have the floor lamp Reed in green?", "other", False, (None, None)),
    ("I move out today, please stop {order} before it is sent.", "orders", True, (None, None)),
)
ROUNDS: Final = 12
"""Mails of each kind."""


def write(folder: Path, *, rehearse: bool = False) -> None:
    """Write the exchanges and what people said of them."""
    mails = [(number, *KINDS[number % len(KINDS)]) for number in range(ROUNDS * len(KINDS))]
    write_lines(folder / "sorted.http.jsonl", _exchanges(mails))
    with (folder / "said.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["mail", "by", "desk", "urgent"])
        rows.writerows(_said(mails))


def _exchanges(mails: list[tuple[Any, ...]]) -> list[Record]:
    clock, made = Clock(datetime(2026, 4, 20, 7, 0, 0, tzinfo=UTC)), list[Record]()
    for place, model in enumerate(MODELS):
        ids = Ids(f"mail_desk {model}")
        for number, mail, desk, urgent, mistakes in mails:
            wrong = mistakes[place] if number % 3 else None
            # The first model never sees that something is urgent when the mail does not say so in capitals or with an exclamation mark.
            answer = {"desk": wrong or desk, "urgent": urgent and (place == 1 or "!" in mail)}
            clock.tick(40)
            made.append(_exchange(_mail(number, mail), json.dumps(answer), model, ids, clock))
        clock.tick(86_400 * 7 - 40 * len(mails))
    return made


def _mail(number: int, mail: str) -> str:
    return f"Mail {number + 1}: {mail.format(order=f'#L1{600 + number}')}"


def _exchange(mail: str, answer: str, model: str, ids: Ids, clock: Clock) -> Record:
    request = {"model": model, "messages": [{"role": "system", "content": PROMPT}, {"role": "user", "content": mail}]}
    said = {"role": "assistant", "content": answer}
    response = {**completion(said, ids=ids, created=clock.epoch, tokens=(118, 14)), "model": model}
    return {"method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "request": request, "status": 200, "response": response}


def _said(mails: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Say what each person thinks right: Ben takes a burnt smell for a case of money back, and sees no hurry in a move."""
    rows: list[tuple[Any, ...]] = []
    for number, mail, desk, urgent, _ in mails:
        rows.append((number + 1, "ana", desk, str(urgent).lower()))
        if number % 2 == 0 or "burnt" in mail:
            own = "refunds" if "burnt" in mail and number % 3 == 0 else desk
            rows.append((number + 1, "ben", own, str(urgent and "move" not in mail).lower()))
    return rows
