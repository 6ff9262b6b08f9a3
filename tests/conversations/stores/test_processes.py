"""Many processes on one store, a process that is killed, one that forks, one that is stopped in the middle, and a disk that is full."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentnb.conversations.stores import SqlStore, Store, events_of, lengths_of
from agentnb.errors import ConversationError
from tests.conversations.stores.places import LASTING, Place
from tests.conversations.stores.postgres import Postgres
from tests.processes import finish, start

OPEN = """
from agentnb.conversations.stores import open_store
from agentnb.errors import ConversationError, StoreConflict
store = open_store(sys.argv[1])
"""

RACE = """
won = []
for place in range(40):
    try:
        store.append("c", [{"by": sys.argv[2], "place": place}], expect=place)
        won.append(place)
    except StoreConflict:
        pass
print(*won)
"""

KILLED = """
import random, signal, time

def append_for_ever(conversation, chance, pipe):
    store = type(opened)(sys.argv[1])
    for number in range(100_000):
        size = chance.choice([1, 1, 2, 4])
        batch = [{"batch": number, "of": size, "text": "x" * chance.choice([10, 500, 20_000])} for _ in range(size)]
        store.append(conversation, batch)
        os.write(pipe, b"%d\\n" % number)

def check(conversation, acknowledged):
    records = store.read(conversation)
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    numbers = [record["batch"] for record in records]
    assert numbers == sorted(numbers)
    for number in set(numbers):
        of = next(record["of"] for record in records if record["batch"] == number)
        assert numbers.count(number) == of, "a batch is whole or not there"
    assert set(range(acknowledged)) <= set(numbers), "what was acknowledged is there"
    assert len(set(numbers)) <= acknowledged + 1, "and at most what was being written when it died"
    assert store.append(conversation, [{"batch": -1}], expect=len(records)) == len(records) + 1
    assert store.read(conversation, after=len(records)) == [{"batch": -1, "seq": len(records) + 1}]

opened = store
for number in range(int(sys.argv[2])):
    chance = random.Random(number)
    receive, send = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(receive)
        append_for_ever(f"c{number}", chance, send)
    os.close(send)
    os.read(receive, 1)
    time.sleep(chance.random() * 0.02)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    rest = b"0" + b"".join(iter(lambda: os.read(receive, 65536), b""))
    os.close(receive)
    check(f"c{number}", rest.count(b"\\n"))
print("survived", int(sys.argv[2]))
"""


@pytest.mark.kinds(*LASTING)
def test_of_two_processes_that_race_for_a_place_exactly_one_gets_it(root: Path, place: Place) -> None:
    store = place.open()
    won = [list(map(int, out.split())) for out in finish([start(root, OPEN + RACE, place.where, name) for name in ("one", "two")])]
    assert sorted(won[0] + won[1]) == list(range(40))
    assert [(record["seq"] - 1, record["place"]) for record in store.read("c")] == [(number, number) for number in range(40)]
    assert [record["place"] for record in store.read("c") if record["by"] == "one"] == won[0]


@pytest.mark.kinds(*LASTING)
def test_processes_that_append_to_the_same_conversations_lose_nothing(root: Path, place: Place) -> None:
    code = 'for number in range(30): store.append(f"c{number % 3}", [{"by": sys.argv[2], "number": number}] * 2)'
    finish([start(root, OPEN + code, place.where, name) for name in "abcd"])
    store = place.open()
    assert lengths_of(store) == {f"c{number}": 80 for number in range(3)}
    for conversation in range(3):
        records = store.read(f"c{conversation}")
        assert [record["seq"] for record in records] == list(range(1, 81))
        for name in "abcd":
            assert [record["number"] for record in records if record["by"] == name][::2] == list(range(conversation, 30, 3))


@pytest.mark.kinds(*LASTING)
def test_processes_may_open_a_new_place_at_once(root: Path, place: Place) -> None:
    finish([start(root, OPEN + 'store.append("c", [{}])', place.where) for _ in range(4)])
    assert lengths_of(place.open()) == {"c": 4}


@pytest.mark.kinds(*LASTING)
def test_a_process_that_is_killed_loses_nothing_that_was_acknowledged(root: Path, place: Place) -> None:
    assert finish([start(root, OPEN + KILLED, place.where, 20)]) == ["survived 20\n"]


@pytest.mark.torture
@pytest.mark.kinds(*LASTING)
def test_processes_that_are_killed_hundreds_of_times_lose_nothing_that_was_acknowledged(root: Path, place: Place) -> None:
    assert finish([start(root, OPEN + KILLED, place.where, 400)]) == ["survived 400\n"]


FORKED = """
from concurrent.futures import ThreadPoolExecutor
import threading, time
store.append("c", [{"by": "parent"}])
busy = threading.Event()
def keep_busy():
    while not busy.is_set():
        store.append("busy", [{}])
        time.sleep(0.001)
        store.read("busy", after=10_000)
