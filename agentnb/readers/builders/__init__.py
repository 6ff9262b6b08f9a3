"""PIECES OF A RECORDING -> ROWS: pairing, nesting, totals and times, once for all formats.

`_draft` holds what every format needs: turns, threads, steps, tool calls and their results. Two shapes of recording stand on it so far:
`event_log` (events that name their parent, as coding tools write) and `message_list` (the list that is sent to a model).
"""

from __future__ import annotations
