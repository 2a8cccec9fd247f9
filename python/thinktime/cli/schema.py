"""`thinktime schema`."""

from __future__ import annotations

from typing import Annotated

import typer

from thinktime import schema
from thinktime.cli import common


def command(
    kind: Annotated[str, typer.Argument(help="`workload` or `system`.")],
) -> None:
    """Print the JSON Schema of workload or system files, so that editors complete them."""
    with common.mapped_errors():
        typer.echo(schema(kind))
