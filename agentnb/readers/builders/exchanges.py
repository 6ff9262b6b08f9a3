"""Requests to a model and their replies -> conversations: which exchanges belong together, and what each of them adds.

A client that keeps the history sends all of it with every request. A request whose messages begin with all of an earlier exchange, messages and reply,
continues it, whichever service it goes to; what it repeats is merged in the account. Where the service keeps the history, a request names what it continues.
Calls and their results are also known by their ids, when what they say has changed: a client may shorten old results, or say them in another service's terms.

System prompts, and what a client puts beside a person's words, are not compared: they change between requests, and agents that hand over have their own;
what is new of them is said when it is met.

Each service's shape is a `Dialect`, made in `agentnb/readers/dialects/` and listed in `agentnb/readers/dialects/_known.py`:

- `read_request(body, place)` says the messages of a request body, system prompt first. With a place, from 1, all of them stand there; else each stands at
  its own number. `beginning` is what names the conversation: the messages as recorded, up to the first reply.
- `read_reply(body, place)` says a response body. Its first `Said` is the model call with usage, model, time and finish reason; what else belongs to the
  reply follows with `same_step=True, records=0`. An error body is not given to it: `failed_reply` says those of all services.
- `assemble(events)` makes response bodies of the events of a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from re import Pattern
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._rows import Micros, Rows, TurnRow
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders._observed import with_observations
from agentnb.readers.builders._repeats import Known, Print, is_compared, print_of
from agentnb.readers.builders.message_list import MessageList, Piece, Said
from agentnb.streams._assembled import Assembled


class Asking(NamedTuple):
    """What a request says."""

    said: tuple[Said, ...] = ()
    beginning: Any = ()
    """The messages up to the first reply, as recorded; they name the conversation."""
    model: str | None = None
    extra: dict[str, Any] = {}  # noqa: RUF012 - never changed; a NamedTuple takes no factory
    """Fields that are not read."""
    continues: tuple[str, ...] = ()
    """Ids of the reply, or of the conversation kept by the service, that it continues without repeating it."""
    repeats: int = 0
    """How many messages, system prompts aside, are history all the same when it continues something: up to the last one that is only named by its id."""
    others: tuple[tuple[int, Any], ...] = ()
    """What stands among the messages and is none, with its place; it is skipped in the account."""


class Reply(NamedTuple):
    """What a response says."""

    said: tuple[Said, ...]
    ids: tuple[str, ...] = ()
    """Ids by which a later request may continue it: of the response, and of the conversation kept by the service. The first one names a conversation of
    which no message was recorded."""
    whole: bool = True
    """Whether it ran to its end; false of a stream that is cut."""
    continues: tuple[str, ...] = ()
    """Ids of what it says itself that it continues; its request may not have been recorded."""


class Dialect(NamedTuple):
    """How one service says requests and replies."""

    format: str
    """Name of the format whose files hold such exchanges."""
    prefix: str
    """How the ids of conversations begin that the recording gives none."""
    path: Pattern[str]
    """Searched for in the URL of a model call."""
    is_request: Callable[[Any], bool]
    """Tells whether a value is a request body, from the body alone; must not be true of another service's."""
    is_reply: Callable[[Any], bool]
    """Tells whether a value is a whole response body."""
    is_event: Callable[[Any], bool]
    """Tells whether a value is an event or chunk of a streamed response."""
    read_request: Callable[[dict[str, Any], int | None], Asking]
    read_reply: Callable[[dict[str, Any], int], Reply]
    assemble: Callable[[Iterable[Any]], list[Assembled]]


