"""`thinktime compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime import Result, difference
from thinktime.cli import common


def command(
    results: Annotated[list[Path], typer.Argument(help="Two or more result directories.")],
) -> None:
    """Show results in one table, with theory beside them, and how much simulations differ."""
    with common.mapped_errors():
        loaded = [Result.load(path) for path in results]
        common.print_table(loaded)
        first = loaded[0]
        for other in loaded[1:]:
            if first.kind == other.kind == "simulate":
                typer.echo(f"{other.path} against {first.path}: {difference(first, other)}")
