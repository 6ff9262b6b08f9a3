"""Write every recording below data/: `python -m data.make`, with `--rehearse` to run the commands of the stories again."""

from __future__ import annotations

import argparse
from pathlib import Path

from data.make import failing_test, last_ferry, mail_desk, release_notes, streams, support_refund, terminal_task

STORIES = {
    "support-refund": support_refund.write,
    "failing-test": failing_test.write,
    "release-notes": release_notes.write,
    "terminal-task": terminal_task.write,
    "last-ferry": last_ferry.write,
    "streams": streams.write,
    "mail-desk": mail_desk.write,
}


def write_all(folder: Path, *, rehearse: bool = False) -> None:
    """Write all stories, each into its own folder below a folder."""
    for name, write in STORIES.items():
        write(folder / name, rehearse=rehearse)


def main() -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(prog="python -m data.make", description="Write the recordings below data/.")
    parser.add_argument("--into", type=Path, default=Path(__file__).parent.parent, help="folder to write into (data/ by default)")
    parser.add_argument("--rehearse", action="store_true", help="run the commands of the stories again and keep their outputs (needs git and pytest)")
    options = parser.parse_args()
    write_all(options.into, rehearse=options.rehearse)


if __name__ == "__main__":
    main()
