"""Model text as Markdown: parsed by markdown-it-py with HTML and images off, and written by our own tags only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from agentnb.render._code import code
from agentnb.render._markup import Html, join, link, tag
from agentnb.render._text import Window, more, window

BLOCKS: Final = {
    "paragraph": "p", "bullet_list": "ul", "ordered_list": "ol", "list_item": "li", "blockquote": "blockquote", "table": "table", "thead": "thead",
    "tbody": "tbody", "tr": "tr", "th": "th", "td": "td", "em": "em", "strong": "strong", "s": "del",
}  # fmt: skip


def prose(markdown: str, *, limit: int, colour: bool = True) -> Html:
    """Show a text that a model or a person wrote.

    Args:
        markdown: the text as recorded; HTML in it is shown as text, images as their address.
        limit: characters to show; what is left out is counted.
        colour: whether code in it is coloured.
    """
    shown = window(markdown, limit)
    return tag("div", _Writer(colour).written(_parser().parse(shown.head)), _rest(shown), class_="prose", dir="auto")


def _rest(shown: Window) -> Html | None:
    return tag("p", f"… {more(shown.hidden)}", class_="cut") if shown.hidden else None


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"]).disable("image")


class _Writer:
    """Turns markdown-it's flat tokens into nested elements; a token it does not know is shown as text."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def written(self, tokens: Sequence[Token]) -> Html:
        """Write tokens that open and close in pairs."""
        return join(self._nested(iter(tokens)))

    def _nested(self, tokens: Iterator[Token]) -> list[Html]:
        found: list[Html] = []
        for token in tokens:
            if token.nesting < 0:
                break
            found.append(self._element(token, self._nested(tokens)) if token.nesting > 0 else self._leaf(token))
        return found

    def _element(self, token: Token, children: list[Html]) -> Html:
        kind = token.type.removesuffix("_open")
        if kind == "link":
            return link(str(token.attrs.get("href", "")), children)
        if kind == "heading":
            return tag("h5" if token.tag in ("h1", "h2") else "h6", children)
        if kind == "paragraph" and token.hidden:
            return join(children)
        if kind == "ordered_list":
            return tag("ol", children, start=str(token.attrs["start"]) if "start" in token.attrs else None)
        return tag(BLOCKS[kind], children) if kind in BLOCKS else join(children)

    def _leaf(self, token: Token) -> Html:
        if token.type == "inline":
            return self.written(token.children or ())
        if token.type in ("fence", "code_block"):
            return code(token.content.removesuffix("\n"), token.info.split(" ")[0][:20], limit=len(token.content) + 1, colour=self.colour)
        if token.type == "code_inline":
            return tag("code", token.content)
        if token.type in ("softbreak", "hardbreak"):
            return tag("br") if token.type == "hardbreak" else join("\n")
        return tag("hr") if token.type == "hr" else join(token.content)
