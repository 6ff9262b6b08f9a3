"""Inspect AI logs, as JSON and as .eval archives: every sample and epoch is a conversation.

Records are the messages and events of the samples, each part of the header, and in an archive each summary. An archive is read sample by sample. A log
that crashed has no header: its journal says what was run, and a sample of which only the summary is there has its scores and no messages. An event that
a message tells already is merged; changes of the state, bare spans and the totals of an evaluation are skipped, and counted.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from agentnb.readers._account import Account
from agentnb.readers._archive import read_member, read_members
from agentnb.readers._fields import count_in, text_of
from agentnb.readers._json import parse_document, parse_json, to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.formats.inspect._event import raw_items
from agentnb.readers.formats.inspect._sample import Fields, SampleReader

_SAMPLE = re.compile(r"(?:.*/)?samples/.+\.json")
_SUMMARIES = re.compile(r"(?:.*/)?(?:_journal/summaries/\d+|summaries)\.json")
_HEADERS = ("header.json", "_journal/start.json")
_TOTALS = ("plan", "results", "stats", "reductions")
_LABELS = ("task", "solver", "tags")


def _matches(sample: Sample) -> bool:
    if sample.shape == "archive":
        names = [name for name in sample.values if isinstance(name, str)]
        begun = any(name in _HEADERS or name.startswith("_journal/") for name in names)
        return begun and ("_journal/start.json" in names or any(map(_SAMPLE.fullmatch, names)))
    return sample.shape == "document" and _is_log(sample.document)


def _is_log(value: Any) -> bool:
    run = value.get("eval") if isinstance(value, dict) else None
    return isinstance(run, dict) and "task" in run and "model" in run and "status" in value


def _keys(sample: Sample) -> set[str]:
    """Logs of one task belong together: a repeated evaluation takes over the samples that were done. The first member of an archive tells the task."""
    value = sample.document if sample.shape == "document" else parse_document(sample.text.encode()).value if sample.text else None
    run = value.get("eval") if isinstance(value, dict) else None
    named = text_of(run.get("task_id")) if isinstance(run, dict) else None
    return {named} if named else set()


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    reading = _Reading(rows)
    for file in files:
        if file.sample.shape == "archive":
            _read_archive(file, reading, on_bytes)
        else:
            for _, value in read_values(file, on_bytes):
                _read_document(value, file.account, reading)


def _read_document(value: dict[str, Any], account: Account, reading: _Reading) -> None:
    log = _Log(value, account)
    log.note_header(("samples",))
    samples = value.get("samples")
    for place, sample in enumerate(samples if isinstance(samples, list) else [], 1):
        reading.read_sample(msgspec.json.encode(sample, enc_hook=str), log, place)
    log.note_missing()


def _read_archive(file: OpenFile, reading: _Reading, on_bytes: OnBytes) -> None:
    account = file.account
    names = [name for name in file.sample.values if isinstance(name, str)]
    begin = next((name for name in _HEADERS if name in names), None)
    data = read_member(file, begin) if begin is not None else None
    header = parse_json(data).value if data is not None else None
    log = _Log(header if isinstance(header, dict) else {}, account)
    log.note_header(())
    summaries: list[Any] = []
    for place, (name, content) in enumerate(read_members(file, on_bytes), 1):
        if _SAMPLE.fullmatch(name):
            reading.read_sample(content, log, place)
        elif _SUMMARIES.fullmatch(name):
            listed = parse_json(content).value
            summaries += listed if isinstance(listed, list) else []
        elif name in _HEADERS:
            account.merge(name != begin)
        else:
            account.skip("evaluation_totals" if name == "reductions.json" else "unknown_member")
    for summary in summaries:
        reading.read_summary(summary, log)
    log.note_missing()


class _Log:
    """The header of a log, and which of its samples were met."""

    def __init__(self, header: dict[str, Any], account: Account) -> None:
        self.header = header
        self.account = account
        self.met: set[str] = set()
        run = header.get("eval")
        self.eval: dict[str, Any] = run if isinstance(run, dict) else {}
        dataset = self.eval.get("dataset")
        self.dataset: dict[str, Any] = dataset if isinstance(dataset, dict) else {}

    @property
    def name(self) -> str:
        """What tells the run from others."""
        ids = [text for key in ("eval_id", "run_id", "task_id") if (text := text_of(self.eval.get(key)))]
        return ids[0] if ids and self.eval.get("eval_id") else "/".join(ids) or "inspect"

    def note_header(self, read_elsewhere: tuple[str, ...]) -> None:
        """Account for the parts of the header: what was run stands with every conversation, totals of all samples with none."""
        for name, value in self.header.items():
            if name in _TOTALS:
                if value is not None:
                    self.account.skip("evaluation_totals")
            elif name not in read_elsewhere:
                self.account.keep()
        if not self.header:
            self.account.diagnose("no_header", "The log has no header that can be read; what was run is not known.", severity="warning")

    def note_missing(self) -> None:
        """Say how many samples the header promises that are not there."""
        results, config = self.header.get("results"), self.eval.get("config")
        epochs = count_in(config.get("epochs")) if isinstance(config, dict) else None
        samples = count_in(self.dataset.get("samples"))
        promised = count_in(results.get("total_samples")) if isinstance(results, dict) else None
        if promised is None and samples is not None:
            promised = samples * (epochs or 1)
        if promised is not None and promised > len(self.met):
            what = "only the header; none" if not self.met else f"{len(self.met):,}"
            message = f"The log holds {what} of the {promised:,} samples that its header tells of."
            self.account.diagnose("samples_missing", message, severity="info" if self.header.get("status") == "success" else "warning")

    def note_run(self, draft: ConversationDraft) -> None:
        """Note what was run with a conversation."""
        draft.row.model = draft.row.model or text_of(self.eval.get("model"))
        draft.labels |= self.labels
        draft.extra |= self.extra

    @functools.cached_property
    def labels(self) -> dict[str, Any]:
        """What the conversations of the log have in common to group by."""
        return {name: self.eval[name] for name in _LABELS if self.eval.get(name)}

    @functools.cached_property
    def extra(self) -> dict[str, msgspec.Raw]:
        """What was run, written once: it stands with each of some hundred samples."""
        kept = {name: value for name, value in self.eval.items() if name not in ("dataset", *_LABELS) and value not in (None, {}, [])}
        dataset = {name: value for name, value in self.dataset.items() if name != "sample_ids"}
        run = kept | ({"dataset": dataset} if dataset else {})
        others = {name: value for name, value in self.header.items() if name not in ("eval", "samples", *_TOTALS) and value not in (None, {}, [])}
        return {name: msgspec.Raw(to_json(value).encode()) for name, value in (("eval", run), ("log", others)) if value}


class _Reading:
    """What is known while the logs of a group are read."""

    def __init__(self, rows: Rows) -> None:
        self.apart = Apart(rows, READER.format)
        self.lengths: dict[str, set[int]] = {}

    def read_sample(self, data: bytes, log: _Log, place: int) -> None:
        """Read a sample; one that a repeated evaluation took over is merged."""
        fields = Fields(data)
        if not fields.raw:
            log.account.leave_out("no_sample", "The sample is no object that can be read; it was left out.", line=place, excerpt=data[:200])
            return
        log.met.add(_case_of(fields.get("id"), fields.get("epoch")))
        conversation_id = text_of(fields.get("uuid")) or f"{log.name}/{_case_of(fields.get('id'), fields.get('epoch'))}"
        known = self.lengths.setdefault(conversation_id, set())
        if known and (length := len(raw_items(fields.raw.get("messages", b"")))) in known:
            log.account.merge(length + len(raw_items(fields.raw.get("events", b""))))
            return
        draft = self.apart.start(conversation_id, log.account, line=place)
        _begin(draft, fields, log)
        reader = SampleReader(fields, draft, log.account)
        reader.read()
        known.add(reader.listed)

    def read_summary(self, summary: Any, log: _Log) -> None:
        """Merge a summary of a sample that is there; of one that is not make a conversation without messages."""
        if not isinstance(summary, dict):
            log.account.skip("no_summary")
            return
        case = _case_of(summary.get("id"), summary.get("epoch"))
        if case in log.met:
            log.account.merge()
            return
        self.read_sample(msgspec.json.encode(summary, enc_hook=str), log, 1)
        log.account.diagnose("sample_missing", f"Of the sample {case} only the summary is there.", severity="warning")


def _begin(draft: ConversationDraft, fields: Fields, log: _Log) -> None:
    log.note_run(draft)
    draft.labels |= {name: value for name, value in (("sample", fields.get("id")), ("epoch", fields.get("epoch"))) if value is not None}


def _case_of(sample_id: Any, epoch: Any) -> str:
    return f"{text_of(sample_id)}/{text_of(epoch)}"


READER = Reader(format="inspect", title="Inspect AI log (.eval, .json)", matches=_matches, keys=_keys, read=_read)
