"""`thinktime collect`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime.cli import common, function_options, options, plain_text
from thinktime.distributed.collection import collect


@function_options.of(collect)
def command(
    result: Annotated[
        Path, typer.Argument(help="The result directory of a run with --leave-rows.")
    ],
    quiet: options.Quiet = False,
    *,
    remove: bool,
    **given: Any,
) -> None:
    """Fetch the rows that a run left on the nodes that made its load.

    They become requests.parquet of RESULT. Rows on this machine need no --on.
    """
    from thinktime.results.remote_rows import remote_rows_of
    from thinktime.results.result import Result

    def tell(generator: str) -> None:
        if not quiet:
            common.errors.print(f"fetching from {generator}", style="dim", markup=False)

    with common.mapped_errors():
        left = remote_rows_of(Result.load(result).summary)
        found = collect(result, remove=remove, progress=tell, **given)
    plain_text.say(f"{len(found.requests or ()):,} rows are in {result / 'requests.parquet'}")
    for one in left:
        if one.missing is not None:
            common.say_warnings([f"of {one.generator}: {one.missing}"])
    if not remove:
        places = ", ".join(f"{one.path} on {one.node}" for one in left)
        plain_text.say(f"they are still in {places}: remove them there when you like")
