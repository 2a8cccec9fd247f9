"""The reference of all commands and options, made from their own help.

`python -m thinktime.reference.commands FILE` writes it; `make site` puts it on the site.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from thinktime.reference.command_help import STATUSES, CommandHelp, Definitions, commands

_HEAD = """# All commands and options

Made of what the commands say of themselves by `python -m thinktime.reference.commands`; `thinktime
COMMAND --help` says the same. The guides explain their purpose, and how they go together.
"""
_CODE = re.compile(r"(`[^`]*`)")


def text() -> str:
    """The whole page in Markdown."""
    whole, *others = commands()
    parts = [_HEAD, *_overview(whole)]
    for one in others:
        parts += _section(one)
    return "\n".join(parts).rstrip() + "\n"


def _overview(whole: CommandHelp) -> Iterator[str]:
    yield _table("command", [(f"thinktime {name}", words) for name, words in whole.inner], True)
    yield "`thinktime` itself takes these options, and every command takes `--help`:\n"
    yield from _options(whole.options)
    yield "The statuses with which commands end; [more of them](running.md#exit-statuses):\n"
    yield _table("status", list(STATUSES))


def _section(one: CommandHelp) -> Iterator[str]:
    yield f"## `{one.name}`\n"
    yield f"{_escaped(one.summary)}\n"
    yield f"`{' '.join([one.name, *one.usage])}`\n"
    for words in one.paragraphs:
        yield f"{_escaped(words)}\n"
    if one.inner:
        yield _table("command", [(f"{one.name} {name}", words) for name, words in one.inner], True)
    if one.arguments:
        yield _table("argument", one.arguments)
    yield from _options(one.options)


def _options(options: Definitions) -> Iterator[str]:
    listed = [(name, words) for name, words in options if name != "--help"]
    if listed:
        yield _table("option", listed)


def _table(title: str, entries: Definitions, linked: bool = False) -> str:
    lines = [f"| {title} | meaning |", "|---|---|"]
    for name, words in entries:
        shown = f"`{name}`".replace("|", "\\|")
        shown = f"[{shown}](#{name.replace(' ', '-')})" if linked else shown
        lines.append(f"| {shown} | {_escaped(words)} |")
    return "\n".join(lines) + "\n"


def _escaped(words: str) -> str:
    """Text in which Markdown sees only code, also in a table."""
    pieces = _CODE.split(words)
    plain = [re.sub(r"([*\[\]<>])", r"\\\1", piece) for piece in pieces[::2]]
    return "".join(
        piece for pair in zip(plain, [*pieces[1::2], ""], strict=True) for piece in pair
    ).replace("|", "\\|")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), "utf-8")
