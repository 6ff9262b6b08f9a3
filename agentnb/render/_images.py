"""What an image part is - media type, size, or only an address - and how it is shown: a line that folds, with a picture or words inside."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from agentnb.render._markup import LARGEST_PICTURE, Html, join, link, picture, tag
from agentnb.render._numbers import facts, size
from agentnb.render._text import one_line
from agentnb.values import Part

LONGEST_ADDRESS: Final = 200
LONGEST_LINK: Final = 1_000
"""Characters of an address above which it is shown and no link."""
NO_PICTURE: Final = "not shown: only PNG, JPEG, GIF and WebP are"
BROKEN: Final = "not shown: its data is broken"
SAVED: Final = "part.image_bytes() has its bytes"

_MEDIA_TYPE = re.compile(r"[\w.+-]{1,40}/[\w.+-]{1,80}", re.ASCII)


class Image(NamedTuple):
    """What is known about an image before its data is decoded."""

    media_type: str | None
    """What its first bytes say, else what was recorded, else what its data: address says."""
    size: int | None
    """Bytes of its data; None when there is only an address."""
    address: str | None
    """The address or name that was recorded instead of data."""
    is_raster: bool
    """Whether its first bytes are those of a PNG, JPEG, GIF or WebP: nothing else becomes a picture."""


def image_of(part: Part) -> Image:
    """Look at an image part; of its data only the beginning is decoded."""
    data = part.image_data
    if data is None:
        return Image(_media_type(part.mime_type), None, part.text or None, is_raster=False)
    seen = data.raster_type
    return Image(seen or _media_type(part.mime_type) or _media_type(data.mime_type), data.size, None, is_raster=seen is not None)


def image_text(part: Part) -> str:
    """Say what an image is: `image image/png · 3.1 kB`, or its address."""
    image = image_of(part)
    return f"image {_known(image)}".rstrip()


def image_element(part: Part, *, most: int, live: bool) -> Html:
    """Show an image as a line that folds.

    Args:
        part: a part of type image.
        most: characters of base64 up to which the picture itself is inside; where a kernel answers it never is.
        live: whether a kernel answers, so that the browser asks for the picture when the line is unfolded.

    Returns:
        The line with the picture inside, or with words; an image of which only an address is known is one line of text.
    """
    image = image_of(part)
    if image.size is None:
        return tag("div", "image · ", _address(image), class_="dim")
    summary = tag("summary", tag("b", "image"), f" · {_known(image)}")
    if live and image.is_raster:
        return tag("details", summary, class_="aside image", data_turn=part.turn_id, data_message=part.message_index, data_part=part.part_index)
    return tag("details", summary, _inside(part, image, most), class_="aside image")


def render_image(part: Part) -> str:
    """Show the picture of an image part, up to 2 MB, or say why there is none; what a line is filled with when it is unfolded."""
    image = image_of(part)
    if image.size is None:
        return tag("div", _address(image), class_="dim")
    if not image.is_raster:
        return _words(NO_PICTURE)
    if image.size > LARGEST_PICTURE:
        return _words(f"too large to show here (at most {size(LARGEST_PICTURE)})")
    return _picture(part, image)


def _inside(part: Part, image: Image, most: int) -> Html:
    if not image.is_raster:
        return _words(NO_PICTURE)
    if (image.size or 0) * 4 / 3 > most:
        return _words("open it in the live view")
    return _picture(part, image)


def _picture(part: Part, image: Image) -> Html:
    data = part.image_bytes()
    try:
        return picture(data or b"", alt=f"image, {_known(image)}")
    except ValueError:
        return _words(BROKEN)


def _words(why: str) -> Html:
    return tag("div", f"{why}; {SAVED}", class_="dim")


def _known(image: Image) -> str:
    if image.size is not None:
        return facts(image.media_type or "of unknown type", size(image.size))
    return facts(image.media_type, one_line(image.address, LONGEST_ADDRESS) if image.address else "nothing was recorded of it")


def _address(image: Image) -> Html:
    """Show an address as a link that a person may follow; nothing is ever loaded from it."""
    address = image.address or ""
    if 0 < len(address) <= LONGEST_LINK:
        return join(f"{image.media_type} · " if image.media_type else "", link(address, one_line(address, LONGEST_ADDRESS)))
    return join(_known(image))


def _media_type(named: str | None) -> str | None:
    return named.lower() if named and _MEDIA_TYPE.fullmatch(named) else None
