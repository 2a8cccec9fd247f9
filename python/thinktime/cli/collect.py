"""`thinktime collect`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli import common, options, plain


def command(
    result: Annotated[
        Path, typer.Argument(help="The result directory of a run with --leave-rows.")
    ],
    on: options.On = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove them on the nodes when all are here.")
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Fetch the rows that a run left on the nodes that made its load.

    They become requests.parquet of RESULT. Rows on this machine need no --on.
    """
    from thinktime.collecting import collect
    from thinktime.result import Result
    from thinktime.rows_there import rows_there

    def tell(generator: str) -> None:
        if not quiet:
            common.errors.print(f"fetching from {generator}", style="dim", markup=False)

    with common.mapped_errors():
        left = rows_there(Result.load(result).summary)
        found = collect(result, on=on, remove=remove, progress=tell)
    plain.say(f"{len(found.requests or ()):,} rows are in {result / 'requests.parquet'}")
    for one in left:
        if one.missing is not None:
            common.say_warnings([f"of {one.generator}: {one.missing}"])
    if not remove:
        places = ", ".join(f"{one.path} on {one.node}" for one in left)
        plain.say(f"they are still in {places}: remove them there when you like")
