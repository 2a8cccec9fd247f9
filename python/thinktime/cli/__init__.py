"""The command line: one file a command, listed in `group`."""

from __future__ import annotations

import errno
import os
import sys

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
    try:
        app(prog_name="thinktime")
        sys.stdout.flush()
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        # What could not be written must not be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(f"error: the output cannot be written: {error.strerror}\n")
        sys.exit(3)
