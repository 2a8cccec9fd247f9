"""`thinktime import-pcm`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinktime.cli import common, options, plain_text

if TYPE_CHECKING:
    from thinktime.pcm import Imported

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder with the model's files.")]
Output = Annotated[
    Path, typer.Option("-o", "--output", help="The folder for the new files.", metavar="DIR")
]
System = Annotated[
    str | None,
    typer.Option(help="The operating system of all machines, instead of their policies."),
]
Usage = Annotated[str | None, typer.Option(help="The usage model's file, if there are several.")]
Allocation = Annotated[
    str | None, typer.Option(help="The allocation's file, if there are several.")
]
Scenario = Annotated[str | None, typer.Option(help="The usage scenario, if there are several.")]
TimeUnit = Annotated[
    str | None, typer.Option(help="The unit of the model's time: s, ms, us, min or h.")
]
Services = Annotated[
    bool, typer.Option("--services", help="Make each component a service of its own.")
]


def command(
    folder: Folder,
    output: Output = Path("imported"),
    os: System = None,
    usagemodel: Usage = None,
    allocation: Allocation = None,
    scenario: Scenario = None,
    time_unit: TimeUnit = None,
    services: Services = False,
    as_json: options.JsonObject = False,
) -> None:
    """Make a workload file and a system file of a Palladio Component Model."""
    from thinktime import pcm

    choices = pcm.Choices(os, usagemodel, allocation, scenario, time_unit, services)
    with common.mapped_errors():
        found = pcm.import_model(folder, choices)
        paths = [str(path) for path in found.write(output)]
    if as_json:
        typer.echo(json.dumps(_summary(found, paths), indent=2))
    else:
        _show(found, paths)


def _show(found: Imported, paths: list[str]) -> None:
    counts = ", ".join(f"{name}: {count}" for name, count in found.made.items() if count)
    plain_text.say(f"made {counts}")
    plain_text.say(f"one unit of the model's time is taken as {found.time_unit_s:g} s")
    if found.notes:
        plain_text.say("not carried, or approximated:")
    for note in found.notes:
        plain_text.say(f"  {note}")
    for path in paths:
        plain_text.say(f"written: {path}")


def _summary(found: Imported, paths: list[str]) -> dict[str, object]:
    notes = [{"file": n.file, "element": n.element, "text": n.text} for n in found.notes]
    return {
        "made": found.made,
        "time_unit_s": found.time_unit_s,
        "not_carried": notes,
        "files": paths,
    }
