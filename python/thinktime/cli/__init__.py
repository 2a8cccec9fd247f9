"""The command line: one file a command, listed in `group`."""

from __future__ import annotations

import typer

from thinktime import __version__
from thinktime.cli.group import APP_OPTIONS, Commands
from thinktime.cli.signals import stop_on_signals

app = typer.Typer(
    cls=Commands,
    help="Learn a workload from access logs or write one, run it against a real server, simulate "
    "it on a model of the server, and compare both with theory.",
    no_args_is_help=True,
    **APP_OPTIONS,
)


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
    stop_on_signals()
    app(prog_name="thinktime")
