"""`thinktime workload`: the named workloads."""

from __future__ import annotations

from typing import Annotated

import typer

from thinktime import workload
from thinktime.cli import common

app = typer.Typer(
    help="List and show published workloads, whose names may stand for workload files.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command("list")
def list_presets() -> None:
    """List the named workloads, with their sources."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 1, 0), pad_edge=False)
    table.add_column("name", no_wrap=True)
    for heading in ("what it is", "populations", "requests", "source"):
        table.add_column(heading, overflow="fold")
    for preset in map(workload.describe, workload.names()):
        kinds = str(len(preset.requests))
        populations = "\n".join(preset.populations)
        table.add_row(preset.name, preset.about, populations, kinds, preset.source)
    common.print_wide(table)


@app.command("show")
def show(name: Annotated[str, typer.Argument(help="A workload of the list.")]) -> None:
    """Print the file of a workload, as in `thinktime workload show clubweb > my.toml`."""
    with common.mapped_errors():
        typer.echo(workload.text(name), nl=False)
