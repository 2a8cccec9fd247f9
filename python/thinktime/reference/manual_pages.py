"""Manual pages, made of the commands' own help.

`python -m thinktime.reference.manual_pages FOLDER` writes them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from thinktime import __version__
from thinktime.reference.command_help import STATUSES, CommandHelp, commands


def pages() -> dict[str, str]:
    """All pages by file name: `thinktime.1`, and one for each command as in `thinktime-run.1`."""
    return {f"{one.name.replace(' ', '-')}.1": _page(one) for one in commands()}


def _page(one: CommandHelp) -> str:
    name = one.name.replace(" ", "-")
    lines = [
        f'.TH {name.upper()} 1 "" "thinktime {__version__}" "Thinktime"',
        ".SH NAME",
        f"{name} \\- {_quoted(one.summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_quoted(one.name)}",
        *map(_quoted, one.usage),
        ".SH DESCRIPTION",
    ]
    for text in (one.summary, *one.paragraphs):
        lines += [".PP", _quoted(text)]
    for heading, entries in (("ARGUMENTS", one.arguments), ("OPTIONS", one.options)):
        lines += [f".SH {heading}", *_definitions(entries)] if entries else []
    if one.inner:
        lines += [".SH COMMANDS", *_definitions(one.inner)]
    elif one.name != "thinktime":
        lines += [".SH EXIT STATUS", *_definitions(STATUSES)]
    return "\n".join(lines) + "\n"


def _definitions(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, text in entries:
        yield ".TP"
        yield f".B {_quoted(term)}"
        yield _quoted(text)


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
