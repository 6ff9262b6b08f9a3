"""Berkeley Function Calling Leaderboard: results, one task a line, with one turn or many, and score files with the tasks that were not solved.

A call of a single turn is never run, so it stays unanswered. A result holds no prompt unless its log of the inference is there; a score file does. A call
that a model wrote as Python (`[f(x=1)]`) is read as a call too. Records are the lines; the first line of a score file holds totals and is skipped, and a
score whose result is among the files is merged with it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeGuard

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, count_in, read_arguments, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.dialects.chat import content_of, is_message

_MEASURES = ("input_token_count", "output_token_count", "latency")
_SCORED = ("error", "error_type", "model_result_raw", "model_result_decoded", "model_result", "valid")
_READ = frozenset({"id", "idx", "result", "inference_log", "prompt", "model_result_raw", "valid", "error_type", "test_category", "model_name", *_MEASURES})
_CATEGORY = re.compile(r"(.+?)_\d+(?:[-_]\d+)*$")
_STEP = re.compile(r"step_(\d+)")


def _matches(sample: Sample) -> bool:
    values = [value for value in (sample.values if sample.shape == "lines" else (sample.document,)) if isinstance(value, dict)]
    if sample.shape not in ("lines", "document") or not values:
        return False
    return _is_summary(values[0]) or sum(map(_is_entry, values)) * 2 > len(values)


def _is_summary(value: dict[str, Any]) -> bool:
    return "accuracy" in value and "total_count" in value and "id" not in value


def _is_entry(value: Any) -> bool:
    if not isinstance(value, dict) or ("id" not in value and "idx" not in value):
        return False
    return ("result" in value and any(name in value for name in _MEASURES)) or ("valid" in value and sum(name in value for name in _SCORED) > 2)


def _keys(sample: Sample) -> set[str]:
    """Tasks have the same ids in the files of all models, so all files are read together, and equal ids told apart."""
    return {"bfcl"}


class _Score(NamedTuple):
    """What a score file says of a task that was not solved."""

    entry: dict[str, Any]
    place: int
    account: Account


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    scores: dict[str, list[_Score]] = {}
    for file in sorted(files, key=lambda file: not _holds_scores(file)):
        for place, value in read_values(file, on_bytes):
            if not _is_entry(value):
                _skip(value, place, file.account)
            elif "result" in value:
                score = _take_score(scores, value, file)
                _read_entry(score.entry | value if score is not None else value, value, place, apart, file.account)
            else:
                scores.setdefault(_told(value), []).append(_Score(value, place, file.account))
    for score in (score for waiting in scores.values() for score in waiting):
        _read_entry(score.entry, score.entry, score.place, apart, score.account)


def _skip(value: Any, place: int, account: Account) -> None:
    if isinstance(value, dict) and _is_summary(value):
        account.skip("totals")
    else:
        account.leave_out("no_result", "The line is no result and no score of the leaderboard; it was left out.", line=place, excerpt=value)


def _holds_scores(file: OpenFile) -> bool:
    first = file.sample.values[0] if file.sample.values else file.sample.document
    return isinstance(first, dict) and (_is_summary(first) or ("valid" in first and "result" not in first))


def _task(entry: dict[str, Any]) -> str:
    return text_of(entry.get("id", entry.get("idx"))) or ""


def _told(entry: dict[str, Any]) -> str:
    """Return the task and what a model answered: the same in a result and in the score of it."""
    return to_json([_task(entry), entry.get("result", entry.get("model_result_raw"))])


def _take_score(scores: dict[str, list[_Score]], entry: dict[str, Any], file: OpenFile) -> _Score | None:
    """Take the score of a result: results stand in a folder with the name of the model, scores name it; of one model alone no folder need tell."""
    waiting = scores.get(_told(entry), [])
    found = next((score for score in waiting if score.entry.get("model_name") in file.path.parts), None)
    if found is None and len(waiting) == 1 and len({str(score.entry.get("model_name")) for group in scores.values() for score in group}) == 1:
        found = waiting[0]
    if found is not None:
        waiting.remove(found)
        found.account.merge()
    return found


def _read_entry(entry: dict[str, Any], named: dict[str, Any], place: int, apart: Apart, account: Account) -> None:
    told = [named.get("result", named.get("model_result_raw")), named.get("model_name")]
    digest = digest_of(["bfcl", told], 4)
    _Entry(entry, place, apart.start(f"{_task(entry)}-{digest}", account, line=place), account).read()


class _Entry:
    """Reads one task."""

    def __init__(self, entry: dict[str, Any], place: int, draft: ConversationDraft, account: Account) -> None:
        self.entry = entry
        self.place = place
        self.draft = draft
        self.account = account
        self.reader = MessageList(draft.main, account)

    def read(self) -> None:
        """Read the turns of a task, then what is said of it."""
        self.account.keep()
        log = self.entry.get("inference_log")
        logged = [item for item in log if isinstance(item, dict) and "begin_of_turn_query" in item] if isinstance(log, list) else []
        if logged:
            self._read_log(logged)
        else:
            self._read_result()
        self.reader.finish()
        self._note(has_log=bool(logged))
        self.draft.finish()

    def _read_result(self) -> None:
        result = self.entry.get("result", self.entry.get("model_result_raw"))
        asked = self._questions()
        turns: list[list[Any]] = result if _is_many_turns(result) else [[result]]
        for index, steps in enumerate(turns):
            if index < len(asked):
                self._say_question(asked[index])
            if index >= len(asked) or not self.draft.turns:
                self.reader.start_turn(str(index + 1), at=None, line=self.place)
            for number, step in enumerate(steps):
                self._say_step(step, index, number, several=turns is result)

    def _questions(self) -> list[Any]:
        """Return what was asked, turn by turn: a score file repeats it."""
        prompt = self.entry.get("prompt")
        question = prompt.get("question") if isinstance(prompt, dict) else prompt
        if not isinstance(question, list):
            return [[{"role": "user", "content": question}]] if isinstance(question, str) else []
        return question if question and all(isinstance(item, list) for item in question) else [question]

    def _say_question(self, messages: Any) -> None:
        for message in messages if isinstance(messages, list) else []:
            if is_message(message) and message["role"] in ("system", "user"):
                self.reader.read([Said(message["role"], self.place, (Piece("text", content_of(message)),), records=0)])

    def _say_step(self, step: Any, turn: int, number: int, *, several: bool) -> None:
        pieces, asked = _read_step(step)
        usage = self._measures(turn, number) if several else self._measures(None, None)
        self.reader.read([Said("assistant", self.place, pieces, asked, usage=usage, records=0)])

    def _measures(self, turn: int | None, number: int | None) -> dict[str, Any]:
        tokens = [count_in(_at(self.entry.get(name), turn, number)) for name in _MEASURES[:2]]
        found = {"input_tokens": tokens[0], "output_tokens": tokens[1], "seconds": amount_in(_at(self.entry.get("latency"), turn, number))}
        return {name: value for name, value in found.items() if value is not None}

    def _read_log(self, logged: list[dict[str, Any]]) -> None:
        for index, turn in enumerate(logged):
            self._say_question(turn["begin_of_turn_query"])
            if len(self.draft.turns) <= index:
                self.reader.start_turn(str(index + 1), at=None, line=self.place)
            for number, step in enumerate(_steps_in(turn)):
                self._say_logged(step, index, number)

    def _say_logged(self, step: list[Any], turn: int, number: int) -> None:
        entries = [item for item in step if isinstance(item, dict)]
        result = _at(self.entry.get("result"), turn, number)
        reply = next((item for item in entries if item.get("role") == "assistant"), None)
        told = result if result is not None else reply.get("content") if reply is not None else None
        pieces, asked = _read_step(told)
        decoded = next((item["model_response_decoded"] for item in entries if item.get("model_response_decoded")), None)
        asked = asked or tuple(_asked_in(decoded))
        thought = text_of(reply.get("reasoning_content")) if reply is not None else None
        pieces = ((Piece("reasoning", thought),) if thought else ()) + pieces
        rest = [item for item in entries if item.get("role") == "handler_log"]
        extra = to_json({"handler_log": rest}) if rest else None
        self.reader.read([Said("assistant", self.place, pieces, asked, usage=self._measures(turn, number), extra=extra, records=0)])
        for item in entries:
            if item.get("role") == "tool":
                output = text_of(item.get("content"))
                self.reader.read([Said("tool", self.place, (Piece("text", output),) if output is not None else (), loose=not asked, records=0)])

    def _note(self, *, has_log: bool) -> None:
        entry, draft = self.entry, self.draft
        task = _task(entry)
        match = _CATEGORY.match(task)
        labels = {
            "task": task or None,
            "category": entry.get("test_category") or (match.group(1) if match else None),
            "valid": entry.get("valid"),
            "error_type": entry.get("error_type"),
        }
        draft.labels |= {name: value for name, value in labels.items() if value is not None}
        draft.row.model = text_of(entry.get("model_name"))
        read = _READ - (set() if has_log else {"inference_log"})
        draft.extra |= rest_of(entry, read)
        prompt = entry.get("prompt")
        if isinstance(prompt, dict):
            draft.extra |= {"prompt": {name: value for name, value in prompt.items() if name != "question"}}
        if draft.turns and (entry.get("valid") is False or entry.get("error_type") is not None):
            draft.turns[-1].state = "failed"


def _is_many_turns(result: Any) -> TypeGuard[list[list[Any]]]:
    """Tell a list of turns, each a list of steps, from a list of calls."""
    return isinstance(result, list) and bool(result) and all(isinstance(turn, list) for turn in result)


def _at(values: Any, turn: int | None, number: int | None) -> Any:
    """Return what stands for a step in lists of lists; of a single turn the value itself."""
    if turn is None or number is None:
        return values
    of_turn = values[turn] if isinstance(values, list) and turn < len(values) else None
    return of_turn[number] if isinstance(of_turn, list) and number < len(of_turn) else None


def _steps_in(turn: dict[str, Any]) -> list[list[Any]]:
    numbered = [(int(match.group(1)), value) for name, value in turn.items() if (match := _STEP.fullmatch(name)) and isinstance(value, list)]
    return [value for _, value in sorted(numbered, key=lambda item: item[0])]


def _read_step(step: Any) -> tuple[tuple[Piece, ...], tuple[Asked, ...]]:
    """Return the words and the calls of a reply: a list of calls, the same as JSON in a text, calls written as Python, or only words."""
    if not isinstance(step, str):
        asked = tuple(_asked_in(step))
        return (() if asked or step is None or step == [] else (Piece("text", text_of(step)),)), asked
    parsed = parse_json(step.encode()) if step.lstrip().startswith("[") else None
    asked = tuple(_asked_in(parsed.value)) if parsed is not None and parsed.ok else ()
    return ((), asked) if asked else ((Piece("text", step),), tuple(_python_calls(step)))


def _asked_in(calls: Any) -> Iterator[Asked]:
    """Yield the calls of a list of objects with a function's name and its arguments, or of texts of Python."""
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            for name, given in call.items():
                arguments = read_arguments(given)
                yield Asked(None, name, arguments.text, None, arguments.oddities)
        elif isinstance(call, str):
            yield from _python_calls(call)


def _python_calls(text: str) -> Iterator[Asked]:
    """Yield the calls that a text is, when it is nothing but calls with literal arguments; nothing of it is evaluated."""
    try:
        body = ast.parse(text.strip(), mode="eval").body
        found = body.elts if isinstance(body, ast.List) else [body]
        calls = [_python_call(item) for item in found]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    if all(calls):
        yield from (call for call in calls if call is not None)


def _python_call(item: ast.expr) -> Asked | None:
    if not isinstance(item, ast.Call):
        return None
    given: dict[str, Any] = {word.arg or f"**{index}": ast.literal_eval(word.value) for index, word in enumerate(item.keywords)}
    given |= {str(index): ast.literal_eval(value) for index, value in enumerate(item.args)}
    return Asked(None, ast.unparse(item.func), to_json(given))


READER = Reader(format="bfcl", title="Berkeley Function Calling Leaderboard (results, scores)", matches=_matches, keys=_keys, read=_read)
