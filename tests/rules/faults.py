"""Runs with known faults, and healthy ones: made by a generator, in English and French, to measure what the rules find and what they accuse wrongly.

Some wordings lie outside of the word lists on purpose, and some healthy runs look like faults: a measure that is perfect would measure nothing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agentnb.rules import runs_of_turn
from agentnb.rules._hits import hits_of_runs
from agentnb.values import Call, Message, Part, Turn

KINDS: dict[str, Callable[[random.Random, str], Made]] = {}
LANGUAGES = ("en", "fr")


class Made(NamedTuple):
    """A run and the rules that should fire in it."""

    turn: Turn
    rules: frozenset[str]
    """Empty for a healthy run."""
    options: Mapping[str, Any] = {}


class Labelled(NamedTuple):
    """A run with its kind and language."""

    kind: str
    language: str
    made: Made


class Measured(NamedTuple):
    """How one rule did over labelled runs."""

    rule: str
    labelled: int
    found: int
    accused: int
    """Runs in which it fired though it should not have."""
    healthy_accused: int
    """Healthy runs among them."""

    @property
    def precision(self) -> float | None:
        """Share of the runs it fired in that have its fault."""
        return self.found / (self.found + self.accused) if self.found + self.accused else None

    @property
    def recall(self) -> float | None:
        """Share of the runs with its fault that it fired in."""
        return self.found / self.labelled if self.labelled else None


def labelled_runs(each: int = 12, seed: int = 5) -> Iterator[Labelled]:
    """Yield runs of every kind in both languages; equal seeds give equal runs.

    Args:
        each: runs per kind and language.
        seed: of the random choices.
    """
    for kind, make in sorted(KINDS.items()):
        for language in LANGUAGES:
            for number in range(each):
                rng = random.Random(f"{seed}/{kind}/{language}/{number}")
                made = make(rng, language)
                turn_id = f"{kind}-{language}-{number}"
                yield Labelled(kind, language, made._replace(turn=_named(made.turn, turn_id)))


def measure(runs: Iterable[Labelled]) -> list[Measured]:
    """Let the default rules look at runs, with their own nudges counted as sent, and say how each did."""
    found: dict[str, list[tuple[Labelled, bool]]] = {}
    labelled: dict[str, int] = {}
    for run in runs:
        for rule in run.made.rules:
            labelled[rule] = labelled.get(rule, 0) + 1
        for rule in rules_that_fire(run.made):
            found.setdefault(rule, []).append((run, rule in run.made.rules))
    rules = sorted({*labelled, *found})
    return [
        Measured(
            rule, labelled.get(rule, 0), sum(good for _, good in found.get(rule, ())), sum(not good for _, good in found.get(rule, ())),
            sum(not run.made.rules for run, _ in found.get(rule, ())),
        )
        for rule in rules
    ]  # fmt: skip


def rules_that_fire(made: Made) -> set[str]:
    """Return the codes of the rules that fire in a run."""
    return {hit[8] for hit in hits_of_runs(runs_of_turn(made.turn), countings=("counterfactual",), **made.options)}


class Maker:
    """Writes a turn down, step by step."""

    def __init__(self, prompt: str) -> None:
        """Start with what a person says."""
        self.calls = [self._call(call_id="t", kind="agent", name="agent", index=0)]
        self.messages = [Message(message_index=0, role="user", parts=(self._part(0, 0, "user", "text", prompt),))]
        self.prompt = prompt

    def say(self, text: str, reason: str | None = "stop") -> Maker:
        """Add a step that only says something."""
        return self.step(text, reason=reason)

    def step(self, text: str | None, *tools: Mapping[str, Any], reason: str | None = None) -> Maker:
        """Add a step with what it said and the tool calls it asked for, each with its result."""
        model = self._call(kind="model", name="model", parent_call_id="t", finish_reason=reason or ("tool_use" if tools else "stop"))
        self.calls.append(model)
        made = []
        for tool in tools:
            put = json.dumps(tool.get("input", {}), ensure_ascii=False)
            failed = bool(tool.get("failed") or tool.get("exit_code"))
            known = {
                "input": put,
                "output": tool.get("output", "ok"),
                "exit_code": tool.get("exit_code"),
                "failed": failed,
                "state": "failed" if failed else "done",
            }
            made.append(self._call(kind="tool", name=tool["name"], parent_call_id="t", step_id=model.call_id, **known))
            self.calls.append(made[-1])
        index, step = len(self.messages), model.call_id
        parts = [self._part(index, 0, "assistant", "text", text, step)] if text is not None else []
        parts += [self._part(index, at + 1, "assistant", "tool_call", None, step, call.call_id) for at, call in enumerate(made)]
        if parts:
            self.messages.append(Message(message_index=index, role="assistant", parts=tuple(parts)))
        return self

    def turn(self, state: str | None = "done") -> Turn:
        """Return the turn."""
        answer = next((part.text for message in reversed(self.messages) for part in message.parts if part.role == "assistant" and part.type == "text"), None)
        return Turn(
            turn_id="t", conversation_id="k", turn_index=0, state=state, prompt=self.prompt, answer=answer, source_id="s",  # type: ignore[arg-type]
            calls=tuple(self.calls), messages=tuple(self.messages),
        )  # fmt: skip

    def _call(self, *, index: int | None = None, **fields: Any) -> Call:
        place = len(self.calls) if index is None else index
        needed: dict[str, Any] = {"call_id": f"c{place}", "conversation_id": "k", "turn_id": "t", "call_index": place, "source_id": "s", "state": "done"}
        return Call(**needed | fields)

    @staticmethod
    def _part(message: int, at: int, role: Any, kind: Any, text: str | None, step: str | None = None, call: str | None = None) -> Part:
        return Part(conversation_id="k", turn_id="t", message_index=message, part_index=at, role=role, type=kind, text=text, step_id=step, call_id=call,
                    agent_call_id="t", source_id="s")  # fmt: skip


def _named(turn: Turn, turn_id: str) -> Turn:
    """Give a turn an id of its own, in all that points to it."""

    def renamed(value: Any) -> Any:
        changes = {
            name: turn_id if held == "t" else f"{turn_id}/{held}"
            for name in ("turn_id", "call_id", "parent_call_id", "step_id", "agent_call_id")
            if (held := getattr(value, name, None))
        }
        return value.model_copy(update=changes)

    messages = tuple(message.model_copy(update={"parts": tuple(map(renamed, message.parts))}) for message in turn.messages)
    return turn.model_copy(update={"turn_id": turn_id, "calls": tuple(map(renamed, turn.calls)), "messages": messages})


FILES = ("src/parser.py", "src/dates.py", "app/server.ts", "lib/cache.go", "src/money.rs", "web/cart.js")
ASKED = {
    "en": ("Fix the failing date parser.", "Add a discount to the cart.", "Why is the build slow?"),
    "fr": ("Corrige le calcul de la TVA.", "Ajoute un cache au serveur.", "Pourquoi la page est-elle lente ?"),
}
DONE = {
    "en": (
        "The parser accepts two-digit years again; all 14 tests pass.",
        "Fixed. The discount is applied before tax, and the suite is green.",
        "The cache is in place and the checks are clean.",
    ),
    "fr": ("Le calcul est corrigé et les 14 tests passent.", "C'est fait : le cache répond, la suite est verte.", "Le bug est corrigé, tout est vert."),
}


def read(path: str, output: str = "") -> dict[str, Any]:
    """Make a read of a file."""
    return {"name": "Read", "input": {"file_path": path}, "output": output or f"1\timport os  # {path}"}


def look_up(number: int) -> dict[str, Any]:
    """Make a look-up of a page or a record."""
    name, put = ("web_search", "query") if number % 2 else ("get_booking_details", "booking_id")
    return {"name": name, "input": {put: f"B{number}"}, "output": f"price {number}"}


def edit(path: str, change: str = "x") -> dict[str, Any]:
    """Make an edit of a file."""
    return {"name": "Edit", "input": {"file_path": path, "old_string": "a", "new_string": change}, "output": f"The file {path} has been updated."}


def run_tests(green: bool, number: int = 14) -> dict[str, Any]:
    """Make a run of the tests."""
    summary = f"{number} passed in 0.41s" if green else f"FAILED tests/test_dates.py::test_leap\n2 failed, {number - 2} passed in 0.44s"
    return {"name": "Bash", "input": {"command": "python -m pytest -q"}, "output": summary, "exit_code": 0 if green else 1}


def kind(make: Callable[[random.Random, str], Made]) -> Callable[[random.Random, str], Made]:
    """Register a kind of run by the name of its function."""
    KINDS[make.__name__.strip("_")] = make
    return make


def asked(rng: random.Random, language: str) -> Maker:
    """Start a turn with an ordinary request."""
    return Maker(rng.choice(ASKED[language]))


def among(rng: random.Random, language: str, **texts: Sequence[str]) -> str:
    """Choose a text in a language."""
    return rng.choice(texts[language])
