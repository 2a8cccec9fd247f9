"""`--with`: overlays, for each command that reads a workload or a system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime import System, Workload
from thinktime.cli import common
from thinktime.inputs import overlay, url
from thinktime.results.provenance import note_file

_NAME = "overlays"

_With = Annotated[
    list[Path] | None,
    typer.Option(
        "--with",
        help="A file whose keys replace those of the workload or system; repeat it for several.",
        metavar="FILE",
    ),
]


def add(command: Any) -> None:
    """Give a command the option: what it reads has the overlays over it."""

    def only(overlays: _With = None) -> None:
        pass

    only.__annotations__ = {_NAME: _With, "return": None}
    app = typer.Typer(add_completion=False)
    app.command()(only)
    command.params.append(typer.main.get_command(app).params[0])
    call = command.callback

    def with_overlays(**values: Any) -> Any:
        paths = [Path(one) for one in values.pop(_NAME) or ()]
        with common.mapped_errors():
            laid = overlay.laid(paths, _read_by(values) if paths else ())
            laid.__enter__()
        try:
            for number, path in enumerate(paths, start=1):
                note_file(f"overlay {number}", path)
            return call(**values)
        finally:
            laid.__exit__(None, None, None)

    command.callback = with_overlays


def _read_by(values: Mapping[str, Any]) -> list[type[Workload] | type[System]]:
    """The kinds of files that a command with these values reads."""
    if values.get("again") is not None:
        return []
    workload = values.get("workload")
    kinds: list[type[Workload] | type[System]] = []
    if workload is not None and not url.is_url(workload):
        kinds.append(Workload)
    if values.get("system") is not None or values.get("demands") is not None:
        kinds.append(System)
    return kinds
