"""`thinktime serve`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from thinktime import serve
from thinktime.cli import common


def command(
    system: Annotated[Path, typer.Argument(help="The system file.")],
    listen: Annotated[
        str, typer.Option(help="HOST:PORT; port 0 takes a free one.")
    ] = "127.0.0.1:8080",
    seed: Annotated[int, typer.Option(help="The seed of the demands that the server draws.")] = 1,
) -> None:
    """Serve a modelled system over HTTP/1.1: responses leave when the model says so.

    A request may carry its own service demand in the header Thinktime-Demand (a time for each
    station, separated by commas); else the server draws it. Ctrl-C ends the server.
    """
    with common.mapped_errors(), serve(system, listen=listen, seed=seed) as server:
        typer.echo(f"serving on {server.url}; Ctrl-C ends it")
        try:
            while server.running:
                time.sleep(0.2)
        except KeyboardInterrupt:
            pass
        served = server.stop()
        if served is not None:
            typer.echo(f"answered {served[0]} requests, refused {served[1]}")
