"""The command line: one file for each command, listed in `group`."""

from __future__ import annotations

import codecs
import errno
import gc
import io
import os
import signal
import sys

import typer

from thinktime import __version__
from thinktime.cli import memory_shortage, plain_text, signals
from thinktime.cli.group import APP_OPTIONS, Commands
from thinktime.present.whole_file import UNWRITTEN

app = typer.Typer(
    cls=Commands,
    help="Learn a workload from access logs or write one, run it against a real server, simulate "
    "it on a model of the server, and compare both with theory.",
    no_args_is_help=True,
    **APP_OPTIONS,
)


_INTERRUPTED = 130
"""The status by which the command-line library reports Ctrl-C."""

_READER_GONE = 128 + signal.SIGPIPE
"""The status of any program whose output is no longer read."""


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"thinktime {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and end."
    ),
    _no_color: plain_text.NoColor = False,
) -> None:
    """Take the options that precede a command."""


def main() -> None:
    """Run the command line."""
    _open_what_is_closed()
    _bear_other_encodings()
    signals.stop_on_signals()
    try:
        status = _status_of_app()
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in (*UNWRITTEN, errno.EPIPE):
            raise
        # Output that could not be written must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:
            sys.exit(_READER_GONE)
        sys.stderr.write(f"error: the output cannot be written: {error.strerror}\n")
        sys.exit(3)
    # The end of the process frees all: Python need not search it for garbage before.
    gc.freeze()
    sys.exit(signals.status() if status == _INTERRUPTED else status)


def _bear_other_encodings() -> None:
    """Print `?` for a character that the output's encoding does not have, as a line of a table.

    A command whose work is done must not fail for it. UTF-8, which has all, stays strict.
    """
    for stream in (sys.stdout, sys.stderr):
        encoding = codecs.lookup(stream.encoding).name
        if encoding != "utf-8" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _open_what_is_closed() -> None:
    """Put the null device in the place of a closed descriptor (`>&-`).

    Otherwise the next file that is opened takes its number, and receives the printed text. Nothing
    can be written to the standard output then: what is printed is lost, and the status says so.
    """
    read, write = os.O_RDONLY, os.O_WRONLY
    all_of_them = ((0, "stdin", "r", read), (1, "stdout", "w", read), (2, "stderr", "w", write))
    for number, name, mode, access in all_of_them:
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, access)
            os.dup2(opened, number)
            if opened != number:
                os.close(opened)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _status_of_app() -> int | str | None:
    if warning := memory_shortage.warning():
        sys.stderr.write(f"warning: {warning}\n")
    try:
        app(prog_name="thinktime")
    except SystemExit as ended:
        # The command-line library exits with 1 if the reader of a pipe is gone.
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        return ended.code
    except KeyboardInterrupt:  # while the library prepares the commands
        return _INTERRUPTED
    except BaseException as error:  # a panic of the extension is no `Exception`
        why = memory_shortage.sentence(error)
        if why is None:
            raise
        sys.stderr.write(f"error: {why}\n")
        return 3
    return 0
