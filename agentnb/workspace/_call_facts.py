"""What a rating knows of its call: asked of the tables once per call, and again when they have changed."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from agentnb.workspace._database import Database

# A turn is known by what the person said, which its own call does not hold; a merge is the work of the call that merged.
_ABOUT: Final = """
select c.call_id, c.name, coalesce(c.input, t.prompt) as input, json_extract_string(c.extra, '$.turn.made_by.call') as made_by
from calls as c
left join turns as t on c.call_id = t.turn_id
"""
# A single id is compared as a constant, which DuckDB looks for while it reads; a list of them it joins.
_ONE: Final = f"{_ABOUT} where c.call_id = $1 order by c.call_id, c.conversation_id"
_CALLS: Final = f"{_ABOUT} where c.call_id in (select unnest($1)) order by c.call_id, c.conversation_id"


class CallFact(NamedTuple):
    """What a rating keeps of its call."""

    call_id: str
    """The call."""
    name: str | None
    """Its name."""
    digest: str
    """Digest of its input, by which the rating knows the call again."""
    made_by: str | None
    """Of a merged turn the call that merged."""


class CallFacts:
    """The facts of the calls that somebody asked for."""

    def __init__(self, database: Database) -> None:
        """Know nothing yet."""
        self._database = database
        self._lock = threading.Lock()
        self._known: dict[str, CallFact | None] = {}

    def forget(self) -> None:
        """Ask again: the tables have changed."""
        with self._lock:
            self._known = {}

    def of(self, call_ids: Iterable[str]) -> Mapping[str, CallFact | None]:
        """Return the facts of calls by id; None of one that is not there. Several are looked up for the price of one."""
        wanted = list(dict.fromkeys(call_ids))
        with self._lock:
            known = self._known
            new = [call_id for call_id in wanted if call_id not in known]
            if new:
                rows = self._database.rows(_ONE, new) if len(new) == 1 else self._database.rows(_CALLS, [new])
                facts = {row["call_id"]: CallFact(row["call_id"], row["name"], digest_of(row["input"]), row["made_by"]) for row in reversed(rows)}
                known.update({call_id: facts.get(call_id) for call_id in new})
            return {call_id: known[call_id] for call_id in wanted}


def digest_of(text: str | None) -> str:
    """Return the digest of a call's input by which a rating knows the call again."""
    return hashlib.blake2b((text or "").encode(), digest_size=8).hexdigest()
