"""Why tests are skipped, and the list of those that were, which `.ci/run` prints at its end.

A test may be skipped because the machine is too busy for what it measures, which another run is
not, because the checkout lacks the logs of `shared/data`, which are no part of the repository, or
because an ordinary user may not read this Python, as below a home that is closed. Any other skip
means that something is not installed, which `.ci/run` would have to install.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import pytest

BUSY = "the machine was busy: "
NO_LOG = "no log of shared/data: "
CLOSED = "an ordinary user cannot read this Python, the package or what is to be run"
LIST = "THINKTIME_SKIPS"
"""The variable that names the file of the list."""


def busy(why: str) -> NoReturn:
    """Skip a test whose measurement a busy machine has spoiled."""
    pytest.skip(BUSY + why)


def no_log(path: Path) -> NoReturn:
    """Skip a test of a real log that this checkout does not have."""
    pytest.skip(NO_LOG + path.name)


def record(skipped: Iterable[tuple[str, str]]) -> None:
    """Append tests and their reasons to the list, if there is to be one."""
    if file := os.environ.get(LIST):
        with Path(file).open("a", encoding="utf-8") as out:
            out.writelines(f"{test}: {reason}\n" for test, reason in skipped)


def unexpected(lines: Iterable[str]) -> list[str]:
    """The lines of a list whose test is skipped on every such machine."""
    expected = tuple(f": {reason}" for reason in (BUSY, NO_LOG, CLOSED))
    return [line for line in lines if not any(reason in line for reason in expected)]


def main() -> int:
    """Print a list, and return 1 if a test on it is skipped on every such machine."""
    file = Path(os.environ[LIST])
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    print(f"== {len(lines)} tests skipped", *lines, sep="\n")
    if always := unexpected(lines):
        print("== skipped on every such machine: install what they need", *always, sep="\n")
    return int(bool(always))


if __name__ == "__main__":
    sys.exit(main())
