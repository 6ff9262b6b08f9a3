"""LIVE: programs that run, wait for a person, go on and stop, over a log of records that is only ever appended to."""

from __future__ import annotations
