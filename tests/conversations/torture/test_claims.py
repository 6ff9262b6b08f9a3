"""Several processes want one turn: one gets it, and one that slept through its lease brings nothing that counts."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.conversations.torture.killing import Death
from tests.conversations.torture.scene import Scene
from tests.conversations.torture.worker import CONVERSATION, Job

NewScene = Callable[..., Scene]


def crowd(scene: Scene, size: int) -> list[int]:
    """Let processes resume one turn at once; returns the attempt of each lease that was taken."""
    scene.live(Death(9, "after"))
    scene.attempts += 1
    jobs = [Job(scene.place, scene.path, later=3600.0 * scene.attempts, pace=0.01) for _ in range(size)]
    statuses = [scene.nursery.wait(pid) for pid in [scene.nursery.start(job) for job in jobs]]
    assert all(status >= 0 for status in statuses), statuses
    return [record["attempt"] for record in scene.store.read(CONVERSATION) if record["kind"] == "lease"]


def race(new_scene: NewScene, sizes: Iterable[int]) -> None:
    """Let crowds of processes resume turns at once; each attempt is one process's alone."""
    truth = new_scene().undisturbed()
    for size in sizes:
        scene = new_scene(truth)
        attempts = crowd(scene, size)
        assert attempts == list(range(1, len(attempts) + 1)), "an attempt was claimed twice"
        scene.check()


def test_of_processes_that_resume_a_turn_at_once_exactly_one_gets_it(new_scene: NewScene) -> None:
    race(new_scene, [4])


@pytest.mark.torture
def test_however_often_processes_race_for_a_turn_one_gets_it(new_scene: NewScene) -> None:
    race(new_scene, [2, 4] * 25)


def sleep_through_a_lease(scene: Scene, notes: int) -> None:
    """Stop a process after it did so much, let another bring the turn to its end, and wake the first."""
    scene.attempts += 1
    sleeper = scene.nursery.start(Job(scene.place, scene.path, pace=0.02))
    while len(scene.side.notes()) < notes:
        time.sleep(0.005)
    try:
        put_to_sleep(sleeper)
        while scene.is_held():
            os.kill(sleeper, signal.SIGCONT)
            time.sleep(0.005)
            put_to_sleep(sleeper)
        scene.live(patient=True)
        before = scene.store.read(CONVERSATION)
    finally:
        os.kill(sleeper, signal.SIGCONT)
    assert scene.nursery.wait(sleeper) >= 0
    assert scene.store.read(CONVERSATION) == before, "what woke up wrote something"
    scene.deaths += 1  # what it had in flight is paid for again
    scene.check(slept=True)


def put_to_sleep(pid: int) -> None:
    """Stop a process, and wait until it has."""
    os.kill(pid, signal.SIGSTOP)
    while Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in ("T", "Z"):
        time.sleep(0.001)


def test_a_process_that_wakes_after_its_lease_ran_out_writes_nothing_that_counts(new_scene: NewScene) -> None:
    truth = new_scene().undisturbed()
    sleep_through_a_lease(new_scene(truth), notes=14)


@pytest.mark.torture
def test_whenever_a_process_falls_asleep_it_writes_nothing_that_counts_when_it_wakes(new_scene: NewScene) -> None:
    truth = new_scene().undisturbed()
    for notes in range(1, 31):
        sleep_through_a_lease(new_scene(truth), notes)
