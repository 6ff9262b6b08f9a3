"""What was said: messages and the parts they are made of."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import datetime
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote_to_bytes

from agentnb.values._base import Value

PartType = Literal["text", "reasoning", "tool_call", "tool_result", "image", "other"]
Role = Literal["system", "user", "assistant", "tool"]

_HEAD: Final = 32
"""Characters of base64 that are enough to see what kind of picture it is."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_\-]+={0,2}")
_URL_SAFE = str.maketrans("-_", "+/")


class ImageData(NamedTuple):
    """The data of an image as it was recorded, not decoded yet."""

    mime_type: str | None
    """Media type that its data: address names; null when it names none or there is no such address."""
    text: str
    """The data as text."""
    is_base64: bool
    """Whether the text is base64; otherwise it is percent-encoded, as a data: address may be."""

    @property
    def size(self) -> int:
        """How many bytes it is, counted without decoding it."""
        if not self.is_base64:
            return len(self.text.encode("utf-8", "replace")) - 2 * self.text.count("%")
        letters = len(self.text) - sum(self.text.count(sign) for sign in " \n\r\t") - self.text[-8:].count("=")
        return letters * 3 // 4

    @property
    def raster_type(self) -> str | None:
        """Media type of the picture that its first bytes begin; null when they begin none."""
        head = "".join(self.text[: _HEAD * 4].split())[:_HEAD] if self.is_base64 else self.text[: _HEAD * 3]
        return raster_type(self._replace(text=head).decoded() or b"")

    def decoded(self) -> bytes | None:
        """Return its bytes; None when it is no base64 although it should be."""
        return _decoded(self.text) if self.is_base64 else unquote_to_bytes(self.text.encode("utf-8", "replace"))


class Part(Value):
    """One piece of a message; a row of the `parts` table.

    A text is stored once: a tool call or tool result points to its call by `call_id`, where input and output are.
    """

    conversation_id: str
    """The conversation it belongs to."""
    turn_id: str
    """The turn in which it was said."""
    message_index: int
    """Place of its message in the conversation, from 0, in file order."""
    part_index: int
    """Place in its message, from 0."""
    role: Role
    """Who said it: system, user, assistant or tool."""
    type: PartType
    """What it is: text, reasoning, tool_call, tool_result, image or other."""
    text: str | None = None
    """The text; of an image its data or address as recorded; null for what is in the call and for hidden reasoning."""
    step_id: str | None = None
    """The model call that produced it; null for what a person, a tool or the system said."""
    call_id: str | None = None
    """For tool_call and tool_result the call that holds input and output."""
    agent_call_id: str
    """The agent call in whose conversation with its model it was said: the turn itself, or a sub-agent's call."""
    injected: bool = False
    """Whether the tool, not a person, put it there: a reminder, a command's output, a summary after compaction."""
    mime_type: str | None = None
    """Media type of an image or a file."""
    said_at: datetime | None = None
    """When it was recorded, in UTC."""
    source_id: str
    """The file it was read from."""
    source_line: int | None = None
    """Line of that file, from 1; in a file that is one document, the place of the record in its list, from 1."""
    extra: str | None = None
    """JSON object of what the reader did not understand."""

    @property
    def image_data(self) -> ImageData | None:
        """The data of an image as recorded, not decoded; None when this is no image, or only an address or a name was recorded."""
        if self.type != "image" or not self.text:
            return None
        if self.text[:5].lower() == "data:":
            about, comma, data = self.text[5:].partition(",")
            kind, *settings = about.split(";")
            return ImageData(kind.strip().lower() or None, data, any(each.strip().lower() == "base64" for each in settings)) if comma else None
        # Some formats record base64 alone; a file's name can consist of the same letters, so its beginning must be that of a picture.
        alone = ImageData(None, self.text, is_base64=True)
        return alone if alone.raster_type else None

    def image_bytes(self) -> bytes | None:
        """Return the bytes of an image.

        Returns:
            The bytes as they were recorded, of whatever media type; None when this is no image, only its address was recorded, or the data is broken.

        Example:
            part = turn.messages[0].parts[1]
            pathlib.Path("photo.png").write_bytes(part.image_bytes())
        """
        data = self.image_data
        return data.decoded() if data is not None else None


class Message(Value):
    """One message: its parts, in order."""

    message_index: int
    """Place in the conversation, from 0, in file order."""
    role: Role
    """Who said it: system, user, assistant or tool."""
    said_at: datetime | None = None
    """When it was recorded, in UTC."""
    parts: tuple[Part, ...] = ()
    """Its parts, in order."""

    @property
    def text(self) -> str:
        """Its text parts, joined by blank lines; reasoning is not text."""
        return "\n\n".join(part.text for part in self.parts if part.type == "text" and part.text)


def raster_type(head: bytes) -> str | None:
    """Tell by its first bytes which kind of picture this is.

    Args:
        head: the first 12 bytes or more.

    Returns:
        image/png, image/jpeg, image/gif or image/webp; None for anything else, an SVG among it, which can hold scripts and addresses.
    """
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    known = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF87a": "image/gif", b"GIF89a": "image/gif"}
    return next((kind for begin, kind in known.items() if head.startswith(begin)), None)


def _decoded(text: str) -> bytes | None:
    """Decode base64 of either alphabet, with or without line breaks and padding; None when it is neither."""
    packed = "".join(text.split())
    if not _BASE64.fullmatch(packed):
        return None
    bare = packed.rstrip("=").translate(_URL_SAFE)
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