class Exchange(NamedTuple):
    """A request and its reply, whichever of them was recorded, and the account of the file it was met in."""

    place: int
    """Place in the recording, from 1."""
    account: Account
    asking: Asking
    reply: Reply | None
    name: str
    """The id that its conversation has if it begins with this exchange."""
    alone: bool = False
    """Whether it is a whole run, which continues nothing."""
    labels: dict[str, Any] = {}  # noqa: RUF012 - never changed; a NamedTuple takes no factory
    extra: dict[str, Any] = {}  # noqa: RUF012 - never changed; a NamedTuple takes no factory

    @property
    def continues(self) -> tuple[str, ...]:
        """Ids of the reply, or of the conversation kept by the service, that it continues."""
        return (*self.asking.continues, *(self.reply.continues if self.reply is not None else ()))

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids by which a later one may continue it."""
        return self.reply.ids if self.reply is not None else ()


def name_of(dialect: Dialect, asking: Asking, reply: Reply | None, task: Sequence[Any] = (None, None)) -> str:
    """Name the conversation that begins with an exchange: by a digest of its first messages, or without messages by the reply's own id, else a digest of it."""
    if not asking.said and reply is not None and reply.ids:
        return reply.ids[0]
    if not asking.said and reply is not None:
        told = [[said.role, [piece.text for piece in said.pieces], [[call.name, call.input] for call in said.asked], said.error] for said in reply.said]
        return f"{dialect.prefix}-{digest_of([dialect.format, list(task), told])}"
    return f"{dialect.prefix}-{digest_of([dialect.format, list(task), asking.beginning])}"


def failed_reply(body: Any, place: int, *, status: int | None = None, model: str | None = None, at: Micros | None = None) -> Reply:
    """Say a reply that failed: an error body of any of the services, or what stands in its place."""
    if isinstance(body, list):
        # A stream that only says what went wrong, and Gemini's way to say it.
        body = next((item for item in body if isinstance(item, dict) and item.get("error")), {"events": body} if body else None)
    error = body.get("error") if isinstance(body, dict) else None
    told: dict[str, Any] = error if isinstance(error, dict) else body if isinstance(body, dict) else {}
    words = next((text_of(told[name]) for name in ("message", "detail", "error") if told.get(name)), None) or (
        body if isinstance(body, str) else text_of(error)
    )
    text = told.get("failed_generation")
    extra = (body if isinstance(body, dict) else {}) | ({"status": status} if status is not None else {})
    said = Said(
        "assistant",
        place,
        # Groq tells what the model said instead of a tool call that can be read.
        pieces=(Piece("text", text),) if isinstance(text, str) and text else (),
        model=model,
        at=at,
        error=(words or "").strip()[:500] or (f"HTTP status {status}." if status is not None and status >= 400 else "There is no reply."),
        extra=as_extra(extra),
    )
    return Reply((said,))


def join_exchanges(exchanges: Iterable[Exchange], rows: Rows, format: str) -> None:
    """Read exchanges, in the order they were recorded, into conversations.

    Args:
        exchanges: of all files of a group.
        rows: where the conversations go.
        format: name of the files' format.
    """
    conversations: list[_Conversation] = []
    by_id: dict[str, _Conversation] = {}
    for exchange in _in_order(exchanges):
        _place(exchange, conversations, by_id)
    for conversation in conversations:
        _tell_cuts(conversation)
    apart = Apart(rows, format)
    for conversation in conversations:
        _emit(conversation, apart)


def _in_order(exchanges: Iterable[Exchange]) -> Iterator[Exchange]:
    """Put an exchange after the one it continues: files are read in the order of their names."""
    met: set[str] = set()
    waiting: list[Exchange] = []
    for exchange in exchanges:
        if met.issuperset(exchange.continues):
            met.update(exchange.ids)
            yield exchange
        else:
            waiting.append(exchange)
    while waiting:
        to_come = {own_id for exchange in waiting for own_id in exchange.ids[:1]}
        late = [exchange for exchange in waiting if to_come.intersection(exchange.continues)]
        stuck = len(late) == len(waiting)
        yield from (exchange for exchange in waiting if stuck or not to_come.intersection(exchange.continues))
        waiting = [] if stuck else late


class _Part(NamedTuple):
    """What an exchange adds to its conversation."""

    exchange: Exchange
    said: list[Said]
    merged: int
    """How many records of it were met before."""


