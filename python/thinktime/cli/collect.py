"""`thinktime collect`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli import common, options, plain_text


def command(
    result: Annotated[
        Path, typer.Argument(help="The result directory of a run with --leave-rows.")
    ],
    on: options.On = None,
    remove: Annotated[
        bool,
        typer.Option("--remove", help="Remove the rows on the nodes after all have been copied."),
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Fetch the rows that a run left on the nodes that made its load.

    They become requests.parquet of RESULT. Rows on this machine need no --on.
    """
    from thinktime.distributed.collection import collect
    from thinktime.results.remote_rows import remote_rows_of
    from thinktime.results.result import Result

    def tell(generator: str) -> None:
        if not quiet:
            common.errors.print(f"fetching from {generator}", style="dim", markup=False)

    with common.mapped_errors():
        left = remote_rows_of(Result.load(result).summary)
        found = collect(result, on=on, remove=remove, progress=tell)
    plain_text.say(f"{len(found.requests or ()):,} rows are in {result / 'requests.parquet'}")
    for one in left:
        if one.missing is not None:
            common.say_warnings([f"of {one.generator}: {one.missing}"])
    if not remove:
        places = ", ".join(f"{one.path} on {one.node}" for one in left)
        plain_text.say(f"they are still in {places}: remove them there when you like")
