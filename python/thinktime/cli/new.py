"""`thinktime new`."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from thinktime.cli import common, options

Url = Annotated[str, typer.Argument(metavar="URL", help="What is read, with http:// or https://.")]


def command(url: Url, output: options.WorkloadOutput = None) -> None:
    """Read a URL and write a first workload file: a page with its objects, or one request.

    It is requested once, with at most 5 MB in at most 20 s; nothing in it is run.
    """
    from thinktime.importing.page import import_page

    with common.mapped_errors():
        import_module("thinktime.cli.import").show(import_page(url), output)
