"""The command line: one file a command, assembled here."""

from __future__ import annotations

import typer

from thinktime import __version__
from thinktime.cli import (
    capacity,
    compare,
    demo,
    import_pcm,
    learn,
    machine,
    report,
    run,
    schema,
    serve,
    simulate,
    sweep,
)

app = typer.Typer(
    help="Open, closed and partly-open workloads: run them against a real server, simulate them "
    "on a model of it, and lay both over theory.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for module in (simulate, run, serve, learn, sweep, capacity, compare, report, schema, demo):
    app.command(name=module.__name__.rpartition(".")[2])(module.command)
app.command(name="import-pcm")(import_pcm.command)
app.add_typer(machine.app, name="machine")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"thinktime {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and end."
    ),
) -> None:
    """Take the options that stand before a command."""


def main() -> None:
    """Run the command line."""
    app(prog_name="thinktime")
