"""`thinktime mcp`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime import InputError
from thinktime.cli import common

INSTALL = "an assistant needs the package mcp: pip install 'thinktime[mcp]'"

Allow = Annotated[
    list[str] | None,
    typer.Option(
        help="A target that load may be sent to, as in http://127.0.0.1:8080; none by default. "
        "May be given several times.",
        metavar="URL",
    ),
]
Directory = Annotated[
    Path,
    typer.Option(
        help="The folder below which files are read and written.",
        metavar="DIR",
    ),
]


def command(allow: Allow = None, directory: Directory = Path()) -> None:
    """Let assistants use Thinktime, by the Model Context Protocol over standard input and output.

    An assistant starts the command itself. Load goes to allowed targets alone.
    """
    with common.mapped_errors():
        try:
            from thinktime.assistants.server import serve
        except ImportError as error:
            if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
                raise
            raise InputError(INSTALL) from None
        serve(allow or (), directory)