warnings.simplefilter("ignore", DeprecationWarning)  # threads and forks: that is what this is about
thread = threading.Thread(target=keep_busy)
thread.start()
for number in range(10):
    process = os.fork()
    if process == 0:
        store.append("c", [{"by": "child"}])
        assert store.wait("c", after=1, timeout=5)
        assert len(store.read("c")) >= 2
        os._exit(0)
    store.append("c", [{"by": "parent"}])
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
busy.set()
thread.join()
assert store.append("busy", []) == len(store.read("busy"))
print(*sorted(record["by"] for record in store.read("c")))
"""


@pytest.mark.kinds(*LASTING)
def test_a_store_is_used_on_in_both_halves_of_a_process_that_forks(root: Path, place: Place) -> None:
    assert finish([start(root, OPEN + FORKED, place.where)]) == [" ".join(["child"] * 10 + ["parent"] * 11) + "\n"]


def test_a_memory_store_is_copied_by_a_fork(root: Path) -> None:
    code = """
from agentnb.conversations.stores import open_store
store = open_store()
store.append("c", [{}])
process = os.fork()
if process == 0:
    os._exit(store.append("c", [{}]))
assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 2
print(store.append("c", []))
"""
    assert finish([start(root, code)]) == ["1\n"]


FULL = """
store.append("c", [{"text": "before"}])
most = max(os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk(os.path.dirname(sys.argv[1])) for file in files)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (most + 60_000, hard))
count = 1
try:
    while True:
        count = store.append("c", [{"text": "x" * 7000}, {"text": "y" * 7000}, {"text": "z" * 7000}])
except ConversationError as error:
    print(error)
assert [record["seq"] for record in store.read("c")] == list(range(1, count + 1))
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
assert store.append("c", [{"text": "after"}], expect=count) == count + 1
print([record["text"][:6] for record in store.read("c")][-1], count % 3)
"""


@pytest.mark.kinds("sqlite", "folder")
def test_on_a_full_disk_an_append_is_refused_whole_and_works_again_when_there_is_room(root: Path, place: Place) -> None:
    (out,) = finish([start(root, OPEN + FULL, place.where)])
    said, after = out.strip().split("\n")
    assert said.startswith(f"store-failed: {place.where}")
    assert "cannot be written: " in said
    assert "limit" in said
    assert "Nothing was written; " in said
    assert after == "after 1"
    assert place.open().read("c")[-1]["text"] == "after"


HOLD = {
    "sqlite": "import sqlite3; held = sqlite3.connect(sys.argv[1], isolation_level=None); held.execute('begin immediate')",
    "folder": "import fcntl; held = open(sys.argv[1] + '/conversations/c.lock', 'w'); fcntl.flock(held, fcntl.LOCK_EX)",
    "postgres": """
import psycopg
held = psycopg.connect(sys.argv[1]).cursor()
held.execute("update agentnb_conversations set length = length")
""",
}


@pytest.mark.kinds(*LASTING)
def test_a_store_that_is_held_too_long_by_another_process_is_said_to_be_so(root: Path, place: Place) -> None:
    store: Store = type(place.open())(place.where, busy_timeout=0.3)  # type: ignore[call-arg]
    store.append("c", [{"text": "before"}])
    holder = start(root, "import signal\n" + HOLD[place.kind] + "\nprint('held', flush=True); signal.pause()", place.where)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(ConversationError, match=r"cannot be written: .*(held|holds|locked).* Nothing was written; end ") as caught:
            store.append("c", [{"text": "refused"}])
        assert caught.value.code == "store-failed"
        assert "secret-word" not in str(caught.value)
        assert [record["text"] for record in store.read("c")] == ["before"]
    finally:
        holder.kill()
        holder.communicate()
    assert store.append("c", [{"text": "after"}], expect=1) == 2
    store.close()  # type: ignore[attr-defined]


TREE = "0199a000-0000-7000-8000-000000000001"
STARTED = {"functai_event": 2, "kind": "started", "tree": TREE, "writer": 1, "seq": 1, "after": None, "at": "2026-09-26T23:12:03.123456Z", "call": TREE}
STARTED |= {"function": "f", "parent": None, "root": TREE, "program": {}, "content": True, "inputs": {}, "saw": []}
CLAIMS = f"""
import json
started = json.loads({json.dumps(json.dumps(STARTED))})
try:
    store.events.append(started["tree"], [started])
except ConversationError as error:
    assert error.code == "event-conflict"
for _ in range(10):
    print(store.events.claim(started["tree"]).writer)
"""


@pytest.mark.kinds(*LASTING)
def test_processes_that_claim_a_log_at_once_get_numbers_of_their_own(root: Path, place: Place) -> None:
    claims = [out.split() for out in finish([start(root, OPEN + CLAIMS, place.where) for _ in range(3)])]
    assert sorted(int(number) for numbers in claims for number in numbers) == list(range(2, 32))
    events = events_of(place.open())
    assert events is not None
    assert len(events.read(TREE)) == 1


def test_a_server_that_ended_its_connections_is_connected_to_again(postgres_server: Postgres) -> None:
    store = SqlStore(postgres_server.new_place())
    store.append("c", [{}])
    postgres_server.execute("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = 'tester'")
    assert store.append("c", [{}], expect=1) == 2
    store.close()
