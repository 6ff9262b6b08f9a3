"""Tokens count once per reply; a count of a moment in the middle of a reply is none; cost is what the recording says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentnb.readers._rows import CallRow
from tests.readers.made import Record, chat, claude_session, exchange, reply, tokens, tool_use, trajectory, user, write_json, write_lines
from tests.readers.reading import calls_of, read


def models_of(tmp_path: Path, *events: Record) -> list[CallRow]:
    return calls_of(read(write_lines(tmp_path / "file", claude_session([user("Go."), *events]))), "model")


def test_the_lines_of_one_reply_count_once(tmp_path: Path) -> None:
    usage = tokens(3, 50, read=20, written=7)
    events = [reply("Hm.", id="m1", usage=usage, stop="tool_use"), reply(tool_use("t1"), id="m1", usage=usage, stop="tool_use")]
    (model,) = models_of(tmp_path, *events)
    assert (model.input_tokens, model.output_tokens, model.cached_tokens, model.cache_write_tokens) == (30, 50, 20, 7)
    assert model.reasoning_tokens is None
    assert model.cost is None


def test_two_replies_count_twice_also_when_they_say_the_same(tmp_path: Path) -> None:
    models = models_of(tmp_path, reply("Hm.", id="m1", usage=tokens(3, 5)), reply("Hm.", id="m2", usage=tokens(3, 5)))
    assert [(model.input_tokens, model.output_tokens) for model in models] == [(3, 5), (3, 5)]


def test_the_last_line_of_a_reply_knows_best(tmp_path: Path) -> None:
    (model,) = models_of(tmp_path, reply("Hm.", id="m1", usage=tokens(3, 1), stop=None), reply("Done.", id="m1", usage=tokens(3, 80), stop="end_turn"))
    assert (model.input_tokens, model.output_tokens, model.finish_reason) == (3, 80, "end_turn")


def test_a_count_of_a_reply_that_was_still_coming_is_none(tmp_path: Path) -> None:
    (model,) = models_of(tmp_path, reply("Hm.", id="m1", usage=tokens(3, 1), stop=None), reply(tool_use("t1"), id="m1", usage=tokens(3, 1), stop=None))
    assert (model.input_tokens, model.output_tokens) == (3, None)


def test_older_versions_wrote_the_whole_count_without_a_reason_for_stopping(tmp_path: Path) -> None:
    (model,) = models_of(tmp_path, reply("Hm.", id="m1", usage=tokens(3, 41), stop=None, version="1.0.53"))
    assert (model.input_tokens, model.output_tokens) == (3, 41)


def test_what_the_tool_says_in_the_models_name_costs_nothing(tmp_path: Path) -> None:
    (model,) = models_of(tmp_path, reply("API Error", id="m1", model="<synthetic>", usage=tokens(0, 0)))
    assert (model.input_tokens, model.output_tokens) == (None, None)


def test_counts_that_are_all_zero_are_not_known(tmp_path: Path) -> None:
    (model,) = models_of(tmp_path, reply("Hm.", id="req_1", usage=tokens(0, 0)))
    assert (model.input_tokens, model.output_tokens) == (None, None)


def test_a_count_that_no_column_can_hold_is_not_known(tmp_path: Path) -> None:
    (model,) = models_of(tmp_path, reply("Hm.", id="m1", usage=tokens(2**70, 5)))
    assert model.input_tokens is None


def test_a_reply_without_usage_has_none(tmp_path: Path) -> None:
    (model,) = models_of(tmp_path, reply("Hm.", id="m1"))
    assert (model.input_tokens, model.output_tokens, model.cached_tokens) == (None, None, None)


USAGES: list[tuple[Record, tuple[Any, ...]]] = [
    ({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}, (7, 3, None, None, None, None)),
    ({"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}}, (7, 3, 5, None, None, None)),
    ({"prompt_tokens": 7, "completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 2}}, (7, 3, None, None, 2, None)),
    ({"prompt_tokens": 7, "completion_tokens": 3, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 3}, (7, 3, 4, None, None, None)),
    ({"prompt_tokens": 7, "completion_tokens": 3, "cache_creation_input_tokens": 6}, (7, 3, None, 6, None, None)),
    ({"prompt_tokens": 0, "completion_tokens": 0}, (0, 0, None, None, None, None)),
    ({"prompt_tokens": 7, "completion_tokens": 3, "cost": 0.25}, (7, 3, None, None, None, 0.25)),
    ({"tokens": {"input_tokens": 7, "output_tokens": 3}, "billed_units": {"input_tokens": 1}}, (7, 3, None, None, None, None)),
    ({"prompt_tokens": 7, "prompt_tokens_details": None, "completion_tokens_details": None}, (7, None, None, None, None, None)),
    ({}, (None, None, None, None, None, None)),
]


@pytest.mark.parametrize(("usage", "expected"), USAGES, ids=[" ".join(usage) or "nothing" for usage, _ in USAGES])
def test_the_usage_of_a_response_is_read_in_every_dialect(usage: Record, expected: tuple[Any, ...], tmp_path: Path) -> None:
    log = exchange(chat([("user", "Go.")]), {"role": "assistant", "content": "Done."}, usage=usage)
    (model,) = calls_of(read(write_json(tmp_path / "file", log)), "model")
    assert (model.input_tokens, model.output_tokens, model.cached_tokens, model.cache_write_tokens, model.reasoning_tokens, model.cost) == expected


def test_replies_that_a_request_only_repeats_have_no_tokens_of_their_own(tmp_path: Path) -> None:
    messages = chat([("user", "One."), ("assistant", "1"), ("user", "Two.")])
    models = calls_of(read(write_json(tmp_path / "file", exchange(messages, {"role": "assistant", "content": "2"}, usage={"prompt_tokens": 9}))), "model")
    assert [model.input_tokens for model in models] == [None, 9]


def test_the_cost_of_a_whole_run_is_not_that_of_its_last_reply(tmp_path: Path) -> None:
    runs = [{"task_id": 1, "trial": 0, "reward": 1.0, "cost": 3.5, "traj": chat([("user", "Go."), ("assistant", "Done.")])}]
    rows = read(write_json(tmp_path / "file", runs))
    assert [model.cost for model in calls_of(rows, "model")] == [None]


def test_a_reply_that_failed_has_the_model_that_was_asked(tmp_path: Path) -> None:
    (model,) = calls_of(read(write_json(tmp_path / "file", exchange(chat([("user", "Go.")]), None, error={"message": "Too many requests"}))), "model")
    assert (model.name, model.state, model.error) == ("gpt-test", "failed", "Too many requests")


def test_the_metrics_of_a_step_are_those_of_its_reply_and_the_rest_is_kept(tmp_path: Path) -> None:
    metrics = {"prompt_tokens": 7, "completion_tokens": 3, "cached_tokens": 2, "cost_usd": 0.5, "logprobs": [1]}
    (model,) = calls_of(read(write_json(tmp_path / "file", trajectory([{"source": "agent", "message": "Hm.", "metrics": metrics}]))), "model")
    assert (model.input_tokens, model.output_tokens, model.cached_tokens, model.cost) == (7, 3, 2, 0.5)
    assert model.extra == '{"metrics":{"logprobs":[1]}}'


def test_copied_context_is_no_reply_and_costs_nothing(tmp_path: Path) -> None:
    steps: list[Record] = [
        {"source": "agent", "message": "Before.", "is_copied_context": True, "metrics": {"prompt_tokens": 7}},
        {"source": "agent", "message": "Now.", "metrics": {"prompt_tokens": 9}},
    ]
    models = calls_of(read(write_json(tmp_path / "file", trajectory(steps))), "model")
    assert [model.input_tokens for model in models] == [9]
