"""What a person may set of the evidence check; a setting that cannot be is refused when it is made."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from agentnb.errors import ScriptError
from agentnb.scripts.evidence.words import forms_of, normalize

Posture: TypeAlias = Literal["assist", "guard", "rails"]
POSTURES: Final = ("assist", "guard", "rails")
MIN_DIGITS: Final = 4
LONGEST_INSTRUCTION: Final = 4_000


class Shape(NamedTuple):
    """A name for tokens of a form that an application knows, such as `ticket` for `abc-defg`; digits are not required."""

    name: str
    """What such tokens are called in the result."""
    match: str | re.Pattern[str]
    """What the whole token is, in lower case."""


class EvidenceOptions:
    """Settings of the check.

    Args:
        posture: assist only reports; guard asks the model for one revision; rails refuses the answer after it.
        shapes: forms of tokens that are looked up whatever they look like; names are unique.
        exempt: texts, and regular expressions for whole tokens, that are never candidates.
        min_digits: digits from which a number is a candidate.
        code: match also compares code in the answer with the programs that ran.
        nudge: whether the answer is about to be nudged anyway, so that it is not judged.
        recovery_instruction: what is said to the model after the library's own words, at most 4,000 characters.

    Raises:
        ScriptError: a setting that cannot be; the message names it.
    """

    def __init__(
        self,
        *,
        posture: Posture = "assist",
        shapes: tuple[Shape | tuple[str, str | re.Pattern[str]], ...] | list[Any] = (),
        exempt: tuple[str | re.Pattern[str], ...] | list[Any] = (),
        min_digits: int = MIN_DIGITS,
        code: Literal["match"] | None = None,
        nudge: bool = False,
        recovery_instruction: str | None = None,
    ) -> None:
        if posture not in POSTURES:
            raise ScriptError(f"posture is assist, guard or rails, not {posture!r}.")
        if type(min_digits) is not int or min_digits < 1:
            raise ScriptError(f"min_digits is a whole number from 1, not {min_digits!r}.")
        if code not in (None, "match"):
            raise ScriptError(f"code is 'match' or left out, not {code!r}.")
        if not isinstance(nudge, bool):
            raise ScriptError(f"nudge is True or False, not {nudge!r}.")
        if recovery_instruction is not None and (not isinstance(recovery_instruction, str) or _utf16(recovery_instruction) > LONGEST_INSTRUCTION):
            raise ScriptError(f"recovery_instruction is a text of at most {LONGEST_INSTRUCTION} characters.")
        self.posture: Posture = posture
        self.min_digits = min_digits
        self.code = code
        self.nudge = nudge
        self.recovery_instruction = recovery_instruction
        self.shapes = _shapes(shapes)
        self.exempt_patterns, self.exempt_texts = _exempt(exempt)

    def is_exempt(self, token: str) -> bool:
        """Say whether a token in normal form was declared exempt."""
        return token in self.exempt_texts or any(pattern.fullmatch(token) for pattern in self.exempt_patterns)

    def shape_of(self, token: str) -> str | None:
        """Return the name of the first declared shape that the whole token has."""
        return next((name for name, pattern in self.shapes if pattern.fullmatch(token)), None)

    def __repr__(self) -> str:
        """Show the settings that a reader wants to know."""
        return f"EvidenceOptions(posture={self.posture!r}, min_digits={self.min_digits}, shapes={[name for name, _ in self.shapes]})"


def _shapes(given: Any) -> tuple[tuple[str, re.Pattern[str]], ...]:
    shapes: list[tuple[str, re.Pattern[str]]] = []
    for shape in _listed(given, "shapes"):
        name, match = shape if isinstance(shape, tuple) and len(shape) == 2 else (None, None)
        if not isinstance(name, str) or not name.strip():
            raise ScriptError(f"shapes: each has a name that is not blank and a regular expression, not {shape!r}.")
        if name in [known for known, _ in shapes]:
            raise ScriptError(f"shapes: the name {name!r} is given twice.")
        shapes.append((name, _pattern(match, f"shapes: {name}")))
    return tuple(shapes)


def _exempt(given: Any) -> tuple[tuple[re.Pattern[str], ...], frozenset[str]]:
    items = _listed(given, "exempt")
    wrong = next((item for item in items if not isinstance(item, str | re.Pattern)), None)
    if wrong is not None:
        raise ScriptError(f"exempt holds texts and regular expressions, not {wrong!r}.")
    texts = [normalize(item) for item in items if isinstance(item, str)]
    patterns = tuple(_pattern(item, "exempt") for item in items if isinstance(item, re.Pattern))
    return patterns, frozenset(form for text in texts if text for form in forms_of(text))


def _pattern(match: Any, where: str) -> re.Pattern[str]:
    """Take a regular expression for a whole token in lower case, without the flags that mean lines."""
    try:
        if isinstance(match, re.Pattern) and isinstance(match.pattern, str):
            return re.compile(match.pattern, (match.flags & ~(re.MULTILINE | re.UNICODE)) | re.ASCII)
        if isinstance(match, str):
            return re.compile(match, re.ASCII)
    except re.error as error:
        raise ScriptError(f"{where}: {match!r} is no regular expression: {error}.") from error
    raise ScriptError(f"{where}: a regular expression is expected, not {match!r}.")


def _listed(given: Any, name: str) -> list[Any]:
    if not isinstance(given, list | tuple) or isinstance(given, Shape):
        raise ScriptError(f"{name} is a list, not {given!r}.")
    return list(given)


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
