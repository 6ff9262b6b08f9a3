"""Small pictures made for the tests."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

from agentnb.values import Part

GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(40)
WEBP = b"RIFF\x1a\x00\x00\x00WEBPVP8L" + bytes(20)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>window.hacked=1</script></svg>'


def png(width: int = 8, height: int = 8, *, padding: int = 0) -> bytes:
    """Return a picture of two colours; `padding` makes it larger by so many bytes and no other."""
    rows = b"".join(b"\x00" + b"".join(b"\xc8\x28\x28" if (x + y) % 2 else b"\x28\x28\xc8" for x in range(width)) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    more = [_chunk(b"tEXt", b"Comment\x00" + b"x" * padding)] if padding else []
    return b"\x89PNG\r\n\x1a\n" + b"".join([_chunk(b"IHDR", head), *more, _chunk(b"IDAT", zlib.compress(rows)), _chunk(b"IEND", b"")])


def data_address(data: bytes, kind: str = "image/png") -> str:
    """Return a data: address."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def image_part(text: str | None, mime_type: str | None = None, **known: Any) -> Part:
    """Return a part that is an image."""
    place = {"conversation_id": "c", "turn_id": "t", "message_index": 0, "part_index": 0, "role": "user", "agent_call_id": "t", "source_id": "s"}
    return Part.model_validate({**place, "type": "image", "text": text, "mime_type": mime_type, **known})


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
