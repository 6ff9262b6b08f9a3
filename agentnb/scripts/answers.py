"""What travels with an answer: the programs that ran for it, how they ended and what is withheld, told by the framework and not by the model.

How agentfootprint renders this is not public. The rules around it (composed once, appended after every check, nothing to say leaves the answer as it
is, nothing is appended to an answer that is data) are those of its sibling for limits; the block and the comparison of code are our own design.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from agentnb.scripts.declaration import MAX_SCRIPT_BYTES
from agentnb.values import ScriptRow, Value

HEADING: Final = "Programs run for this answer – recorded by the framework, not by the model"
MOST_ENTRIES: Final = 12
"""Programs that are listed; the rest is counted."""
_FENCE = re.compile(r"^[ ]{0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")
_TICKS = re.compile(r"`{3,}")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,40}")


class AnswerCode(Value):
    """A code block of an answer, compared with the programs of its turn; a match proves only that this program was submitted."""

    block: int
    """Place among the code blocks of the answer, from 0."""
    language: str | None = None
    """The word after the fence; null when there is none."""
    verdict: Literal["matched", "no-matching-script", "cannot-compare"]
    """matched, no-matching-script, or cannot-compare where a program is too long to be kept."""
    dispatch: int | None = None
    """Number of the program that it equals."""
    text: str
    """The code as the answer has it."""


def with_scripts(answer: str, rows: Iterable[Any], *, turn: int, programs: Mapping[int, str] | None = None, limit: int = MAX_SCRIPT_BYTES) -> str:
    """Append to an answer which programs ran for it, from the rows of its turn alone.

    Args:
        answer: the answer as the model gave it.
        rows: a ledger, or the script rows of a recorded turn; rows of other kinds and turns are left out.
        turn: number of the turn that answered, from 1.
        programs: texts of recorded programs by dispatch, for rows that no longer hold theirs.
        limit: bytes up to which texts are kept, for the words that say why one is missing.

    Returns:
        The answer with the block; the same answer, byte for byte, when no program ran, or when it is JSON, which nothing is appended to.
    """
    own = _of_turn(rows, turn)
    if not own or _is_data(answer):
        return answer
    block = scripts_block(own, programs=programs, limit=limit)
    said = answer.rstrip()
    return f"{said}\n\n---\n\n{block}" if said else block


def scripts_block(rows: Sequence[ScriptRow], *, programs: Mapping[int, str] | None = None, limit: int = MAX_SCRIPT_BYTES) -> str:
    """Write the block by itself: a heading, then per program its number, how it ended, its size, and its text or why that is missing."""
    listed = sorted(rows, key=lambda row: row.dispatch)
    entries = [_entry(row, (programs or {}).get(row.dispatch, row.text), limit) for row in listed[:MOST_ENTRIES]]
    left = len(listed) - MOST_ENTRIES
    more = [f"{left} more {'is' if left == 1 else 'are'} in the record."] if left > 0 else []
    return "\n\n".join([HEADING, *entries, *more])


def scripts_data(rows: Iterable[Any], *, turn: int) -> list[dict[str, Any]]:
    """Return what travels with an answer that is data: the rows of the turn as published, for the event that ends it."""
    return [row.model_dump(by_alias=True) for row in _of_turn(rows, turn)]


def answer_code(answer: str, rows: Iterable[Any], *, turn: int, programs: Mapping[int, str] | None = None) -> tuple[AnswerCode, ...]:
    """Compare the code blocks of an answer with the programs of its turn: whole against whole, after line ends are made equal.

    Args:
        answer: the answer.
        rows: a ledger, or the script rows of the turn.
        turn: number of the turn, from 1.
        programs: texts of recorded programs by dispatch.

    Returns:
        One verdict per block. Where a program of the turn has no text to compare with, a block without a match is not accused.
    """
    own = _of_turn(rows, turn)
    texts = {row.dispatch: (programs or {}).get(row.dispatch, row.text) for row in own}
    by_text: dict[str, int] = {}
    for dispatch, text in texts.items():
        if text is not None:
            by_text.setdefault(_comparable(text), dispatch)
    unknown = any(text is None for text in texts.values())
    found = []
    for place, (language, text) in enumerate(_blocks(answer)):
        equal = by_text.get(_comparable(text))
        verdict: Literal["matched", "no-matching-script", "cannot-compare"]
        verdict = "matched" if equal is not None else "cannot-compare" if unknown else "no-matching-script"
        found.append(AnswerCode(block=place, language=language or None, verdict=verdict, dispatch=equal, text=text))
    return tuple(found)


def export_scripts(rows: Iterable[ScriptRow], *, redact: bool = False) -> list[dict[str, Any]]:
    """Write script rows as published, to hand them on.

    Args:
        rows: the rows.
        redact: whether the programs are left out, which quote the data they were given.

    Returns:
        One object per row, in camelCase, what is absent left out; sizes stay also without text.
    """
    return [row.model_dump(by_alias=True, exclude={"text"} if redact else None) for row in rows]


def _of_turn(rows: Iterable[Any], turn: int) -> list[ScriptRow]:
    return sorted((row for row in rows if isinstance(row, ScriptRow) and row.turn == turn), key=lambda row: row.dispatch)


def _is_data(answer: str) -> bool:
    """Tell an answer that is data: JSON of an object or a list, and nothing besides."""
    if answer.strip()[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(answer), dict | list)
    except (ValueError, RecursionError):
        return False


def _entry(row: ScriptRow, text: str | None, limit: int) -> str:
    facts = [
        row.outcome,
        f"exit {row.exit_code}" if row.exit_code is not None else None,
        "service error" if row.service_error else None,
        "result withheld: over ceiling" if row.result_withheld else None,
        "rewritten before running" if row.rewritten else None,
    ]
    language = f" ({_one_line(row.language)})" if row.language else ""
    size = f"{row.lines} line{'' if row.lines == 1 else 's'}, {row.bytes} byte{'' if row.bytes == 1 else 's'}"
    head = f"#{row.dispatch} {_one_line(row.tool)}{language} – {', '.join(fact for fact in facts if fact)} – {size}"
    if text is None:
        return f"{head}\n{f'text not kept: over {limit} bytes' if row.bytes > limit else 'text not kept: its turn has ended'}"
    fence = "`" * max(3, 1 + max((len(ticks) for ticks in _TICKS.findall(text)), default=0))
    info = row.language if row.language and _LANGUAGE.fullmatch(row.language) else ""
    return f"{head}\n\n{fence}{info}\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{fence}"


def _one_line(text: str) -> str:
    """Keep what a model called a tool on one line, so that it can forge neither an entry nor a fence."""
    return " ".join(text.split())[:120].replace("`", "'")


def _blocks(answer: str) -> list[tuple[str, str]]:
    """Return language and code of every fenced block; one that is never closed reaches to the end, as in Markdown."""
    found: list[tuple[str, str]] = []
    fence, language, held = "", "", list[str]()
    for line in answer.replace("\r\n", "\n").split("\n"):
        match = _FENCE.match(line)
        if not fence:
            if match is not None:
                fence, language, held = match["fence"], match["info"].split(" ")[0].strip(), []
        elif match is not None and match["fence"].startswith(fence) and not match["info"].strip():
            found.append((language, "\n".join(held)))
            fence = ""
        else:
            held.append(line)
    return [*found, (language, "\n".join(held))] if fence else found


def _comparable(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\n")