class _Conversation:
    """Exchanges that make one conversation, with a print of all that was said in it."""

    def __init__(self) -> None:
        self.parts: list[_Part] = []
        self.asides: set[str] = set()
        self.asked: list[Print] = []
        """All that was asked and said before the latest reply."""
        self.messages: list[Print] = []
        self.known: list[Known] = []
        self.silent: Known | None = None
        """What was asked when the reply said nothing: most clients send back no empty message."""
        self.calls: list[str | None] = []
        self.refused: tuple[tuple[str, ...], list[Print]] | None = None

    def add(self, exchange: Exchange, prints: list[Print], *, repeated: int | None) -> None:
        """Add an exchange, whose request repeats as many messages as are told, or only says what is new; all of it when it is sent again after an error."""
        spoken = [said for said in exchange.asking.said if is_compared(said)]
        again = repeated is None and self.refused == (exchange.continues, prints)
        by_id = repeated is None and bool(self.parts)
        known = len(spoken) if again else exchange.asking.repeats if by_id else repeated or 0
        fresh = spoken[known:] if by_id else self._paired(spoken[:known], spoken[known:])
        said = self._with_asides(exchange.asking, fresh, known)
        merged = sum(item.records for item in exchange.asking.said) - sum(item.records for item in said)
        # What a request repeats need not be held until the conversation is read.
        self.parts.append(_Part(exchange._replace(asking=exchange.asking._replace(said=())), said, merged))
        told = (*fresh, *(exchange.reply.said if exchange.reply is not None else ()))
        self.calls += [call.tool_call_id for item in told for call in item.asked]
        self._learn([*(self.messages if repeated is None else ()), *(prints if repeated is not None else prints[known:])], exchange.reply)
        failed = exchange.reply is not None and exchange.reply.said[0].error is not None
        self.refused = (exchange.continues, prints) if failed else None

    def complete(self, later: Exchange) -> bool:
        """Put what became of the latest reply in its place, when it was still being made; false when it is another one."""
        exchange, said, merged = self.parts[-1]
        reply = exchange.reply
        if reply is None or reply.whole or later.reply is None or reply.ids[:1] != later.ids[:1]:
            return False
        merged += sum(item.records for item in reply.said)
        self.parts[-1] = _Part(exchange._replace(reply=later.reply), said, merged)
        self.calls += [call.tool_call_id for item in later.reply.said for call in item.asked]
        self._learn(self.asked, later.reply)
        return True

    def _paired(self, repeated: list[Said], fresh: list[Said]) -> list[Said]:
        """Let results name their calls by the ids that were met first: a client that goes to another service gives calls ids of its own."""
        own = [call.tool_call_id for said in repeated for call in said.asked]
        first = {theirs: ours for theirs, ours in zip(own, self.calls, strict=False) if theirs and theirs not in self.calls}
        return [said._replace(result_of=first[said.result_of]) if said.result_of in first else said for said in fresh]

    def _learn(self, asked: list[Print], reply: Reply | None) -> None:
        """Keep what a request that continues this repeats; some clients send back what a failed reply said, and others do not."""
        self.asked = asked
        replied = list(map(print_of, reply.said)) if reply is not None else []
        failed = reply is not None and reply.said[0].error is not None
        self.messages = [*asked, *(replied if not failed else ())]
        self.known = [Known.of([*asked, *replied])] if not failed or replied[0].text else []
        self.silent = Known.of(asked) if replied and all(said.is_silent for said in replied) else None
        if failed:
            self.known.append(Known.of(asked))

    def _with_asides(self, asking: Asking, fresh: list[Said], known: int) -> list[Said]:
        """Put what is beside a person's words, and was not met before, where it stands among the messages that are new."""
        placed: list[Said] = []
        early: list[Said] = []
        met = 0
        for said in asking.said:
            if is_compared(said):
                placed += fresh[met - known : met - known + 1] if met >= known else ()
                met += 1
            elif self._is_new_aside(said):
                (early if met < known or (not met and self.parts) else placed).append(said)
        # A prompt that stands before what is repeated goes with the words that are new, and so not to the turn before them.
        first = 1 if fresh and self.parts else 0
        return [*placed[:first], *early, *placed[first:]]

    def _is_new_aside(self, said: Said) -> bool:
        text = "".join(piece.text or "" for piece in said.pieces)
        known = text in self.asides
        self.asides.add(text)
        return not known

    def continues_with(self, said: Known, by: int) -> int | None:
        """Return how many messages repeat all of this conversation; None when they do not."""
        repeated = said.repeats(self.silent, by) if self.silent is not None else None
        if repeated is not None and repeated < said[by].ends[-1]:
            return repeated
        return next((count for known in self.known if (count := said.repeats(known, by)) is not None), None)


