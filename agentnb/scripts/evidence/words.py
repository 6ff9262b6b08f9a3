"""TEXT -> TOKENS -> CANDIDATES: what of a text can be looked up, and in which forms.

The same function puts both sides into normal form, answer and evidence, so that only equal spellings need to be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from agentnb.scripts.evidence.options import EvidenceOptions

DECORATION_BEFORE: Final = "$#@+'\"`([{<"
DECORATION_AFTER: Final = ".,;:!?%'\"`)]}>"
EXACT_DIGITS: Final = 15
"""Digits up to which a number is compared as a number; longer ones are compared as texts."""
SHORTEST: Final = 4
"""Characters of the shortest identifier."""
_GROUPING: Final = "\u00a0\u202f\u2009'’"
"""What stands between groups of three digits in some languages, besides the comma; ours."""

PIECE = re.compile(
    rf"(?<![0-9A-Za-z:_\-/.,%@#])[+$-]?[0-9]{{1,3}}(?:[{_GROUPING}][0-9]{{3}}){{1,12}}(?![0-9A-Za-z{_GROUPING}])(?:[.,][0-9]{{1,15}})?|[A-Za-z0-9:_\-/.,%+@#$]+",
    re.ASCII,
)
_COMMA = re.compile(r"(?<![0-9]),|,(?![0-9])", re.ASCII)
_GROUPS = str.maketrans("", "", _GROUPING)
_THOUSANDS = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_NUMBER = re.compile(r"([-+]?)([0-9]++)(?:\.([0-9]++))?")
_RATIO = re.compile(r"[0-9]{1,2}/[0-9]{1,2}")
_GLUED = re.compile(r"([-+]?[0-9]++(?:\.[0-9]++)?)(?:[-/]?[a-z]{1,5}(?:/[a-z]{1,5})?)?")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[a-z]")
_STRUCTURE: Final = frozenset(":_-/.")


class Piece(NamedTuple):
    """A token and where it stands in its text."""

    token: str
    """The token in normal form."""
    start: int
    """Where it begins in the text."""
    end: int
    """Where it ends."""


class Candidate(NamedTuple):
    """A token of an answer that must stand in what the agent was shown."""

    value: str
    """What is looked up: the number without its unit, else the token."""
    kind: str
    """number, identifier, or the name of a declared shape."""
    glued: bool = False
    """Whether the number was read off a token that ends in a unit."""


def normalize(raw: str) -> str:
    """Bring a token into normal form: lower case, without the signs around it, a number without grouping, leading and trailing zeros.

    Example:
        >>> normalize("$41,200."), normalize("(007)"), normalize("1,2345")
        ('41200', '7', '1,2345')
    """
    token = raw.lower().strip().lstrip(DECORATION_BEFORE).rstrip(DECORATION_AFTER)
    if not token or not (token[0].isdigit() or token[0] in "-+"):
        return token
    if "," in token and _THOUSANDS.fullmatch(token):
        token = token.replace(",", "")
    match = _NUMBER.fullmatch(token)
    return token if match is None else _canonical(token, *match.groups(default=""))


def tokenize(text: str) -> list[str]:
    """Split a text into tokens in normal form: letters of ASCII, digits and the signs that hold names and numbers together.

    Example:
        >>> tokenize("fc1/3,fc1/4 x=12345 1,2,3")
        ['fc1/3', 'fc1/4', 'x', '12345', '1,2,3']
    """
    return [piece.token for piece in pieces_of(text)]


def pieces_of(text: str) -> Iterator[Piece]:
    """Split a text into tokens, each with its place, without the signs around it."""
    for match in PIECE.finditer(text):
        at = match.start()
        for raw in split_commas(match[0]):
            token = normalize(raw.translate(_GROUPS) if not raw.isascii() or "'" in raw else raw)
            if token:
                bare = raw.lstrip(DECORATION_BEFORE)
                start = at + len(raw) - len(bare)
                yield Piece(token, start, start + len(bare.rstrip(DECORATION_AFTER)))
            at += len(raw) + 1


def split_commas(piece: str) -> list[str]:
    """Split at commas that do not stand between two digits."""
    return _COMMA.split(piece) if "," in piece else [piece]


def forms_of(value: str) -> tuple[str, ...]:
    """Return the forms in which a value is looked up; the last is the canonical one. A hexadecimal number is also looked up without its `0x`."""
    return (value, value[2:]) if value.startswith("0x") and len(value) > 2 else (value,)


def classify(token: str, options: EvidenceOptions) -> Candidate | None:
    """Say whether a token in normal form is a candidate, and what is looked up of it.

    Args:
        token: a token as `tokenize` gives it.
        options: declared shapes, exempt tokens, and how many digits make a number one.

    Returns:
        The candidate; None when nothing is looked up: words, ratios, short numbers with or without a unit, short names.
    """
    if not token or options.is_exempt(token):
        return None
    shape = options.shape_of(token) if options.shapes else None
    if shape is not None:
        return Candidate(token, shape)
    if not _DIGIT.search(token) or _RATIO.fullmatch(token):
        return None
    glued = _GLUED.fullmatch(token)
    if glued is not None:
        number = glued[1]
        enough = sum(map(str.isdigit, number)) >= options.min_digits
        return Candidate(normalize(number), "number", glued=number != token) if enough else None
    if len(token) < SHORTEST or not (_LETTER.search(token) or not _STRUCTURE.isdisjoint(token)):
        return None
    return Candidate(token, "identifier")


def _canonical(token: str, sign: str, whole: str, fraction: str) -> str:
    if len(whole) + len(fraction) > EXACT_DIGITS:
        return token
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    number = f"{whole}.{fraction}" if fraction else whole
    return f"-{number}" if sign == "-" and number != "0" else number
