"""`thinktime import`."""  # noqa: N999 (a command's file has its name)

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinktime.cli import common, options
from thinktime.present import units
from thinktime.results.files import write_whole

if TYPE_CHECKING:
    from thinktime.importing import Imported

Given = Annotated[
    str, typer.Argument(metavar="FILE", help="The file to import, or - for standard input.")
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="har, curl, openapi, postman, k6, locust, jmeter, artillery, gatling or "
        "conversations; by default it is found from the content.",
        metavar="KIND",
    ),
]


Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        help="The folder that holds a script of k6 and its modules, which are read; by default "
        "that of the script.",
        metavar="DIR",
    ),
]

CharactersPerToken = Annotated[
    float | None,
    typer.Option(
        help="For conversations, by which the lengths of their texts are divided, to estimate "
        "their tokens: 0.1 to 100; 4 by default.",
        metavar="NUMBER",
    ),
]


def command(
    file: Given,
    output: options.WorkloadOutput = None,
    kind: From = None,
    folder: Folder = None,
    characters_per_token: CharactersPerToken = None,
) -> None:
    """Make a workload of a HAR, curl, OpenAPI, Postman, or another load tester's script.

    Scripts are those of k6, Locust, JMeter, Artillery and Gatling (Java, Kotlin, Scala). Data sets
    of conversations with language models, as ShareGPT's, become requests for a server of tokens.

    Nothing of the file is run. What cannot be carried over is listed on standard error and at the
    top of the workload file, with its place and the reason.
    """
    from thinktime.importing import import_file

    with common.mapped_errors():
        show(import_file(file, kind, folder, characters_per_token), output)


def show(made: Imported, output: Path | None) -> None:
    """Write the workload, or print it, and report on standard error what it leaves out."""
    if output is None:
        typer.echo(made.text, nl=False)
    else:
        write_whole(output, made.text)
    if made.notes:
        common.remark(f"not carried over ({len(made.notes)}):")
    for note in made.notes:
        common.remark(f"  {note}")
    counted = units.counted(made.requests, "request")
    if made.objects:
        counted += f", and {units.counted(made.objects, 'object')} of their pages"
    common.remark(f"made of {made.kind}: {counted}")
    if output is not None:
        common.remark(f"written: {output}")
