"""A terminal agent computes percentiles from a log, sorts numbers as text, and declares the task complete."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from data.make.atif import Keys, Trajectory
from data.make.bench import Bench, bench
from data.make.clock import Clock
from data.make.ids import Ids

SESSION = "slow-endpoints-2026-03-11"
TASK = """You solve tasks in a terminal. Answer with JSON: analysis, plan, commands (keystrokes and duration), task_complete.

Task:
logs/access.log has one request a line: time, method, endpoint, status, duration. Write /app/report.json: a list of
{"endpoint", "requests", "p95_ms"}, slowest 95th percentile first. Lines that are no requests don't count.

Current Terminal Screen:

root@c7f21e:/app#
"""
SPLIT = r"""mkdir -p work && awk '$2 == "GET" {gsub("ms","",$5); name=$3; gsub("/","_",name); print $5 > "work/" name}' logs/access.log"""
P95 = """cat > p95.sh <<'EOF'
for file in work/*; do
  count=$(wc -l < $file)
  line=$(( (count * 95 + 99) / 100 ))
  echo "$(basename $file) $count $(sort $file | sed -n ${line}p)"
done
EOF
"""
REPORT = """cat > report.py <<'EOF'
import json
rows = [line.split() for line in open("p95.txt")]
report = [{"endpoint": name.replace("_", "/"), "requests": int(count), "p95_ms": int(p95)} for name, count, p95 in rows]
report.sort(key=lambda row: -row["p95_ms"])
json.dump(report, open("report.json", "w"), indent=1)
EOF
"""
CONFIRM = """Current terminal state:
New Terminal Output:

root@c7f21e:/app#

Are you sure that the task is complete? Your solution will be graded and you can't go on. If so, set "task_complete": true again.
"""


def write(folder: Path, *, rehearse: bool = False) -> None:
    """Write the trajectory and the one of the sub-agent that summarized it."""
    with bench("terminal_task", "/app", rehearse=rehearse) as project:
        project.write("logs/access.log", _log())
        project.write("README", "Logs of the lamp shop, 10 March 2026.\n")
        main = _trajectory(project, SESSION, "terminus-2", {"parser": "json", "temperature": 0.7})
        _look(main)
        _split(main)
        summary = _trajectory(
            project,
            f"{SESSION}-summarization-1-summary",
            "terminus-2-summarization-summary",
            {"parent_session_id": SESSION, "summarization_index": 1},
            after=131,
        )
        _summarize(main, summary)
        _report(main)
        _finish(main)
    del main.steps[8]["timestamp"], main.steps[23]["timestamp"]
    main.write(folder / "trajectory.json")
    summary.write(folder / "trajectory.summarization-1-summary.json")


def _trajectory(project: Bench, session_id: str, name: str, extra: dict[str, object], *, after: float = 0) -> Trajectory:
    clock = Clock(datetime(2026, 3, 11, 7, 20, 0, tzinfo=UTC) + timedelta(seconds=after))
    return Trajectory(Ids(session_id), clock, project, session_id=session_id, name=name, extra=extra)


def _look(main: Trajectory) -> None:
    main.user(TASK)
    main.type("The terminal is empty.", "Look around.", Keys("ls -p\n"), Keys("cat README\n"))
    main.type("There is a folder with logs.", "See how long the log is.", Keys("wc -l logs/access.log\n"))
    main.type(
        "Some hundred lines.", "Read the end of the log.", Keys("tail -f logs/access.log\n", 30.0),
        shown="Error: Command timed out after 30 seconds. Send C-c to stop it.\n\nroot@c7f21e:/app# tail -f logs/access.log\n",
    )  # fmt: skip
    main.type("`tail -f` never ends.", "Stop it.", Keys("C-c", 0.5), shown="New Terminal Output:\n\n^C\nroot@c7f21e:/app#\n")
    main.type("Back at the prompt.", "Read the first and the last lines.", Keys("head -5 logs/access.log\n"), Keys("tail -3 logs/access.log\n"))
    main.type(
        "Time, method, endpoint, status, duration with unit.", "Count by endpoint.", Keys("awk '{print $3}' logs/access.log | sort | uniq -c | sort -rn\n")
    )
    main.type("Some lines are no requests.", "Look at lines that don't fit.", Keys("grep -vnE ' (GET|POST) /' logs/access.log | head\n"))
    main.type("Notes about restarts. They don't count.", "See which methods there are.", Keys("awk '{print $2}' logs/access.log | sort | uniq -c\n"))
    main.type("GET and POST.", "See which Python I have.", Keys("python3 --version\n"))
    main.type("Python 3.", "See whether there is a library for tables.", Keys("python3 -c 'import polars'\n", 1.0))
    main.type(
        "No. awk and sort will do.", "See whether all lines have a unit.", Keys("awk '{print $NF}' logs/access.log | sed 's/[0-9]*//' | sort | uniq -c\n")
    )


