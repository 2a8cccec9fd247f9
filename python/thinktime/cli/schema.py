"""`thinktime schema`."""

from __future__ import annotations

from typing import Annotated

import typer

from thinktime import schema
from thinktime.cli import common


def command(
    kind: Annotated[str, typer.Argument(help="`workload`, `system` or `result`.")],
) -> None:
    """Print the JSON Schema of workload or system files, or of the summary of a result."""
    with common.mapped_errors():
        typer.echo(schema(kind))
