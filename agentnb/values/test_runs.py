"""Is a shell command a test run or another check, and was it green or red?

The grammar of Navin's runner: a command proves something only when nothing masks its exit code; else its runner's own summary may speak.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final, Literal, NamedTuple

Verdict = Literal["pass", "fail"]

LONGEST_COMMAND: Final = 20_000
"""Characters of a command that are looked at."""
SUMMARY: Final = 4_000
"""Characters at the end of an output in which a runner's summary stands."""

_PROGRAM_NAMES: Final = "pytest py.test vitest jest mocha phpunit rspec tox nox ctest ava tap karma cypress behave busted"
_WRAPPER_NAMES: Final = "coverage uv poetry pipenv hatch pdm rye npx bunx pnpx bundle time sudo env nice xvfb-run timeout nix-shell"
_WITH_SUBCOMMAND: Final = "go dotnet mix swift flutter dart deno stack cabal sbt lein zig nx turbo ng playwright yarn bun cargo"
_PROGRAMS: Final = frozenset(_PROGRAM_NAMES.split())
_WRAPPERS: Final = frozenset(_WRAPPER_NAMES.split())
_CHECKER_NAMES: Final = "mypy pyright ruff flake8 pylint eslint tsc biome oxlint golangci-lint shellcheck"
_CHECKERS: Final = frozenset(_CHECKER_NAMES.split())
"""Linters and type checkers: what they say is a verdict too."""
_CHECK_SCRIPTS: Final = ("test", "e2e", "check", "lint", "typecheck", "type-check", "verify", "validate")
_SILENT: Final = ("check", "lint", "typecheck", "type-check", "clippy", "vet")
"""Of them those that say nothing when all is well."""
_MODULES: Final = frozenset(("pytest", "unittest", "nose2", "behave", "mypy", "pyright", "flake8", "pylint"))
_SUBCOMMANDS: Final = {
    **dict.fromkeys(_WITH_SUBCOMMAND.split(), frozenset(("test",))),
    "cargo": frozenset(("test", "check", "clippy", "llvm-cov", "tarpaulin")),
    "go": frozenset(("test", "vet")),
    "npm": frozenset(("test", "t")),
    "pnpm": frozenset(("test", "t")),
}
_TARGETS: Final = {
    "make": frozenset(("test", "check", "tests")),
    "just": frozenset(("test", "tests", "check", "lint", "clippy", "coverage")),
    "task": frozenset(("test", "tests", "check", "lint")),
    "rake": frozenset(("test", "spec")),
    "mvn": frozenset(("test", "verify")),
    "mvnw": frozenset(("test", "verify")),
    "gradle": frozenset(("test", "check")),
    "gradlew": frozenset(("test", "check")),
}
_SCRIPT_RUNNERS: Final = frozenset(("npm", "pnpm", "yarn", "bun"))
_NOT_A_RUN: Final = frozenset(f"--{flag}" for flag in ("collect-only", "listTests", "list-tests", "list", "help", "version", "dry-run"))
_HINT_WORDS: Final = (
    "test check verify llvm-cov tarpaulin coverage spec jest mocha phpunit tox nox ava tap karma cypress behave busted e2e mypy pyright ruff flake8 lint tsc "
    "biome clippy vet"
)
_HINTS: Final = tuple(_HINT_WORDS.split())
"""A command without any of these runs no checks, apart from `npm t`."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"", re.DOTALL)
_REDIRECTION = re.compile(r"\d?>&\d|&>>?\s*\S+|\d?>>?\s*[^\s&|;]+")
_MASK = re.compile(r"\|\||[;|\n]|(?<!&)&(?!&)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_TEST_SCRIPT = re.compile(r"(?:.*[/\\])?(?:test_[^/\\]*|[^/\\]*_test)\.py")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*|py")

_PYTEST = re.compile(r"^=*[ \t]*((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.:]+", re.MULTILINE)
_OTHERS: Final = (
    re.compile(r"^Tests?:?[ \t]+((?:\d+ [a-z]+[,| \t]*)+)", re.MULTILINE),
    re.compile(r"^test result: ((?:ok|FAILED)\. (?:\d+ [a-z ]+(?:; )?)+)", re.MULTILINE),
    re.compile(r"^Ran (\d+ tests?) in [\d.]+s\s+(?:OK|FAILED)\b[^\n]*", re.MULTILINE),
)
_COUNT = re.compile(r"(\d+) (passed|failed|failing|errors?|tests?|skipped|ok)\b")
# The patterns below look at texts in lower case and begin with letters, so that a long output without these words is passed over quickly.
_NO_TESTS = re.compile(r"no tests (?:ran|run|found|collected|to run)|collected 0 items|(?<!\d)0 passed|\[no test files\]|ran 0 tests")
_RED = re.compile(r"f(?<!\wf)(?<!\bno f)(?<!\b0 f)ail(?:ed|ures?|ing|s)?\b|e(?<=[1-9] e)rrors?\b|e(?<=\d\d e)rrors?\b")
_GREEN = re.compile(r"p(?<!\wp)ass(?:ed|es|ing)?\b|c(?<!\wc)lean\b|o(?<!\wo)k\b")
_SOME_PASSED = re.compile(r"(?<!\d)[1-9]\d* passed\b|^ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))", re.MULTILINE)
_SKIPPED = re.compile(r"(?<!\d)[1-9]\d* (?:skipped|deselected)\b")
_PASSED = re.compile(r"(?<!\d)[1-9]\d* (?:passed|passing|ok)\b|\bok\b")
_RUNS_ON = re.compile(r"\brunning (?:with session|in (?:the )?background)|\bstill running")
_OUTCOMES: Final = ("passed", "failed", "error", "skipped", "no tests ran")


_PIPE = re.compile(r"(?<!\|)\|(?!\|)")
_HIDDEN = re.compile(r"(?<!\d)1?>(?!&)|&>")
_FAULTS_SOUGHT = re.compile(r"err|fail|warn", re.IGNORECASE)
_LOUD = re.compile(r"(?<!\b0 )(?<!\bno )\berrors?\b(?!:? ?0)|\berr!|\btraceback \(most recent|\bpanicked at|\bcommand not found|\bno such file", re.IGNORECASE)
_INTERPRETER_NAMES: Final = "bash sh zsh dash ksh node deno bun ruby perl php Rscript julia lua ts-node tsx go java swift pwsh"
_INTERPRETERS: Final = frozenset(_INTERPRETER_NAMES.split())


class CheckCommand(NamedTuple):
    """What a command has to do with tests."""

    masked: bool
    """Whether something hides the exit code of the test run in it."""
    script: bool
    """Whether it is a bare script, which proves nothing without a summary of tests."""
    silent: bool = False
    """Whether it only looks for faults, as linters and type checkers do: these say nothing when all is well."""


@lru_cache(maxsize=64)
def check_command(command: str) -> CheckCommand | None:
    """Say whether a shell command runs tests.

    Args:
        command: as it was given to a shell.

    Returns:
        None when no part of it is a test run; `pip install pytest` and `echo jest` are none.
    """
    if not any(hint in command for hint in _HINTS) and "npm t" not in command:
        return None
    plain = _plain(command)
    masked = _MASK.search(plain.strip()) is not None
    kinds = [kind for part in re.split(r"&&|\|\||[;|&\n]", plain) if (kind := _run_in(part.split()))]
    return CheckCommand(masked, all(kind == "script" for kind in kinds), all(kind == "checker" for kind in kinds)) if kinds else None


def verdict_of_run(run: CheckCommand, *, exit_code: int | None, failed: bool, output: str, done: bool = False) -> Verdict | None:
    """Judge a test run: by its exit code where nothing masks it, else by its summary.

    Args:
        run: what `check_command` said of the command.
        exit_code: as recorded; None when it is not.
        failed: whether the recording says that the call failed.
        output: what was shown.
        done: whether the recording says that the call ended well; that counts as an exit code of 0, unless the output says otherwise.

    Returns:
        None when it proves nothing: no tests ran, all were skipped, it runs on, or nothing tells.
    """
    tail = output[-SUMMARY:]
    words = tail.lower()
    if run.masked:
        return _summary(tail, words)
    if exit_code not in (None, 0) or (exit_code is None and failed):
        return "fail"
    if _without_tests(words) or (("skipped" in words or "deselected" in words) and _SKIPPED.search(words) and not _PASSED.search(words)):
        return None
    if run.script or exit_code is None:
        told = _summary(tail, words) or (None if run.script else verdict_in(tail))
        return told or ("pass" if done and not run.script and not _RUNS_ON.search(words[:400]) else None)
    return "pass"


def verdict_in(output: str) -> Verdict | None:
    """Judge a checker by the words of its output: a word of failure, else one of success, else nothing."""
    words = output[-SUMMARY:].lower()
    if ("fail" in words or "error" in words) and _RED.search(words):
        return "fail"
    return "pass" if _GREEN.search(words) and not _without_tests(words) else None


def looks_green(command: str, output: str) -> bool:
    """Say whether a check whose exit code is hidden was green by all that was shown of it; ours, and weaker than a verdict.

    `npm run check | tail` hides the exit code and shows the end of the output. Words of success without a word of failure speak for it; of a linter or a type
    checker it is enough that nothing speaks against it. Either only counts where faults would have been shown: not behind a filter that takes the first lines
    or looks for something else, and not where the output went into a file.

    Args:
        command: as it was given to a shell.
        output: what was shown.
    """
    run = check_command(command)
    words = output[-SUMMARY:].lower()
    if run is None or not run.masked or run.script or _LOUD.search(words) or _RUNS_ON.search(words[:400]):
        return False
    told = verdict_in(output)
    return (told == "pass" or (told is None and run.silent)) and _shows_faults(command)


def scripts_run(command: str) -> list[str]:
    """Return the files that a command runs: programs by their path, and the scripts that are given to an interpreter."""
    found = []
    for part in re.split(r"&&|\|\||[;|&\n]", _plain(command)):
        words = _unwrapped(part.split())
        if not words:
            continue
        program = _program(words[0])
        interprets = program in _INTERPRETERS or _PYTHON.fullmatch(program)
        plain = [word for word in words[1:] if not word.startswith("-") and word != "run"]
        if not interprets:
            found.append(words[0])
        elif plain and not {"-c", "-m", "-e"} & set(words):
            found.append(plain[0])
    return found


def shell_programs(command: str) -> list[str]:
    """Return the programs that a command runs, in order, without wrappers and folders."""
    parts = (_unwrapped(part.split()) for part in re.split(r"&&|\|\||[;|&\n]", _plain(command)))
    return [_program(words[0]) for words in parts if words]


def _plain(command: str) -> str:
    """Return a command with each quoted text as one word, and without redirections."""
    plain = command[:LONGEST_COMMAND].replace("\\\n", " ")
    if "'" in plain or '"' in plain:
        plain = _QUOTED.sub(_quiet, plain)
    return _REDIRECTION.sub(" ", plain) if ">" in plain else plain


def _quiet(match: re.Match[str]) -> str:
    """Keep a quoted text as one word without operators."""
    return re.sub(r"[\s&|;<>]", "_", match[0][1:-1])


def _run_in(words: list[str]) -> str | None:
    words = _unwrapped(words)
    if not words or not _NOT_A_RUN.isdisjoint(words):
        return None
    program, rest = _program(words[0]), words[1:]
    plain = [word for word in rest if not word.startswith(("-", "+"))]
    first = plain[0] if plain else ""
    if program in _PROGRAMS:
        return "runner"
    if program in _CHECKERS:
        return "checker" if first != "format" else None
    if _PYTHON.fullmatch(program):
        return _python_run(rest, plain)
    if program in _SCRIPT_RUNNERS and first == "run":
        return _script_kind(plain[1]) if len(plain) > 1 and plain[1].startswith(_CHECK_SCRIPTS) else None
    if program in _TARGETS:
        return "runner" if any(word.rpartition(":")[2] in _TARGETS[program] for word in plain) else None
    if program == "node":
        return "runner" if "--test" in rest else None
    if program == "cargo" and plain[:2] == ["nextest", "run"]:
        return "runner"
    if _TEST_SCRIPT.fullmatch(words[0]):
        return "script"
    return _script_kind(first) if first in _SUBCOMMANDS.get(program, ()) else None


def _script_kind(name: str) -> str:
    return "checker" if name.startswith(_SILENT) else "runner"


def _python_run(rest: list[str], plain: list[str]) -> str | None:
    if "-m" in rest:
        module = rest[rest.index("-m") + 1 :][:1]
        return "runner" if module and module[0] in _MODULES else None
    if plain and plain[0].rpartition("/")[2] == "manage.py" and plain[1:2] == ["test"]:
        return "runner"
    return "script" if plain and "-c" not in rest and _TEST_SCRIPT.fullmatch(plain[0]) else None


def _unwrapped(words: list[str]) -> list[str]:
    at, wrapped = 0, False
    while at < len(words):
        word = words[at]
        if _program(word) in _WRAPPERS:
            wrapped = True
        elif not (
            _ASSIGNMENT.match(word) or (wrapped and (word.startswith("-") or word in ("run", "exec") or _DURATION.fullmatch(word))) or word in ("(", "{")
        ):
            break
        at += 1
    return words[at:]


def _program(word: str) -> str:
    return word.lstrip("(").replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def _shows_faults(command: str) -> bool:
    """Say whether what a check has to complain of would be seen behind the filters it goes through."""
    check, *filters = _PIPE.split(_QUOTED.sub(_quiet, command))
    if _HIDDEN.search(check):
        return False
    for words in (part.split() for part in filters):
        program = _program(words[0]) if words else ""
        if program in ("grep", "egrep", "rg"):
            return "-v" in words or any(_FAULTS_SOUGHT.search(word) for word in words[1:])
        if program not in ("tail", "tee", "cat", "sort", "uniq"):
            return False
    return True


def _without_tests(words: str) -> bool:
    if not ("no test" in words or "collected 0" in words or "0 passed" in words or "ran 0" in words):
        return False
    # Of several packages or test programs some have no tests.
    return _NO_TESTS.search(words) is not None and _SOME_PASSED.search(words) is None


def _summary(tail: str, words: str) -> Verdict | None:
    patterns = (*((_PYTEST,) if any(outcome in words for outcome in _OUTCOMES) else ()), *(_OTHERS if "test" in words else ()))
    found = [match for pattern in patterns for match in pattern.finditer(tail)]
    if not found:
        return None
    last = max(found, key=lambda match: match.start())[0]
    if last.startswith("test result"):
        # Cargo sums up each of its test programs, and last the examples of the documentation, of which there are often none.
        last = " ".join(match[0] for match in found)
    counts: Counter[str] = Counter()
    for number, word in _COUNT.findall(last):
        counts[word.rstrip("s")] += int(number)
    if "FAILED" in last or any(counts.get(word, 0) for word in ("failed", "failing", "error")):
        return "fail"
    return "pass" if any(counts.get(word, 0) for word in ("passed", "test", "ok")) and "no tests ran" not in last else None
