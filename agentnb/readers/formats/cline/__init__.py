"""Cline and Roo Code: sessions of its SDK, and the two files that its editor extension keeps of each task.

Of a task one file holds what was sent to the model, in older versions with tools as XML in the text, and one what the person was shown: with times, costs,
and what the person was asked to allow. Where both are there they are one conversation, and each may stand alone. They name no task, so a task is told by
its first words. A record is a message. Of the extension's files no recorded one was at hand: they are read by their documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._ids import digest_of
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.dialects.anthropic import is_message
from agentnb.readers.formats.cline._sdk import is_session, read_sessions
from agentnb.readers.formats.cline._shown import is_shown, shown_task
from agentnb.readers.formats.cline._task import TaskFile, read_task
from agentnb.readers.formats.cline._xml import task_in

_MARKS = ("<environment_details>", "[TASK RESUMPTION]", "<task>")


def _matches(sample: Sample) -> bool:
    document = sample.document
    return is_session(document) or _is_shown_list(document) or _is_history(document)


def _is_shown_list(value: Any) -> bool:
    return isinstance(value, list) and sum(map(is_shown, value[:20])) * 2 > len(value[:20])


def _is_history(value: Any) -> bool:
    """Tell messages that the extension sent from those of any other client, by what it puts around a person's words."""
    if not isinstance(value, list) or sum(map(is_message, value[:20])) * 2 <= len(value[:20]):
        return False
    first: dict[str, Any] = next((item for item in value if is_message(item) and item["role"] == "user"), {})
    return any(text.lstrip().startswith(mark) for text in _texts_of(first) for mark in _MARKS)


def _texts_of(message: dict[str, Any]) -> list[str]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return [block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)]


def _keys(sample: Sample) -> set[str]:
    if is_session(sample.document):
        return {f"session {sample.document['sessionId']}"}
    return {_task_id(sample)}


def _task_id(sample: Sample) -> str:
    document = sample.document
    first: dict[str, Any] = next((item for item in document if is_message(item)), {})
    words = shown_task(document) if _is_shown_list(document) else task_in(_texts_of(first))
    return f"cline-{digest_of(['cline', (words or '').strip()])}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    sessions = [file for file in files if is_session(file.sample.document)]
    read_sessions([(value, file.account) for file in sessions for _, value in read_values(file, on_bytes)], apart)
    for task in _tasks([file for file in files if file not in sessions]):
        read = [TaskFile(value, file.account, is_shown=_is_shown_list(value)) for file in task for _, value in read_values(file, on_bytes)]
        read_task(_task_id(task[0].sample), read, apart)


def _tasks(files: Sequence[OpenFile]) -> list[list[OpenFile]]:
    """Put the files of a task together: tasks may have the same first words, but each has a folder of its own."""
    tasks: list[list[OpenFile]] = []
    for file in files:
        shown = _is_shown_list(file.sample.document)
        pair = next((task for task in tasks if len(task) == 1 and task[0].path.parent == file.path.parent), None)
        if pair is not None and _is_shown_list(pair[0].sample.document) != shown:
            pair.append(file)
        else:
            tasks.append([file])
    return tasks


READER = Reader(
    format="cline",
    title="Cline and Roo Code (SDK sessions, task files)",
    matches=_matches,
    keys=_keys,
    read=_read,
    places=(
        "~/.cline/data",
        "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
        "~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
        "~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
        "~/Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
    ),
)
