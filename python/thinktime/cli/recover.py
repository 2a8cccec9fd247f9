"""`thinktime recover`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime import Result
from thinktime.cli import common, plain_text


def command(
    result: Annotated[
        Path, typer.Argument(help="The result directory that the killed run was to write.")
    ],
) -> None:
    """Make an ordinary result of the files of a run or a simulation that was killed.

    It goes to RESULT, or to RESULT.recovered if an older result is at RESULT.
    """
    from thinktime.results.recovery import recover

    with common.mapped_errors():
        found = recover(result)
    if not found:
        message = f"{result}: there are no files of a run that was killed"
        raise common.fail(message, common.Exit.INPUT_WRONG)
    for one in found:
        if one.path is None:
            plain_text.say(f"{one.source}: nothing had been measured yet; removed")
        else:
            plain_text.say(f"{one.path}")
            _say_warnings(one.path)


def _say_warnings(path: Path) -> None:
    """The recovered result's own account of the recovery, beginning with the run's progress."""
    if not (path / "run.toml").exists():
        return  # a search for a capacity: the same command continues it
    with common.mapped_errors():
        warnings = Result.load(path).summary.get("warnings") or []
    common.say_warnings(warnings)
