"""ONE FORMAT A MODULE: how its files are told, and how what they say is handed to a builder."""

from __future__ import annotations
