"""Options of the command line alone that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

WORKLOAD = "The workload file, - for standard input, or a name of `thinktime workload list`"
LISTEN = "127.0.0.1:8080"
"""The address of servers, so that a target can be written down."""

NOT_AGAIN = "; with --again only if it has secrets, which results do not keep."
Workload = Annotated[Path, typer.Argument(help=WORKLOAD + ".")]
System = Annotated[Path, typer.Argument(help="The system file.")]
WorkloadOutput = Annotated[
    Path | None,
    typer.Option(
        "--output", help="The workload file to write; standard output by default.", metavar="FILE"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print summary.json alone.")]
JsonObject = Annotated[bool, typer.Option("--json", help="Print one JSON object alone.")]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Show every check of validity, with its finding."),
]
Report = Annotated[
    Path | None,
    typer.Option(help="The page of charts to write, as of `thinktime report`."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show nothing while it runs.")]
Junit = Annotated[
    Path | None,
    typer.Option(
        help="The JUnit file to write, with a test case for each objective, check or limit.",
        metavar="FILE",
    ),
]
Markdown = Annotated[
    Path | None,
    typer.Option(
        help="The Markdown summary to write, as for a pull request; $GITHUB_STEP_SUMMARY is "
        "extended, not replaced.",
        metavar="FILE",
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(help="The folder of the history; .thinktime/history by default.", metavar="DIR"),
]
Again = Annotated[
    Path | None,
    typer.Option(
        help="Repeat the command that made this result directory; given options replace its own.",
        metavar="DIR",
    ),
]
