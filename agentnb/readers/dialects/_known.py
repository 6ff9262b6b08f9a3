"""The dialects that logs of requests and responses may hold, the most specific first, since the later ones' requests look like the earlier ones'."""

from __future__ import annotations

from agentnb.readers.builders.exchanges import Dialect
from agentnb.readers.dialects import anthropic, chat, converse, gemini, responses

DIALECTS: tuple[Dialect, ...] = (responses.DIALECT, gemini.DIALECT, converse.DIALECT, anthropic.DIALECT, chat.DIALECT)