def _place(exchange: Exchange, conversations: list[_Conversation], by_id: dict[str, _Conversation]) -> None:
    """Join an exchange to the conversation that it continues, the latest first, since a branch continues where it split off; else start one."""
    asking, account = exchange.asking, exchange.account
    if not asking.continues:
        asking = asking._replace(said=tuple(with_observations(asking.said)))
        exchange = exchange._replace(asking=asking)
    for place, value in asking.others:
        message = "It stands among messages and is none: no object, or of a kind that is not known; it was left out."
        account.leave_out("no_message", message, line=place, excerpt=value)
    if not asking.said and exchange.ids and exchange.ids[0] in by_id and by_id[exchange.ids[0]].complete(exchange):
        return
    known = next((by_id[own_id] for own_id in exchange.continues if own_id in by_id), None)
    repeated = None
    prints = [print_of(said) for said in asking.said if is_compared(said)]
    if known is None and not exchange.alone:
        known, repeated = _find(Known.of(prints), conversations)
    if known is None:
        conversations.append(known := _Conversation())
    known.add(exchange, prints, repeated=repeated)
    for own_id in (*exchange.continues, *exchange.ids):
        by_id[own_id] = known


class _Found(NamedTuple):
    """The conversation that a request continues, and how many of the request's messages repeat it."""

    conversation: _Conversation | None
    repeated: int | None


def _find(said: Known, conversations: list[_Conversation]) -> _Found:
    for by in range(len(said)) if said.by_ids != said.words else (0,):
        for conversation in reversed(conversations):
            if (repeated := conversation.continues_with(said, by)) is not None:
                return _Found(conversation, repeated)
    return _Found(None, None)


def _tell_cuts(conversation: _Conversation) -> None:
    """Tell which replies are not whole, now that what became of those that were still being made has been met."""
    for exchange, _, _ in conversation.parts:
        if exchange.reply is not None and not exchange.reply.whole:
            message = "The reply ends before it is whole: a stream that was interrupted or cut, or a reply that was still being made. What came is kept."
            exchange.account.diagnose("cut_stream", message, line=exchange.place)


def _emit(conversation: _Conversation, apart: Apart) -> None:
    first = conversation.parts[0].exchange
    draft = apart.start(first.name, first.account, line=first.place)
    reader = MessageList(draft.main, first.account)
    turns: dict[str, TurnRow | None] = {}
    latest: tuple[str, ...] = ()
    for exchange, said, merged in conversation.parts:
        draft.main.account = reader.account = exchange.account
        exchange.account.merge(merged)
        before = next((own_id for own_id in exchange.continues if own_id in turns), None)
        if before is not None and before not in latest and said:
            # A branch: it continues a reply that is not the latest one.
            reader.go_back_to(turns[before])
        reader.read(said)
        if exchange.reply is not None:
            reader.read(exchange.reply.said)
            if not exchange.reply.whole and reader.step is not None and reader.step.state == "done":
                reader.step.state = None
        latest = exchange.ids[:1]
        turns |= dict.fromkeys(latest, draft.main.turn)
    reader.finish()
    last = conversation.parts[-1].exchange
    draft.ended = last.reply is None or last.reply.whole
    _note(draft, last)
    draft.finish()


def _note(draft: ConversationDraft, last: Exchange) -> None:
    draft.labels |= last.labels
    draft.extra |= last.extra | last.asking.extra
    if draft.row.model is None:
        draft.row.model = last.asking.model
