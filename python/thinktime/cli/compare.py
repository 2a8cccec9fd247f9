"""`thinktime compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime import InputError, Result, difference
from thinktime.cli import common


def command(
    results: Annotated[
        list[Path],
        typer.Argument(help="Result directories; means are compared with the first one's."),
    ],
) -> None:
    """Show results in one table, with theory beside them, and how much their means differ."""
    with common.mapped_errors():
        loaded = [Result.load(path) for path in results]
        common.print_table(loaded)
        for other in loaded[1:]:
            typer.echo(_difference(loaded[0], other))
        _say_doubts(loaded)


def _say_doubts(results: list[Result]) -> None:
    """What spoils or limits the results, as on the page of `report`."""
    from thinktime import report

    common.say_warnings(report.verdict(results).doubts)


def _difference(first: Result, other: Result) -> str:
    """How much the second mean differs from the first, or why that cannot be said."""
    against = f"{other.path} against {first.path}"
    try:
        return f"{against}: {difference(first, other)}"
    except InputError as error:
        return f"{against}: the means cannot be compared: {error}"
