"""Real voice simulations of tau2: who spoke, how often and when."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reading import account_of, calls_of, read

pytestmark = pytest.mark.recordings


@pytest.fixture(scope="module")
def voice(recordings: Path) -> Path:
    return recordings / "tau" / "tau2-voice"


def ticks_of(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(path.read_text(encoding="utf-8"))["ticks"])


def utterances(ticks: list[dict[str, Any]], side: str) -> int:
    return sum(speaks for speaks, _ in itertools.groupby(tick[side]["contains_speech"] for tick in ticks))


def silent(tick: dict[str, Any]) -> bool:
    chunks = (tick["agent_chunk"], tick["user_chunk"])
    return not any(chunk["contains_speech"] or chunk["source_effects"] or chunk["speech_effects"] for chunk in chunks)


def test_results_and_simulations_are_read_together(voice: Path) -> None:
    rows = read(voice)
    assert {source.format for source in rows.sources} == {"tau2"}
    assert len(rows.conversations) == 3
    assert {row.agent_name for row in rows.conversations} == {json.loads((voice / "results.json").read_text())["info"]["agent_info"]["implementation"]}


def test_what_each_side_says_without_a_pause_is_one_message(voice: Path) -> None:
    for path in sorted((voice / "simulations").iterdir()):
        ticks = ticks_of(path)
        rows = read(path)
        assert len(calls_of(rows, "model")) == utterances(ticks, "agent_chunk")
        assert sum(part.role == "user" for part in rows.parts) == utterances(ticks, "user_chunk")


def test_every_tick_is_in_the_account_and_the_silent_ones_are_skipped(voice: Path) -> None:
    for path in sorted((voice / "simulations").iterdir()):
        ticks = ticks_of(path)
        quiet = sum(map(silent, ticks))
        assert account_of(read(path)) == (len(ticks), len(ticks) - quiet, 0, quiet)


def test_an_utterance_lasts_from_its_first_tick_to_its_last(voice: Path) -> None:
    path = voice / "simulations" / "49b22f0c-4a56-41c5-922f-bc2a56e53a23.json"
    spoken = [datetime.fromisoformat(tick["timestamp"]).replace(tzinfo=UTC) for tick in ticks_of(path) if tick["agent_chunk"]["contains_speech"]]
    rows = read(path)
    first = min(calls_of(rows, "model"), key=lambda call: call.started_at or 0)
    assert first.started_at == round(spoken[0].timestamp() * 1e6)
    assert rows.conversations[0].time_zone_assumed
    assert rows.turns[-1].state == "done"
