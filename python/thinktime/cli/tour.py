"""`thinktime tour`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli import common, plain_text


def command(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The new folder for files, results and page.", metavar="DIR"
        ),
    ] = Path("tour"),
    seed: Annotated[
        int | None, typer.Option(help="The seed, instead of the workload file's.")
    ] = None,
) -> None:
    """Take one workload file and one system file the whole way: run, learn, simulate, compare.

    It brings up the system's servers, its switch and its line on this machine, lets two generators
    and a hostile client at it, learns the workload back from the switch's log, and simulates the
    same. It takes less than two minutes. Without root it uses user namespaces; without these it
    goes without the line and the hostile client.
    """
    from thinktime import tour
    from thinktime.lab import permission
    from thinktime.tour import stage

    began = time.monotonic()

    def tell(what: str) -> None:
        print(f"[{time.monotonic() - began:5.1f} s] {what}", file=sys.stderr, flush=True)

    with common.mapped_errors():
        if permission.missing(stage.NEED) is None:
            permission.need(stage.NEED)
        done = tour.main(output, tell, duration=tour.RUN_S, requests=tour.LONG_REQUESTS, seed=seed)
    for one in done.sentences:
        plain_text.say(one)
    if done.page is not None:
        plain_text.say(f"page: {done.page}")
    if done.doubts:
        raise common.fail("; ".join(done.doubts), common.Exit.UNDECIDED)
