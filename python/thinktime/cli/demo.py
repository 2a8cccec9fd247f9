"""`thinktime demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli import common


def command(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where results and report go.")
    ] = Path("demo"),
    seed: Annotated[int | None, typer.Option(help="Instead of the demo's seed.")] = None,
) -> None:
    """Run one server under four workloads at the same load: measured, simulated and exact."""
    from thinktime import demo

    with common.mapped_errors():
        demo.main(output, seed)
