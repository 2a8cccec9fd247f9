"""Manual pages, made of the commands' own help: `python -m thinktime.cli.manual FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from thinktime import __version__
from thinktime.cli import app
from thinktime.cli.group import COMMANDS

_STATUSES = (
    ("0", "Done."),
    ("1", "The objectives (SLO) were not met."),
    ("2", "The input is wrong, or a file cannot be read or written."),
    ("3", "The run failed, was interrupted, or its result is not to be trusted."),
    ("129", "SIGHUP ended it before it had anything to show."),
    ("130", "Ctrl-C (SIGINT) ended it before it had anything to show."),
    ("141", "Nobody reads its output any more, as with `| head -1` (SIGPIPE)."),
    ("143", "SIGTERM ended it before it had anything to show."),
)
"""In short; docs/running.md owns the list, and a test holds the two together."""


def pages() -> dict[str, str]:
    """All pages by file name: `thinktime.1`, and one a command as in `thinktime-run.1`."""
    group: Any = typer.main.get_command(app)
    with group.make_context("thinktime", [], resilient_parsing=True) as context:
        found = dict(_pages("thinktime", group, context))
    return {f"{name.replace(' ', '-')}.1": text for name, text in found.items()}


def _pages(name: str, command: Any, context: Any) -> Iterator[tuple[str, str]]:
    names = command.list_commands(context) if hasattr(command, "list_commands") else []
    inner = {one: command.get_command(context, one) for one in names}
    yield name, _page(name, command, context, inner)
    for one, sub in inner.items():
        with sub.make_context(one, [], parent=context, resilient_parsing=True) as its_context:
            yield from _pages(f"{name} {one}", sub, its_context)


def _page(name: str, command: Any, context: Any, inner: dict[str, Any]) -> str:
    summary, _, rest = (command.help or "").partition("\n\n")
    pieces = [_quoted(piece) for piece in command.collect_usage_pieces(context)]
    title = name.replace(" ", "-").upper()
    lines = [
        f'.TH {title} 1 "" "thinktime {__version__}" "Thinktime"',
        ".SH NAME",
        f"{name.replace(' ', '-')} \\- {_quoted(_flat(summary).rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_quoted(name)}",
        *pieces,
        ".SH DESCRIPTION",
        *_paragraphs(_flat(summary), *rest.split("\n\n")),
    ]
    for heading, kind in (("ARGUMENTS", "argument"), ("OPTIONS", "option")):
        records = [
            record
            for parameter in command.get_params(context)
            if parameter.param_type_name == kind and (record := parameter.get_help_record(context))
        ]
        lines += [f".SH {heading}", *_definitions(records)] if records else []
    if inner:
        about = [(one, COMMANDS.get(one) or _flat(sub.help or "")) for one, sub in inner.items()]
        lines += [".SH COMMANDS", *_definitions(about)]
    elif name != "thinktime":
        lines += [".SH EXIT STATUS", *_definitions(_STATUSES)]
    return "\n".join(lines) + "\n"


def _definitions(records: Any) -> Iterator[str]:
    for term, text in records:
        yield ".TP"
        yield f".B {_quoted(term)}"
        yield _quoted(_flat(text))


def _paragraphs(*texts: str) -> Iterator[str]:
    for text in filter(None, map(_flat, texts)):
        yield ".PP"
        yield _quoted(text)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    """Text in which roff finds no commands."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def main(folder: str) -> None:
    """Write all pages."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (Path(folder) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
