"""Options that several commands take, each written once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Workload = Annotated[Path, typer.Argument(help="The workload file.")]
System = Annotated[Path, typer.Argument(help="The system file.")]
Warmup = Annotated[
    str | None,
    typer.Option(
        help="Requests scheduled before this time do not count; simulations find it themselves "
        "(auto) unless a duration is given."
    ),
]
Seed = Annotated[int | None, typer.Option(help="Instead of the workload's seed.")]
Rows = Annotated[
    str | None, typer.Option(help="Rows of requests.parquet: all, none, or 1/N of sessions.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the result directory here.")
]
Json = Annotated[bool, typer.Option("--json", help="Print summary.json alone.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show nothing while it runs.")]
