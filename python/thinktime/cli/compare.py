"""`thinktime compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime import Result
from thinktime.cli import common


def command(
    results: Annotated[list[Path], typer.Argument(help="Two or more result directories.")],
) -> None:
    """Show results in one table, with theory beside them where there is one."""
    with common.mapped_errors():
        common.print_table([Result.load(path) for path in results])
