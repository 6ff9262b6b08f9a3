"""What becomes of a turn that is sent: bound, placed after a parent, checked against the turns before it, and recorded before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from agentnb.conversations.call_records import program_content
from agentnb.conversations.context import Shown, show
from agentnb.conversations.heartbeat import new_holder
from agentnb.conversations.identifiers import new_id
from agentnb.conversations.ledger import Ledger, Record, new_record
from agentnb.conversations.models import model_name
from agentnb.conversations.program_fields import check_fields
from agentnb.conversations.runs import Run
from agentnb.conversations.setting_layers import active_settings, settings, split_settings
from agentnb.conversations.shown import ContextRule
from agentnb.conversations.stores import is_persistent
from agentnb.errors import ConversationError
from agentnb.streams.conversation_log import ConversationLog, Sends
from agentnb.values.times import time_text

if TYPE_CHECKING:
    from agentnb.conversations.programs import Program


class Draft(NamedTuple):
    """A turn that is about to be sent."""

    program: Program
    turn_id: str
    inputs: dict[str, Any]
    """In their JSON form."""
    here: dict[str, Any]
    """Settings for this turn alone."""
    request_id: str | None
    sends: Sends
    rule: ContextRule
    hooks: tuple[Any, ...]
    holder: str
    lease_seconds: float

    @classmethod
    def of(
        cls,
        program: Program,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        *,
        settings_of_all: Mapping[str, Any],
        request_id: str | None,
        sends: Sends,
        rule: ContextRule,
        lease_seconds: float,
    ) -> Draft:
        """Bind what was given; what is wrong with it raises before anything is recorded.

        Args:
            program: what the turn calls.
            args: inputs by place.
            kwargs: inputs by name, and settings for this turn alone.
            settings_of_all: settings of the conversation.
            request_id: the id of the request.
            sends: what becomes of it while another turn is under way.
            rule: what it is shown.
            lease_seconds: how long a lease lasts.
        """
        given, here = split_settings(program.interface, kwargs)
        inputs = program.interface.inputs_to_json(program.interface.bind(program.name, args, given))
        with settings(**settings_of_all), settings(**here):
            hooks = tuple(active_settings(program.settings)["hooks"])
        for hook in hooks:
            change = getattr(hook, "turn_start", None)
            inputs = (change(dict(inputs)) if change is not None else None) or inputs
        return cls(program, new_id(), inputs, here, request_id, sends, rule, hooks, new_holder(), lease_seconds)

    def waits_for(self, log: ConversationLog, head: str | None) -> str | None:
        """Return the turn that has to end before this one can be placed; None when it can be.

        Raises:
            ConversationError: with the code conversation-busy.
        """
        place = log.next_parent(head, self.sends, Run.now())
        if place.refuses is not None:
            state = log.turns[head].state(Run.now()) if head in log.turns else None
            raise ConversationError(
                place.refuses, f"turn {str(head)[:8]} is {state}; answer or resume it, stop it, or send with sends='branch' to go on beside it", turn=head
            )
        return place.waits

    def records(self, log: ConversationLog, head: str | None) -> tuple[list[Record], Shown]:
        """Return what is recorded when it is sent, and what it is shown.

        Raises:
            ConversationError: with the code conversation-signature.
        """
        parent, now = log.next_parent(head, self.sends, Run.now()).parent, Run.now()
        before = {version: log.programs[version] for turn in log.branch(parent) if (version := str(log.turns[turn].record.get("program"))) in log.programs}
        check_fields([field.recorded() for field in self.program.interface.fields], before.values(), earlier_without=self.rule.without)
        shown = show(log, parent, self.rule, self.program, self.hooks)
        program = [] if self.program.version in log.programs else [program_record(self.program, now)]
        lm = model_name(self.here.get("model"))
        turn = new_record(
            "turn",
            now,
            turn=self.turn_id,
            parent=parent,
            program=self.program.version,
            inputs=self.inputs,
            request_id=self.request_id,
            settings={"lm": lm} if isinstance(self.here.get("model"), str) else None,
            context=shown.context,
        )
        return [*program, turn, lease_record(self.turn_id, self.holder, 1, self.lease_seconds)], shown


def program_record(program: Program, now: int) -> Record:
    """Return the record of a version of a program."""
    signature = program.signature
    return new_record(
        "program",
        now,
        version=program.version,
        name=program.name,
        program_kind=program.kind,
        module=program.module,
        signature=signature,
        interface=program.interface.described(),
        fields=[field.recorded() for field in program.interface.fields],
        answer=program.interface.answer,
    )


def lease_record(turn_id: str, holder: str, attempt: int, seconds: float) -> Record:
    """Return the record by which a process holds a turn for some seconds."""
    now = Run.now()
    return new_record("lease", now, turn=turn_id, holder=holder, until=time_text(now + round(seconds * 1e6)), attempt=attempt)


def check_content(program: Program, ledger: Ledger, own: Mapping[str, Any]) -> None:
    """Refuse a conversation that would keep what must not be kept, or cannot be.

    Raises:
        ConversationError: conversation-content, when a field of the program may not be written and the store is persistent; conversation-opaque, when a field
            has no JSON form.
    """
    opaque = [field.name for field in program.interface.fields if field.is_opaque]
    if opaque:
        raise ConversationError("conversation-opaque", f"{', '.join(opaque)} of {program.name!r} has no JSON form, and a conversation keeps every field")
    with settings(**own):
        content = program_content(program)
    dropped = (*content.omitted_inputs, *content.omitted_outputs)
    if dropped and is_persistent(ledger.store):
        raise ConversationError(
            "conversation-content",
            f"log_content keeps {', '.join(dropped)} of {program.name!r} from being written, and a conversation in a lasting store has to write it; "
            "use a store in memory (store=None), or let it be written",
        )
