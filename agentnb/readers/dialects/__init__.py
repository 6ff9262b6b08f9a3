"""A PROVIDER'S MESSAGES -> WHAT WAS SAID: the same messages stand in logs of an API, in spans, in exports, and are read once for all of them."""

from __future__ import annotations
