"""Pieces -> wholes: what a model sent bit by bit, put together into the reply it would have sent at once; functions on plain JSON values, no files."""

from __future__ import annotations
