"""PIECES OF A RECORDING -> ROWS: pairing, nesting, totals and times, once for all formats.

`_draft` holds what every format needs: turns, threads, steps, tool calls and their results. Shapes of recording stand on it:
`event_log` (events that name their parent, as coding tools write), `message_list` (the list that is sent to a model), `item_stream` (items that follow one
another), `span_tree` (spans of a trace) and `exchanges` (requests to a model and their replies, which are joined into conversations).
"""

from __future__ import annotations
