"""Reads rendered HTML back the way a browser would, strictly: what is not balanced, known and harmless is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple

from agentnb.render import css

VOID = {"br", "hr", "img", "input"}
TAGS = VOID | set(
    "a b blockquote button code del details div em h3 h5 h6 header i kbd li ol p pre section span strong style summary table tbody td th thead tr ul".split()  # noqa: SIM905
)
ATTRIBUTES = set("align alt class decoding dir href loading open placeholder rel role scope src start style tabindex target title type".split())  # noqa: SIM905
BLOCKS = {"blockquote", "br", "details", "div", "h3", "h5", "h6", "header", "li", "p", "pre", "section", "summary", "table", "td", "th", "tr"}
OUR_DATA = re.compile(
    r"data-(?:action|agent|call|filter|first|fold|message|more|part|question|since|step|turn|verdict|view)|aria-(?:expanded|label|level|pressed|selected)"
)


class Element(NamedTuple):
    """A start tag as a browser reads it."""

    tag: str
    attributes: dict[str, str | None]
    around: tuple[str, ...]


class Page(HTMLParser):
    """Elements and text of a rendered view."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.words: list[str] = []
        self.around: list[str] = []
        self.feed(html)
        self.close()
        assert self.around == [], f"left open: {self.around}"

    @property
    def text(self) -> str:
        """All text but the style sheet, with one space where there is white space."""
        return " ".join("".join(self.words).split())

    def all(self, **wanted: str) -> Iterator[Element]:
        """Elements with these attributes: `data_call="x"`, `class_="call"` (one of its classes)."""
        for element in self.elements:
            classes = (element.attributes.get("class") or "").split()
            if all(value in classes if key == "class_" else element.attributes.get(key.replace("_", "-")) == value for key, value in wanted.items()):
                yield element

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, f"<{tag}> is not ours"
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in <{tag}>"
        for name, value in attrs:
            self._check(tag, name, value)
        self.elements.append(Element(tag, dict(attrs), tuple(self.around)))
        self.words.append(" " if tag in BLOCKS else "")
        if tag not in VOID:
            self.around.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.around.pop() == tag
        self.words.append(" " if tag in BLOCKS else "")

    def handle_data(self, data: str) -> None:
        if self.around[-1:] == ["style"]:
            squeezed = re.sub(r"\s", "", re.sub(r"/\*.*?\*/", "", css(), flags=re.DOTALL)).replace(";}", "}")
            assert squeezed.startswith(re.sub(r"\s", "", data)), "a style sheet that is not ours"
            return
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl!r}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"a processing instruction: {data!r}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data!r}")

    def _check(self, tag: str, name: str, value: str | None) -> None:
        assert name in ATTRIBUTES or OUR_DATA.fullmatch(name), f"<{tag} {name}> is not ours"
        if name == "href":
            assert tag == "a"
            assert re.match(r"(?:https?://|mailto:)", value or "", re.IGNORECASE)
        if name == "src":
            assert tag == "img"
            assert re.fullmatch(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}", value or "")
        if name == "style":
            assert re.fullmatch(r"margin-left:[\d.]+%;width:[\d.]+%", value or "")
        if name in ("class", "type", "role", "target", "rel", "align", "dir"):
            assert re.fullmatch(r"[a-z0-9 _-]*", value or ""), f"{name}={value!r}"


def bare(html: str) -> str:
    """Take away what GitHub takes away: style sheets, classes, styles, roles and data."""
    without = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    return re.sub(r' (?:class|style|role|data-[a-z]+|aria-[a-z]+|dir|scope)="[^"]*"', "", without)
