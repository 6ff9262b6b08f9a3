"""A live conversation: an append-only log of turns of one program, in a store that many processes may share."""

from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from agentnb.conversations.answers import answer_records, resume_records
from agentnb.conversations.attempts import Attempt
from agentnb.conversations.context import Shown, check_rule, show_again, turns_shown_to
from agentnb.conversations.frames import refuse_nested
from agentnb.conversations.heartbeat import LEASE_SECONDS, new_holder
from agentnb.conversations.helpers import declares
from agentnb.conversations.identifiers import check_conversation_id, new_id, request_id_text
from agentnb.conversations.ledger import Ledger, Record, new_record
from agentnb.conversations.merging import merge_records
from agentnb.conversations.runs import Run
from agentnb.conversations.sending import Draft, check_content, lease_record
from agentnb.conversations.setting_layers import checked_settings
from agentnb.conversations.showing import conversation_text
from agentnb.conversations.stores import events_of, open_store
from agentnb.conversations.threads import in_thread
from agentnb.conversations.turn import Turn, unknown_turn
from agentnb.conversations.watching import Watcher
from agentnb.errors import ConversationError, OptionError, ProgramError
from agentnb.streams.conversation_log import SENDS, ConversationLog, Sends
from agentnb.streams.turn_log import TurnLog

if TYPE_CHECKING:
    from agentnb.conversations.programs import Program
    from agentnb.render import LiveConversationCard


