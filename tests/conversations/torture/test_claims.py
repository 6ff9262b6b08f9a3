"""Several processes want one turn: one gets it, and one that slept through its lease brings nothing that counts."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conversations.torture.killing import Death
from tests.conversations.torture.scene import Scene
from tests.conversations.torture.worker import CONVERSATION, Job

NewScene = Callable[..., Scene]


def crowd(scene: Scene, size: int) -> list[tuple[int, int]]:
    """Let processes resume one turn at once; returns the attempt and process of each lease that was taken."""
    scene.live(Death(9, "after"))
    scene.attempts += 1
    jobs = [Job(scene.place, scene.path, later=3600.0 * scene.attempts, pace=0.01) for _ in range(size)]
    statuses = [scene.nursery.wait(pid) for pid in [scene.nursery.start(job) for job in jobs]]
    assert all(status >= 0 for status in statuses), statuses
    return [(record["attempt"], int(record["holder"].split(":")[1])) for record in scene.store.read(CONVERSATION) if record["kind"] == "lease"]


@pytest.mark.parametrize("size", [2, 4])
def test_of_processes_that_resume_a_turn_at_once_exactly_one_gets_it(new_scene: NewScene, size: int) -> None:
    truth = new_scene().undisturbed()
    for _ in range(2):
        scene = new_scene(truth)
        leases = crowd(scene, size)
        assert [attempt for attempt, _ in leases] == list(range(1, len(leases) + 1)), "no attempt was claimed twice"
        scene.check()


@pytest.mark.torture
@pytest.mark.parametrize("size", [2, 4])
def test_however_often_processes_race_for_a_turn_one_gets_it(new_scene: NewScene, size: int) -> None:
    truth = new_scene().undisturbed()
    for _ in range(25):
        scene = new_scene(truth)
        leases = crowd(scene, size)
        assert [attempt for attempt, _ in leases] == list(range(1, len(leases) + 1))
        scene.check()


def sleep_through_a_lease(scene: Scene, notes: int) -> None:
    """Stop a process after it did so much, let another bring the turn to its end, and wake the first."""
    scene.attempts += 1
    sleeper = scene.nursery.start(Job(scene.place, scene.path, pace=0.02))
    while len(scene.side.notes()) < notes:
        time.sleep(0.005)
    try:
        os.kill(sleeper, signal.SIGSTOP)
        while scene.is_held():
            os.kill(sleeper, signal.SIGCONT)
            time.sleep(0.005)
            os.kill(sleeper, signal.SIGSTOP)
        scene.live(patient=True)
        before = scene.store.read(CONVERSATION)
    finally:
        os.kill(sleeper, signal.SIGCONT)
    assert scene.nursery.wait(sleeper) >= 0
    assert scene.store.read(CONVERSATION) == before, "what woke up wrote something"
    scene.deaths += 1  # what it had in flight is paid for again
    scene.check()


def test_a_process_that_wakes_after_its_lease_ran_out_writes_nothing_and_says_why(new_scene: NewScene, tmp_path: Path) -> None:
    truth = new_scene().undisturbed()
    for notes in (3, 14, 24):
        sleep_through_a_lease(new_scene(truth), notes)
    assert "was taken over by another process" in (tmp_path / "said").read_text(encoding="utf-8")


@pytest.mark.torture
def test_whenever_a_process_falls_asleep_it_writes_nothing_that_counts_when_it_wakes(new_scene: NewScene) -> None:
    truth = new_scene().undisturbed()
    for notes in range(1, 31):
        sleep_through_a_lease(new_scene(truth), notes)
