"""Other distributions bring readers of their own; the one in the package's text is installed here and run, and one that fails stops nothing."""

from __future__ import annotations

import logging
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import agentnb.readers
from agentnb.readers import READERS, all_readers
from tests.readers.made import chat, claude_session, reply, user, write_json, write_lines
from tests.readers.reading import account_of, codes, read, texts_of

DIARY = [{"diary": "d1", "who": "user", "words": "Where is my lamp?"}, {"diary": "d1", "who": "assistant", "words": "On its way."}]
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a distribution that brings one reader, on a path of its own."""
    place = tmp_path / "site-packages"
    monkeypatch.syspath_prepend(str(place))

    def made(module: str, code: str, *, points: str | None = None, name: str = "agent-diary") -> None:
        info = place / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
        (info / "entry_points.txt").write_text(f"[agentnb.readers]\n{points or f'diary = {module}'}\n", "utf-8")
        (place / f"{module}.py").write_text(code, "utf-8")
        all_readers.cache_clear()

    yield made
    all_readers.cache_clear()


def example() -> str:
    """Return the reader in the text of the package."""
    text = agentnb.readers.__doc__ or ""
    code = textwrap.dedent(text[text.index("    from agentnb.readers import") : text.index("`MessageList` counts")])
    return f"from collections.abc import Sequence\n\n{code}"


def test_the_reader_in_the_text_of_the_package_reads(install: Install, tmp_path: Path) -> None:
    install("diary_reader_one", example())
    rows = read(write_lines(tmp_path / "monday.log", DIARY))
    assert [(row.format, row.conversation_id) for row in rows.conversations] == [("diary", "monday.log")]
    assert (texts_of(rows), account_of(rows), codes(rows)) == (["Where is my lamp?", "On its way."], (2, 2, 0, 0), {})


def test_a_value_of_a_module_may_be_named_too_and_is_asked_before_our_own(install: Install, tmp_path: Path) -> None:
    install("diary_reader_two", example().replace('"diary" in value', '"role" in value').replace("diary", "other"), points="x = diary_reader_two:READER")
    first, *others = [reader.format for reader in all_readers()]
    assert (first, others) == ("other", [reader.format for reader in READERS])


def test_a_reader_whose_format_has_the_name_of_ours_replaces_it(install: Install) -> None:
    install("diary_reader_three", example().replace('format="diary"', 'format="atif"'))
    formats = [reader.format for reader in all_readers()]
    assert (formats[0], formats.count("atif")) == ("atif", 1)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import nowhere_to_be_found", "The reader diary of agent-diary cannot be imported: ModuleNotFoundError"),
        ("this is no Python", "The reader diary of agent-diary cannot be imported: SyntaxError"),
        ("READER = 'diary'", "The reader diary of agent-diary is no agentnb.readers.Reader"),
    ],
    ids=["import", "syntax", "no reader"],
)
def test_what_is_no_reader_is_said_once_and_everything_else_is_read(
    code: str, said: str, install: Install, tmp_path: Path, caplog: pytest.LogCaptureFixture, request: pytest.FixtureRequest
) -> None:
    install(f"diary_reader_{re.sub('[^a-z]', '', request.node.callspec.id)}", code)
    with caplog.at_level(logging.WARNING, "agentnb"):
        for _ in range(2):
            assert len(read(write_lines(tmp_path / "session.jsonl", claude_session([user("Hello"), reply("Hello!", id="m1")]))).conversations) == 1
    assert [record.getMessage().partition(" '")[0][: len(said)] for record in caplog.records] == [said]


def test_a_test_of_a_file_that_raises_is_no_match_and_is_said_once(install: Install, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    install("diary_reader_four", re.sub(r"return sample\.shape.*", "raise KeyError('oops')", example()))
    write_lines(tmp_path / "logs" / "session.jsonl", claude_session([user("Hello"), reply("Hello!", id="m1")]))
    write_json(tmp_path / "logs" / "talk.json", chat([("user", "Hello"), ("assistant", "Hello!")]))
    assert len(read(tmp_path / "logs").conversations) == 2
    assert [record.getMessage() for record in caplog.records] == ["The reader diary of agent-diary: its matches raised KeyError: 'oops'. It is said once."]


def test_a_reader_that_raises_leaves_nothing_half_read_and_the_account_says_so(install: Install, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    install("diary_reader_five", example())
    write_lines(tmp_path / "logs" / "monday.log", [DIARY[0], {"diary": "d1", "words": "Nobody said this."}])
    write_json(tmp_path / "logs" / "talk.json", chat([("user", "Hello"), ("assistant", "Hello!")]))
    rows = read(tmp_path / "logs")
    states = {source.path.rsplit("/", 1)[-1]: (source.state, source.records_read) for source in rows.sources}
    assert states == {"monday.log": ("unreadable", 0), "talk.json": ("read", 2)}
    assert [source.reason for source in rows.sources if source.reason] == ["The reader diary of agent-diary failed: KeyError: 'who'."]
    assert [row.format for row in rows.conversations] == ["openai_chat"]
    assert len(caplog.records) == 1


def test_keys_that_raise_leave_a_file_alone(install: Install, tmp_path: Path) -> None:
    install("diary_reader_six", re.sub(r"return \{str.*", "return 1 / 0", example()))
    rows = read([write_lines(tmp_path / "monday.log", DIARY), write_lines(tmp_path / "tuesday.log", [*DIARY, DIARY[0]])])
    assert len(rows.conversations) == 2


def test_of_two_readers_of_one_format_the_first_is_used_and_the_other_named(install: Install, caplog: pytest.LogCaptureFixture) -> None:
    install("diary_reader_seven", example())
    install("diary_reader_eight", example(), name="zebra-diary")
    assert [reader.format for reader in all_readers()].count("diary") == 1
    assert [record.getMessage() for record in caplog.records] == [
        "The reader diary of zebra-diary: there is a reader of the format 'diary' already; this one is not used."
    ]
