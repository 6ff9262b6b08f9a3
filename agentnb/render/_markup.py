"""The only file that makes tags: elements from names, attributes and children, with everything recorded escaped.

A child that is a plain `str` is text and is escaped; a child that is `Html` was made here and passes. There is no way to say
"this text is already HTML" from outside, so nothing recorded can become a tag, an attribute, a style or a script.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import cache
from typing import Final, TypeAlias

from agentnb.render._text import exact, visible
from agentnb.values.messages import ImageData, raster_type

TAGS: Final = frozenset(
    {"a", "b", "blockquote", "br", "button", "code", "del", "details", "div", "em", "h3", "h5", "h6", "header", "hr", "i", "input", "kbd", "li", "ol"}
    | {"p", "pre", "section", "span", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul"}
)
ATTRIBUTES: Final = frozenset(
    {"align", "class", "dir", "href", "open", "placeholder", "rel", "role", "scope", "start", "style", "tabindex", "target", "title", "type"}
    | {"aria_expanded", "aria_label", "aria_level", "aria_pressed", "aria_selected"}
)
VOID: Final = frozenset({"br", "hr", "input"})
IDENTITIES: Final = frozenset({"data_turn", "data_call", "data_agent"})
LONGEST_IDENTITY: Final = 512
LARGEST_PICTURE: Final = 2_000_000
"""Bytes of a picture that is shown at all."""

_URL = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f]+", re.IGNORECASE)
_BAR = re.compile(r"margin-left:\d{1,3}(?:\.\d)?%;width:\d{1,3}(?:\.\d)?%")


class Html(str):
    """Markup that this module made; joins and nests without being escaped again."""

    __slots__ = ()


Child: TypeAlias = "str | Html | Iterable[Child] | None"
Attribute: TypeAlias = "str | int | bool | None"


def tag(name: str, *children: Child, **attributes: Attribute) -> Html:
    """Make one element.

    Args:
        name: one of `TAGS`.
        children: text (escaped), `Html`, None (nothing), or an iterable of these.
        attributes: `class_="x"`, `data_call=id`, `aria_label=…`; None and False leave an attribute out, True writes it without a value.
            A `data-` attribute keeps an id exactly; one longer than 512 characters is left out, and with it the way to address the element.

    Returns:
        The element.

    Raises:
        ValueError: a tag, attribute or style that no renderer here may write.
    """
    if name not in TAGS:
        raise ValueError(f"no element <{name}> is made here")
    start = f"<{name}{''.join([_attribute(key, value) for key, value in attributes.items() if value is not None and value is not False])}>"
    return Html(start) if name in VOID else Html(f"{start}{''.join(_pieces(children))}</{name}>")


def join(*children: Child, by: str = "") -> Html:
    """Put children beside each other, escaped where they are text."""
    return Html(by.join(_pieces(children))) if not by else Html(text(by).join([piece for piece in _pieces(children) if piece]))


def flag(value: bool) -> str:
    """Write what an `aria-` attribute holds: true or false, as words."""
    return "true" if value else "false"


def text(value: str) -> Html:
    """Escape a text, with what cannot be seen made visible and well-known secrets masked."""
    return Html(visible(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def style_sheet(css: str) -> Html:
    """Put our own style sheet into a `<style>` element.

    Raises:
        ValueError: the sheet could end its element, so it is not ours.
    """
    if "<" in css:
        raise ValueError("a style sheet holds no '<'")
    return Html(f"<style>{css}</style>")


def link(address: str, *children: Child) -> Html:
    """Link to an http, https or mailto address, opened apart; any other address is shown as text only."""
    if not _URL.fullmatch(address):
        return join(children)
    return tag("a", *children, href=address, rel="noopener noreferrer nofollow", target="_blank", title=address)


def picture(data: bytes | str, alt: str) -> Html:
    """Show a PNG, JPEG, GIF or WebP, from its data alone: there is no way to name an address.

    Args:
        data: the picture's bytes, or these in base64; what kind it is, is told by the first of them, and they are encoded anew.
        alt: words for who does not see it.

    Raises:
        ValueError: it is no such picture (an SVG never is), no base64, or larger than 2 MB.
    """
    if len(data) > LARGEST_PICTURE * (2 if isinstance(data, str) else 1):
        raise ValueError(f"no picture of more than {LARGEST_PICTURE:,} bytes is made here")
    found = ImageData(None, data, is_base64=True).decoded() if isinstance(data, str) else data
    kind = raster_type(found or b"")
    if found is None or kind is None or len(found) > LARGEST_PICTURE:
        raise ValueError(f"a picture is a PNG, JPEG, GIF or WebP of at most {LARGEST_PICTURE:,} bytes; this is none: {data[:40]!r}")
    return Html(f'<img src="data:{kind};base64,{base64.b64encode(found).decode("ascii")}" alt="{_quoted(alt)}" loading="lazy" decoding="async">')


def bar(start: float, width: float) -> Html:
    """Draw one bar of a time scale; without CSS it is an empty `<i>` and shows nothing.

    Args:
        start: share of the scale before it, from 0 to 1.
        width: share of the scale it takes, from 0 to 1.
    """
    left = min(max(start, 0.0), 0.995)
    return tag("i", style=f"margin-left:{left * 100:.1f}%;width:{min(max(width, 0.005), 1 - left) * 100:.1f}%")


def _pieces(children: Iterable[Child]) -> list[str]:
    found: list[str] = []
    for child in children:
        if isinstance(child, Html):
            found.append(child)
        elif isinstance(child, str):
            found.append(text(child))
        elif child is not None:
            found.extend(_pieces(child))
    return found


def _attribute(key: str, value: Attribute) -> str:
    name = _attribute_name(key)
    if value is True:
        return f" {name}"
    if key in IDENTITIES:
        return "" if len(str(value)) > LONGEST_IDENTITY else f' {name}="{exact(str(value))}"'
    if (name == "href" and not _URL.fullmatch(str(value))) or (name == "style" and not _BAR.fullmatch(str(value))):
        raise ValueError(f"no attribute {name}={str(value)[:80]!r} is made here")
    return f' {name}="{_quoted(str(value))}"'


def _quoted(value: str) -> str:
    """Escape a text for an attribute in double quotes."""
    return text(value).replace('"', "&quot;").replace("'", "&#39;")


@cache
def _attribute_name(key: str) -> str:
    plain = key.rstrip("_")
    if plain not in ATTRIBUTES and not plain.startswith("data_"):
        raise ValueError(f"no attribute {plain} is made here")
    return plain.replace("_", "-")
