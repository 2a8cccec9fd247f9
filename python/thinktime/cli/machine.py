"""`thinktime machine`: the schedulers that machines have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime import _core
from thinktime.cli import common
from thinktime.machine import cpn, feature_changes

app = typer.Typer(
    help="List, show and export operating systems' schedulers, each a choice of features.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


def features_text(name: str) -> str:
    """Return the file of a preset's features, or that of a name that ends in `.toml`.

    Raises:
        InputError: The name is unknown, the file cannot be read, or its features make no sense.
    """
    if not name.endswith(".toml"):
        return _core.scheduler(name)
    try:
        text = Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise _core.InputError(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise _core.InputError(f"{name}: {error}") from None
    try:
        _core.scheduler_features(text)
    except _core.InputError as error:
        raise _core.InputError(f"{name}: {error}") from None
    return text


@app.command("list", short_help="List the operating systems that are known.")
def list_presets() -> None:
    """List the known operating systems."""
    for name in _core.schedulers():
        typer.echo(name)


@app.command("show", short_help="Print a scheduler's features, as a file to change.")
def show(
    name: Annotated[
        str, typer.Argument(help="An operating system of the list, or a FILE.toml to check.")
    ],
) -> None:
    """Print the features of an operating system's scheduler, as a file to edit and to name."""
    with common.mapped_errors():
        typer.echo(features_text(name), nl=False)


@app.command("export", short_help="Write a scheduler as a coloured Petri net.")
def export(
    name: Annotated[str, typer.Argument(help="The operating system, or a FILE.toml of features.")],
    net: Annotated[Path, typer.Option("--cpn", help="The file of CPN Tools to write.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Another choice of a feature."),
    ] = None,
    cores: Annotated[int, typer.Option(help="The number of cores, from 1 to 64.", metavar="N")] = 2,
    scenario: Annotated[
        Path | None,
        typer.Option(help="The tasks, as a TOML file; by default three tasks.", metavar="FILE"),
    ] = None,
) -> None:
    """Write a machine's scheduler as a timed coloured Petri net (docs/petri-nets.md)."""
    with common.mapped_errors():
        text = features_text(name)
        try:
            features = _core.scheduler_features(text, feature_changes.as_toml(settings or []))
            cpn.net_features(features, cores)
        except _core.InputError as error:
            raise _core.InputError(f"{name}: {error}") from None
        cpn.write(net, features, cores, scenario)