class Conversation:
    """A view of a conversation: sends turns, answers what they ask, and shows what was recorded.

    Several views, also of several processes, may use one conversation at once; `program.conversation(…)` makes one.
    """

    def __init__(
        self,
        program: Program | None,
        conversation_id: str | None = None,
        *,
        store: Any = None,
        sends: Sends = "queue",
        last: int | None = None,
        without: Iterable[str] = (),
        lease_seconds: float = LEASE_SECONDS,
        **settings: Any,
    ) -> None:
        """Open a conversation.

        Args:
            program: what its turns call; None to look and answer only.
            conversation_id: its id; a new one unless given.
            store: where it is kept, as `open_store` takes it.
            sends: what becomes of a turn that is sent while another one is under way: queue waits, refuse raises, branch goes beside it.
            last: how many earlier turns a turn is shown; None for all.
            without: fields that are left out of earlier turns.
            lease_seconds: how long a turn counts as running after its process was last heard of.
            settings: settings of its turns, as `anb.configure` takes them.

        Raises:
            ConversationError: with the code conversation-id, or conversation-opaque: a field of the program has no JSON form.
        """
        if sends not in SENDS:
            raise OptionError(f"sends is one of {', '.join(SENDS)}, not {sends!r}")
        self.id = check_conversation_id(conversation_id if conversation_id is not None else new_id())
        self.program, self.sends = program, sends
        self.rule = check_rule(last, without, program)
        self.settings = checked_settings(settings)
        self.lease_seconds = lease_seconds
        self.ledger = Ledger(open_store(store), self.id)
        self.ledger.refresh()
        self._pinned: str | None = None
        self._exact = False
        self._attempts: dict[str, Attempt] = {}
        self._failed: dict[str, Attempt] = {}
        self._sending = threading.RLock()
        self._watcher = Watcher(self)
        if program is not None:
            check_content(program, self.ledger, self.settings)

    @property
    def store(self) -> Any:
        """Where it is kept."""
        return self.ledger.store

    @property
    def turns(self) -> list[Turn]:
        """Every turn, in the order in which they were sent."""
        log = self.ledger.refresh()
        return [self._snapshot(turn) for turn in list(log.turns.values())]

    @property
    def head(self) -> Turn | None:
        """The turn that the next one is decided from; None in a new conversation."""
        head = self._head(self.ledger.refresh())
        return self.turn(head) if head is not None and head in self.ledger.log.turns else None

    @property
    def branch(self) -> list[Turn]:
        """The turns from a first one to the head."""
        log = self.ledger.refresh()
        return [self._snapshot(log.turns[turn]) for turn in log.branch(self._head(log))]

    @property
    def waiting(self) -> list[Turn]:
        """The turns that wait for a person."""
        return [turn for turn in self.turns if turn.state == "waiting" and turn.waiting]

    def turn(self, turn_id: str) -> Turn:
        """Return a turn as the records tell it now.

        Raises:
            UnknownTurn: there is none with this id.
        """
        self.ledger.refresh()
        return self._snapshot(self._log_of(turn_id))

    def send(self, *args: Any, request_id: Any = None, sends: Sends | None = None, **kwargs: Any) -> Turn:
        """Send a turn; it runs in the background, and `await` waits for it.

        Args:
            args: inputs by place.
            request_id: the same id is the same turn, however often it is sent: a cell that is run again sends nothing twice.
            sends: queue, refuse or branch, for this turn.
            kwargs: inputs by name, and settings for this turn alone where no input has their name.

        Returns:
            The turn. With `queue` this waits while another turn of the branch runs; `asend` waits without stopping a notebook.

        Raises:
            ConversationError: conversation-busy, conversation-signature, conversation-nested, conversation-content or conversation-opaque.
        """
        draft = self._draft(args, kwargs, request_id, sends or self.sends)
        with self._sending:
            return self._sent(draft)

    async def asend(self, *args: Any, request_id: Any = None, sends: Sends | None = None, **kwargs: Any) -> Turn:
        """Send a turn without stopping the loop while it waits for another; the arguments are those of `send`."""
        return await in_thread(functools.partial(self.send, *args, request_id=request_id, sends=sends, **kwargs))

    def __call__(self, *args: Any, request_id: Any = None, sends: Sends | None = None, **kwargs: Any) -> Any:
        """Send a turn and wait for its answer.

        Raises:
            TurnWaiting: it waits for a person.
            ConversationError: as `send`; and turn-state, when it has no answer.
        """
        turn = self.send(*args, request_id=request_id, sends=sends, **kwargs)
        return turn.wait().answer()

    def continue_from(self, turn: Turn | str) -> Conversation:
        """Return a view whose next turn continues another turn than the head; what is sent there is a branch.

        Raises:
            UnknownTurn: there is no such turn.
        """
        pinned = self._log_of(turn if isinstance(turn, str) else turn.id).id
        other = copy.copy(self)
        other._pinned, other._exact, other._sending = pinned, True, threading.RLock()
        return other

    def move_head(self, turn: Turn | str) -> Turn:
        """Move the head for everybody, to where the next turn continues."""
        turn_id = self._log_of(turn if isinstance(turn, str) else turn.id).id
        self.ledger.append(lambda log: [new_record("head", Run.now(), turn=turn_id)])
        self._pinned, self._exact = turn_id, True
        return self.turn(turn_id)

    def merge(self, merger: Program, sources: Iterable[Turn | str], **inputs: Any) -> Turn:
        """Merge turns into one: another program reads what they answered and gives one answer.

        Args:
            merger: an AI function; with one input and no `inputs` it is given a list with model, inputs and outputs of each source.
            sources: turns that are done and continue the head.
            inputs: the merger's inputs by name.

        Returns:
            The merged turn, on which the view goes on.

        Raises:
            ConversationError: with the code turn-state: a source is not done, or does not continue the head.
            ProgramError: the merger's answer is no answer of this program.
        """
        with self._sending:
            log = self.ledger.refresh()
            ids = [self._log_of(source if isinstance(source, str) else source.id).id for source in sources]
            made = merge_records(self._program(), merger, log, self._head(log), ids, inputs)
            self.ledger.append(lambda _: made.records)
            self._pinned, self._exact = made.turn_id, False
            return self.turn(made.turn_id)

    def answer(self, turn_id: str, which: Any, *, is_yes: bool, by: str | None, reason: str | None, resume: bool) -> Turn:
        """Answer what a turn asks; `Turn.approve` and `Turn.deny` say how."""
        self.ledger.refresh()
        self._log_of(turn_id)
        was_watched = self._watcher.take(turn_id)
        try:
            self.ledger.append(lambda log: answer_records(log.turns[turn_id], which, is_yes=is_yes, by=by, reason=reason, now=Run.now()))
            if resume and self.program is not None and not self._log_of(turn_id).unanswered():
                self._resume_answered(turn_id)
        finally:
            if was_watched and (resume or self._log_of(turn_id).unanswered()):
                self._watcher.watch(turn_id)
        return self.turn(turn_id)

    def _resume_answered(self, turn_id: str) -> None:
        """Resume a turn whose questions are answered; where another process was quicker, it goes on there."""
        attempt = self._log_of(turn_id).attempt
        try:
            self.resume(turn_id, {}, [])
        except ConversationError as error:
            self.ledger.refresh()
            if error.code != "turn-state" or self._log_of(turn_id).attempt == attempt:
                raise

    def resume(self, turn_id: str, results: Mapping[Any, Any], rerun: list[Any]) -> Turn:
        """Go on with a turn; `Turn.resume` says how."""
        program, holder = self._program(), new_holder()
        self.ledger.refresh()
        self._log_of(turn_id)
        if turn_id in self._failed:
            self._failed[turn_id].let_go()

        def decide(log: ConversationLog) -> list[Record]:
            turn = log.turns[turn_id]
            records = resume_records(turn, results, rerun, now=Run.now())
            return [*records, lease_record(turn_id, holder, turn.attempt + 1, self.lease_seconds)]

        self.ledger.append(decide)
        log = self._log_of(turn_id)
        shown = show_again(self.ledger.log, log, self.rule, program)
        chosen = log.record.get("settings")
        here = {"model": chosen["lm"]} if isinstance(chosen, dict) and isinstance(chosen.get("lm"), str) else {}
        self._begin(program, turn_id, log.attempt, holder, shown, here)
        return self.turn(turn_id)

    def stop(self, turn_id: str) -> Turn:
        """Stop a turn; `Turn.stop` says how."""
        self.ledger.refresh()
        state = self._log_of(turn_id).state(Run.now())
        if state in ("waiting", "interrupted"):
            return self.abandon(turn_id)
        if state == "running":
            self.ledger.append(lambda log: [new_record("stop", Run.now(), turn=turn_id)])
            running = self.attempt_of(turn_id)
            if running is not None:
                running.run.halt("stopped")
        return self.turn(turn_id)

    def abandon(self, turn_id: str) -> Turn:
        """Give a turn up; `Turn.abandon` says how."""
        self.ledger.refresh()
        self._log_of(turn_id)

        def decide(log: ConversationLog) -> list[Record]:
            turn = log.turns[turn_id]
            state = turn.state(Run.now())
            if state not in ("waiting", "interrupted"):
                raise ConversationError("turn-state", f"turn {turn_id[:8]} is {state}; only one that waits or was interrupted can be abandoned", turn=turn_id)
            return [new_record("ended", Run.now(), turn=turn_id, state="abandoned", attempt=turn.attempt)]

        self.ledger.append(decide)
        return self.turn(turn_id)

    def interrupt(self, turn_id: str) -> None:
        """Leave a turn that runs here where it stands, so that it can be resumed; nothing happens to others."""
        running = self.attempt_of(turn_id)
        if running is not None:
            running.interrupt()

    def add_entry(self, plugin: str, entry: str, data: Any, *, turn: Turn | str | None = None) -> None:
        """Keep something of a plugin's own beside the turns: for every branch, or for those through a turn."""
        turn_id = None if turn is None else self._log_of(turn if isinstance(turn, str) else turn.id).id
        self.ledger.append(lambda log: [new_record("entry", Run.now(), plugin=plugin, entry=entry, data=data, turn=turn_id)])

    def entries(self, plugin: str) -> list[dict[str, Any]]:
        """Return what a plugin keeps, as far as it belongs to this view's branch."""
        log = self.ledger.refresh()
        here = set(log.branch(self._head(log)))
        return [copy.deepcopy(entry) for entry in log.entries if entry.get("plugin") == plugin and entry.get("turn") in {None, *here}]

    def shown_to(self, turn_id: str) -> list[Turn]:
        """Return the earlier turns that a turn was shown, in order; empty where they cannot be told."""
        return [self.turn(turn) for turn in turns_shown_to(self.ledger.log, self._log_of(turn_id))]

    def attempt_of(self, turn_id: str) -> Attempt | None:
        """Return the attempt of a turn that runs in this process; None when it does not."""
        attempt = self._attempts.get(turn_id)
        return attempt if attempt is not None and not attempt.future.done() else None

    def raise_failure(self, turn_id: str) -> None:
        """Raise why the end of a turn that ran here could not be recorded, if it could not."""
        attempt = self._failed.get(turn_id) or self._attempts.get(turn_id)
        if attempt is not None and attempt.failure is not None:
            raise attempt.failure

    def kept_events(self, turn_id: str) -> list[dict[str, Any]]:
        """Return the events that are kept of a turn; empty where none are, or the store does not answer."""
        events = events_of(self.store)
        try:
            return list(events.read(turn_id)) if events is not None else []
        except ConversationError:
            return []

    @property
    def card(self) -> LiveConversationCard:
        """What it shows of itself in a notebook: its turns, and what the last one needs."""
        from agentnb.conversations.cards import conversation_card

        return conversation_card(self)

    def __repr__(self) -> str:
        return conversation_text(self)

    def _snapshot(self, turn: TurnLog) -> Turn:
        return Turn(self, turn, Run.now())

    def _log_of(self, turn_id: str) -> TurnLog:
        turn = self.ledger.log.turns.get(turn_id) or self.ledger.refresh().turns.get(turn_id)
        if turn is None:
            raise unknown_turn(turn_id, self.id)
        return turn

    def _program(self) -> Program:
        if self.program is None:
            raise ProgramError(f"this view of conversation {self.id!r} has no program to run; open it by program.conversation({self.id!r}, store=…)")
        return self.program

    def _head(self, log: ConversationLog) -> str | None:
        return log.view_head(self._pinned, exact=self._exact)

    def _draft(self, args: tuple[Any, ...], kwargs: dict[str, Any], request_id: Any, sends: Sends) -> Draft:
        program = self._program()
        refuse_nested(self.id, declared=self.is_declared())
        check_content(program, self.ledger, self.settings)
        return Draft.of(
            program,
            args,
            kwargs,
            settings_of_all=self.settings,
            request_id=request_id_text(request_id),
            sends=sends,
            rule=self.rule,
            lease_seconds=self.lease_seconds,
        )

    def is_declared(self) -> bool:
        """Whether the turn in which this code runs, if any, declared that it uses this conversation."""
        return declares(self)

    def _sent(self, draft: Draft) -> Turn:
        while True:
            log = self.ledger.refresh()
            known = log.request_ids.get(draft.request_id) if draft.request_id is not None else None
            if known is not None:
                return self.turn(known)
            if draft.waits_for(log, self._head(log)) is None:
                break
            self.ledger.wait(0.25)
        shown: list[Shown] = []

        def decide(now_log: ConversationLog) -> list[Record]:
            if draft.request_id in now_log.request_ids or draft.waits_for(now_log, self._head(now_log)) is not None:
                return []
            records, seen = draft.records(now_log, self._head(now_log))
            shown[:] = [seen]
            return records

        self.ledger.append(decide)
        if draft.turn_id not in self.ledger.log.turns:
            return self._sent(draft)
        self._pinned, self._exact = draft.turn_id, False
        self._begin(draft.program, draft.turn_id, 1, draft.holder, shown[0], draft.here)
        return self.turn(draft.turn_id)

    def _begin(self, program: Program, turn_id: str, attempt: int, holder: str, shown: Shown, here: Mapping[str, Any]) -> None:
        layers = (self.settings, here)
        begun = Attempt(self.ledger, program, turn_id, attempt=attempt, holder=holder, shown=shown, layers=layers, lease_seconds=self.lease_seconds)
        self._attempts[turn_id] = begun
        self._failed.pop(turn_id, None)
        begun.start().future.add_done_callback(lambda _: self._rested(begun))

    def _rested(self, attempt: Attempt) -> None:
        """Let go of an attempt that came to rest, and watch its turn where it waits."""
        if attempt.failure is not None:
            self._failed[attempt.turn_id] = attempt
        if self._attempts.get(attempt.turn_id) is attempt:
            del self._attempts[attempt.turn_id]
        self._watcher.watch(attempt.turn_id)
