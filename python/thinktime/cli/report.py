"""`thinktime report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli import common, plain_text
from thinktime.results.files import check_folder


def command(
    results: Annotated[list[Path], typer.Argument(help="One or more result directories.")],
    output: Annotated[
        Path, typer.Option("--output", help="The page to write.", metavar="FILE")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="The page's title.")] = None,
) -> None:
    """Write one self-contained HTML page that compares results and works offline."""
    from thinktime.report import report
    from thinktime.report.repeated_runs import runs_in

    with common.mapped_errors():
        check_folder(output)
        found = [place for one in results for place in runs_in(one)]
        for one in found:
            common.say_of_leftovers(one)
        path = report(common.load_results(found), output, title=title)
    plain_text.say(str(path))