def _split(main: Trajectory) -> None:
    main.type("All requests are in ms.", "Write one file of durations for each endpoint.", Keys(SPLIT + "\n", 0.5))
    main.type("No output, as expected.", "Check.", Keys("wc -l work/*\n"))
    main.type(
        "I forgot POST: only GET lines are there.",
        "Split again with both methods.",
        Keys("rm -r work\n"),
        Keys(SPLIT.replace('$2 == "GET"', "$3 ~ /^[/]/") + "\n", 0.5),
    )
    main.type("Now both.", "Check the counts against the log.", Keys("wc -l work/*\n"), Keys("grep -cE ' (GET|POST) /' logs/access.log\n"))
    main.type("The counts agree.", "Look at the values.", Keys("head -4 work/_api_export\n"), Keys("sort work/_api_export | tail -4\n"))
    main.type("Durations in milliseconds.", "Write a script for the 95th percentile of each file.", Keys(P95, 0.5))
    main.unreadable(
        'Sure! The script is written, now I run it.\n{"commands": [{"keystrokes": "bash p95.sh\\n"}]}\nLet me know.',
        "Missing required fields: analysis, plan\nWARNINGS: - Extra text before the JSON object\n- Extra text after the JSON object",
    )
    main.type("My answer lacked analysis and plan.", "Run the script.", Keys("bash p95.sh\n", 1.0))
    main.type("A row for each endpoint.", "Check the line number for 128 requests.", Keys("echo $(( (128 * 95 + 99) / 100 ))\n"))
    main.type("122 of 128 is the 95th percentile.", "Keep the output.", Keys("bash p95.sh > p95.txt\n", 1.0), Keys("wc -l p95.txt\n"))


def _summarize(main: Trajectory, summary: Trajectory) -> None:
    summary.copy([main.steps[0], *main.steps[12:18]])
    summary.user("You hand over to another agent. Summarize what was done, what is known and what is left.")
    summary.answer(
        "Done: the durations of each endpoint are in work/, without restart notes. p95.sh computes the 95th percentile; p95.txt has its output."
        " Left: write /app/report.json from p95.txt, slowest first, and check it. Known: no polars, `tail -f` hangs."
    )
    reference = {
        "session_id": summary.session_id,
        "trajectory_path": "trajectory.summarization-1-summary.json",
        "extra": {"summary": "Context summarization 1: summary"},
    }
    main.hand_off("Performed context summarization and handoff to continue task.", [reference])
    main.user(f"You continue the work of another agent.\n\n{TASK}\nSummary:\n{summary.steps[-1]['message']}")


def _report(main: Trajectory) -> None:
    main.type("p95.txt should be there.", "Read it.", Keys("cat p95.txt\n"))
    main.type(
        "Name, count, percentile.", "Write report.json with Python.", Keys(REPORT.replace("report.sort(", "report.sort((")), Keys("python3 report.py\n", 1.0)
    )
    main.type("A bracket too many.", "Write it again.", Keys(REPORT), Keys("python3 report.py\n", 1.0))
    main.type("No error now.", "Look at the report.", Keys("cat report.json\n"))
    main.type("Slowest first, all endpoints are there.", "Check that it is JSON.", Keys("python3 -m json.tool report.json > /dev/null && echo valid\n", 1.0))
    main.type(
        "It is valid.", "Compare with the averages.", Keys("for f in work/*; do awk -v f=$f '{s+=$1} END {printf \"%s %.0f\\n\", f, s/NR}' $f; done\n", 0.5)
    )
    main.type(
        "/api/export has an average above its 95th percentile. A few very long requests can do that.",
        "See its longest requests.",
        Keys("sort -n work/_api_export | tail -5\n"),
    )
    main.type(
        "As I thought: a few are very long.",
        "Compare the number of rows with the number of endpoints.",
        Keys("ls work | wc -l && grep -c endpoint report.json\n"),
    )
    main.type("Both are equal.", "See whether failed requests matter.", Keys("awk '$4 == 500' logs/access.log | wc -l\n"))
    main.type("Eight failed. The task doesn't exclude them.", "See how many requests are counted in all.", Keys("awk '{s+=$2} END {print s}' p95.txt\n"))


def _finish(main: Trajectory) -> None:
    main.type("That is the number of requests in the log.", "Clean up.", Keys("rm -r work p95.sh p95.txt report.py\n", 0.2))
    main.type("Clean.", "See what is left.", Keys("ls\n"), Keys("head -c 200 report.json\n"))
    main.complete("report.json is there, valid, and sorted from slow to fast.", "The task is complete.", CONFIRM)
    main.complete("I checked everything.", "Confirm.", "New Terminal Output:\n\nroot@c7f21e:/app#\n")


def _log() -> str:
    """Return a day of requests: most are fast, exports are slow."""
    endpoints = [("GET", "/api/orders", 35), ("GET", "/api/lamps", 12), ("POST", "/api/cart", 48), ("GET", "/api/export", 640), ("POST", "/api/login", 90)]
    lines = []
    for number in range(640):
        method, endpoint, usual = endpoints[number * 7 % 5 if number % 3 else number % 5]
        spread = number * 37 % 101
        duration = usual // 3 + usual * spread // 60 + (usual * 9 if spread > 97 else 0)
        second = number * 61
        time = f"2026-03-10T{8 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"
        lines.append(f"{time} {method} {endpoint} {'500' if number % 83 == 7 else '200'} {duration}ms")
        if number % 160 == 99:
            lines.append(f"{time} -- restart of worker {number // 160}")
    return "\n".join(lines) + "\n"
