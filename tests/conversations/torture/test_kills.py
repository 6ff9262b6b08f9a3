"""Processes are killed wherever they write, and at random moments, and resumed: nothing is lost, and nothing is paid for or done twice."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest

from tests.conversations.torture.killing import Death
from tests.conversations.torture.scene import AT_ONCE, Scene

NewScene = Callable[..., Scene]


def kill_at(new_scene: NewScene, deaths: Iterable[Death]) -> int:
    """Kill a process at each of these writes, resume, and hold what comes out against a run that nobody disturbed; returns how many died."""
    truth, killed = new_scene().undisturbed(), 0
    for death in deaths:
        scene = new_scene(truth)
        if scene.live(death) < 0:
            assert scene.unfinished() <= AT_ONCE, death
            assert scene.live() >= 0, death
        scene.check()
        killed += scene.deaths
    return killed


def test_a_process_that_is_killed_at_a_write_leaves_a_turn_that_comes_out_the_same(new_scene: NewScene) -> None:
    assert kill_at(new_scene, [Death(1, "before"), Death(2, "after"), Death(7, "after"), Death(19, "before"), Death(31, "after")]) == 5


def test_a_turn_whose_processes_all_die_after_a_few_writes_gets_to_its_end(new_scene: NewScene) -> None:
    scene = new_scene(new_scene().undisturbed())
    while scene.live(Death(6, "after")) < 0:
        assert scene.deaths < 100
    scene.check()
    assert scene.deaths > 4


@pytest.mark.torture
def test_at_whatever_write_a_process_is_killed_its_turn_comes_out_the_same(new_scene: NewScene) -> None:
    writes = new_scene().undisturbed().writes
    deaths = [death for at in range(1, writes + 6) for death in (Death(at, "before"), Death(at, "after"))]
    assert kill_at(new_scene, deaths) > writes


@pytest.mark.torture
@pytest.mark.parametrize(("step", "when"), [(4, "after"), (5, "before"), (6, "after"), (8, "before")])
def test_however_few_writes_each_process_lives_for_the_turn_gets_to_its_end(new_scene: NewScene, step: int, when: str) -> None:
    scene = new_scene(new_scene().undisturbed())
    while scene.live(Death(step, when)) < 0:  # type: ignore[arg-type]
        assert scene.deaths < 200
    scene.check()


def kill_at_random(new_scene: NewScene, seed: int, kills: int) -> None:
    """Kill processes at random moments, in the middle of tools and replies, until so many have died."""
    chance, truth, died = random.Random(seed), new_scene().undisturbed(), 0
    while died < kills:
        scene = new_scene(truth)
        while scene.live_until(chance.random() * 0.6, pace=0.01) < 0:
            assert scene.unfinished() <= AT_ONCE
        scene.check()
        died += scene.deaths


def test_a_process_that_is_killed_in_the_middle_of_tools_and_replies_does_nothing_twice(new_scene: NewScene) -> None:
    kill_at_random(new_scene, seed=1, kills=4)


@pytest.mark.torture
def test_processes_that_are_killed_at_a_hundred_moments_do_nothing_twice(new_scene: NewScene) -> None:
    kill_at_random(new_scene, seed=2, kills=100)
