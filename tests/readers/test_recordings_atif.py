"""Real trajectories in ATIF: what somebody counts in the files is in the tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentnb.readers import Rows
from tests.readers.counting import Counted, count_atif
from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings

FILES = [
    "harbor_openhands.json",
    "harbor_terminus2_continuation.json",
    "harbor_terminus2_continuation_cont1.json",
    "harbor_terminus2_invalid_json.json",
    "harbor_terminus2_sub_answers.json",
    "harbor_terminus2_sub_summary.json",
    "harbor_terminus2_summarization.json",
    "harbor_terminus2_timeout.json",
    "multimodal_trajectory.json",
    "nat_exmp02_atif.json",
    "nat_exmp05_atif.json",
    "nat_exmp06_atif.json",
    "nemo_relay_atif_v1.7_real_redacted.json",
    "parallel_tools_mixed_results.json",
    "v17_embedded_subagents.json",
]


@pytest.fixture(scope="module")
def trajectories(recordings: Path) -> Path:
    return recordings / "atif"


def counted(rows: Rows) -> tuple[int, int]:
    return len(calls_of(rows, "model")), len(calls_of(rows))


def count(path: Path) -> Counted:
    return count_atif(json.loads(path.read_text(encoding="utf-8")))


def test_every_file_is_read_as_a_trajectory(trajectories: Path) -> None:
    rows = read(trajectories)
    assert sorted(Path(source.path).name for source in rows.sources) == FILES
    assert {(source.format, source.state) for source in rows.sources} == {("atif", "read")}
    assert len(rows.conversations) == 13


@pytest.mark.parametrize("name", FILES)
def test_the_replies_and_calls_that_one_counts_are_in_the_tables(name: str, trajectories: Path) -> None:
    assert counted(read(trajectories / name)) == count(trajectories / name)[:2]


@pytest.mark.parametrize("name", FILES)
def test_every_step_of_a_trajectory_is_kept(name: str, trajectories: Path) -> None:
    document = json.loads((trajectories / name).read_text(encoding="utf-8"))
    steps = len(document["steps"]) + sum(len(child["steps"]) for child in document.get("subagent_trajectories") or ())
    assert account_of(read(trajectories / name)) == (steps, steps, 0, 0)


@pytest.mark.parametrize("name", FILES)
def test_the_tokens_and_cost_of_each_step_are_those_of_its_reply(name: str, trajectories: Path) -> None:
    document = json.loads((trajectories / name).read_text(encoding="utf-8"))
    listed = [document, *(document.get("subagent_trajectories") or ())]
    metrics = [step.get("metrics") or {} for item in listed for step in item["steps"] if step["source"] == "agent" and not step.get("is_copied_context")]
    expected = [(found.get("prompt_tokens"), found.get("completion_tokens"), found.get("cost_usd")) for found in metrics]
    models = calls_of(read(trajectories / name), "model")
    assert sorted(map(str, expected)) == sorted(str((call.input_tokens, call.output_tokens, call.cost)) for call in models)


@pytest.mark.parametrize(
    "name", ["harbor_openhands.json", "harbor_terminus2_continuation.json", "harbor_terminus2_invalid_json.json", "multimodal_trajectory.json"]
)
def test_tokens_and_cost_add_up_to_the_totals_of_the_recording(name: str, trajectories: Path) -> None:
    totals = json.loads((trajectories / name).read_text(encoding="utf-8"))["final_metrics"]
    models = calls_of(read(trajectories / name), "model")
    assert sum(call.input_tokens or 0 for call in models) == totals["total_prompt_tokens"]
    assert sum(call.output_tokens or 0 for call in models) == totals["total_completion_tokens"]
    assert sum(call.cost or 0 for call in models) == pytest.approx(totals["total_cost_usd"])


def test_the_tokens_of_a_step_that_is_nobodys_reply_are_kept(trajectories: Path) -> None:
    rows = read(trajectories / "nemo_relay_atif_v1.7_real_redacted.json")
    kept = [json.loads(part.extra) for part in rows.parts if part.extra is not None]
    assert [extra["metrics"]["prompt_tokens"] for extra in kept if "metrics" in extra] == [8983]


def test_summaries_are_sub_agents_of_the_run_that_they_summarize(trajectories: Path) -> None:
    names = ("harbor_terminus2_summarization.json", "harbor_terminus2_sub_summary.json", "harbor_terminus2_sub_answers.json")
    rows = read([trajectories / name for name in names])
    assert len(rows.conversations) == 1
    agents = [call for call in calls_of(rows, "agent") if call.parent_call_id is not None]
    assert sorted(agent.name for agent in agents) == ["terminus-2-summarization-answers", "terminus-2-summarization-summary"]
    # The third of the three summaries is in no file.
    assert codes(rows) == {"agent_log_missing": 1}
    assert counted(rows) == tuple(map(sum, zip(*(count(trajectories / name)[:2] for name in names), strict=True)))


def test_a_continuation_is_a_conversation_that_continues_the_first_and_repeats_nothing(trajectories: Path) -> None:
    rows = read([trajectories / "harbor_terminus2_continuation.json", trajectories / "harbor_terminus2_continuation_cont1.json"])
    assert [(row.conversation_id, row.parent_conversation_id) for row in rows.conversations] == [
        ("harbor-terminus2-continuation", None),
        ("harbor-terminus2-continuation-cont-1", "harbor-terminus2-continuation"),
    ]
    assert counted(rows) == (7, 0)
    copied = [part for part in rows.parts if part.conversation_id.endswith("cont-1") and (part.source_line or 0) <= 4]
    assert {part.injected for part in copied} == {True}
    assert {part.step_id for part in copied} == {None}


def test_a_trajectory_embedded_in_another_is_under_the_call_that_delegated(trajectories: Path) -> None:
    rows = read(trajectories / "v17_embedded_subagents.json")
    assert [row.conversation_id for row in rows.conversations] == ["run-v17-001"]
    (delegate,) = (call for call in calls_of(rows) if call.name == "delegate_research")
    (child,) = (call for call in calls_of(rows, "agent") if call.parent_call_id == delegate.call_id)
    assert child.turn_id == rows.turns[0].turn_id


def test_results_find_their_calls_in_any_number_and_one_of_three_failed(trajectories: Path) -> None:
    calls = calls_of(read(trajectories / "parallel_tools_mixed_results.json"))
    assert [(call.name, call.state) for call in calls] == [("get_weather", "done"), ("get_stock", "failed"), ("get_news", "done")]
    assert [call.error for call in calls] == [None, "Error: API rate limit exceeded", None]
    assert calls[2].output is None


def test_a_reply_that_was_no_json_has_a_result_without_a_call(trajectories: Path) -> None:
    rows = read(trajectories / "harbor_terminus2_invalid_json.json")
    loose = [part for part in rows.parts if part.type == "tool_result" and part.call_id is None]
    assert [(part.text or "")[:27] for part in loose] == ["Previous response had parsi"]
    assert codes(rows) == {}


def test_images_are_parts_with_their_address_and_media_type(trajectories: Path) -> None:
    rows = read(trajectories / "multimodal_trajectory.json")
    images = [part for part in rows.parts if part.type == "image"]
    assert [part.mime_type for part in images] == [part.mime_type for part in images if part.mime_type]
    assert images
    assert [part for part in rows.parts if part.type == "other"] == []
