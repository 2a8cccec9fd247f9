"""`thinktime demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime import Interrupted
from thinktime.cli import common, plain_text


def command(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for results and page.", metavar="DIR")
    ] = Path("demo"),
    seed: Annotated[
        int | None, typer.Option(help="The seed of all workloads, instead of the demo's own.")
    ] = None,
) -> None:
    """Run one server under five workloads at the same load: measured, simulated and exact."""
    from thinktime import demo

    with common.mapped_errors():
        try:
            demo.main(output, plain_text.console(width=plain_text.width()), seed)
        except Interrupted:
            message = f"interrupted; the measurements are in {output}"
            raise common.fail(message, common.Exit.UNDECIDED) from None
