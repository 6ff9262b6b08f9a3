"""WHAT HAS COME SINCE: the turns of a live conversation that are not as they were shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agentnb.readers import LIVE
from agentnb.widgets._recorded import Recorded

if TYPE_CHECKING:
    from agentnb.widgets._targets import Wanted

_UNDER_WAY: Final = frozenset({"running", "waiting", "interrupted"})
_TURNS: Final = """
select t.turn_id, t.state, t.answer is not null, (select count(*) from calls as c where c.turn_id = t.turn_id),
    (select count(*) from calls as c where c.turn_id = t.turn_id and c.state = 'done'),
    (select coalesce(sum(length(p.text)), 0) from parts as p where p.turn_id = t.turn_id),
    (select count(*) from approvals as a where a.turn_id = t.turn_id and a.answer is not null)
from turns as t
where t.conversation_id = $conversation and ($only is null or t.turn_id = $only)
order by t.turn_index, t.turn_id
"""


class Growth:
    """Watches the turns of a live conversation, or one of them."""

    def __init__(self, recorded: Recorded, only: str | None) -> None:
        self._recorded, self._only = recorded, only
        self._generation: object = None
        self._known: dict[str, tuple[Any, ...]] = {}
        self.goes_on = False
        """Whether more may come: a turn is under way, or in a conversation as a whole a next one may be sent."""
        self.look()

    @classmethod
    def of(cls, wanted: Wanted) -> Growth | None:
        """Watch what a widget shows; None of what is no live conversation."""
        shown = wanted.shown
        return cls(shown, wanted.turn_id) if isinstance(shown, Recorded) and shown.conversation.format == LIVE else None

    def look(self) -> tuple[str, ...]:
        """Return the turns that have changed since the last look, in order."""
        workspace = self._recorded.workspace
        generation = workspace.generation
        if generation == self._generation:
            return ()
        self._generation = generation
        params = {"conversation": self._recorded.conversation.conversation_id, "only": self._only}
        rows = {str(row[0]): row[1:] for row in workspace.sql(_TURNS, params).fetchall()}
        changed = tuple(turn_id for turn_id, row in rows.items() if self._known.get(turn_id) != row)
        self._known = rows
        self.goes_on = any(row[0] in _UNDER_WAY for row in rows.values()) or self._only is None
        return changed
