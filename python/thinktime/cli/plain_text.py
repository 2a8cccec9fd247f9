"""Plain text: without colours on request, and 80 columns wide if no width is known.

Sentences are folded between words for a terminal; other output keeps whole lines.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.present.sanitize import harmless

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_COLUMNS = 80
_COLUMNS_MIN = 40
"""In narrower terminals lines are left to the terminal."""

_LABEL = re.compile(r"(error|note|warning): ")
"""The indentation of the further lines of a message, below the words after it."""

_PLACE = re.compile(r"(results?|written|report|page|live|metrics): ")
"""Beginnings of lines whose rest is one path or address, perhaps with spaces, kept whole."""

_made: list[Console] = []
"""Consoles that become plain with `--no-color`, which is read after they are made."""


def _take_colors(wanted: bool) -> None:
    if not wanted:
        return
    os.environ["NO_COLOR"] = "1"
    for one in _made:
        one._color_system = None  # rich has no other way once it is made


NoColor = Annotated[
    bool,
    typer.Option(
        "--no-color",
        help="Show plain text without colours, as with NO_COLOR in the environment.",
        callback=_take_colors,
        is_eager=True,
        expose_value=False,
    ),
]


def option() -> Any:
    """Add `--no-color` to another command."""

    def only(no_color: NoColor = False) -> None:
        pass

    only.__annotations__ = {"no_color": NoColor, "return": None}
    app = typer.Typer(add_completion=False)
    app.command()(only)
    return typer.main.get_command(app).params[0]


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A console that is plain if `NO_COLOR` is set: no colours, and no bold or dim text."""
    made = _harmless_console()(
        stderr=stderr,
        width=width,
        highlight=False,
        emoji=False,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
    )
    _made.append(made)
    return made


@cache
def _harmless_console() -> type[Console]:
    """A console that shows foreign text, such as names, without terminal controls."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class Harmless(Console):
        def print(self, *objects: Any, soft_wrap: bool | None = None, **options: Any) -> None:
            shown = objects
            texts = all(isinstance(one, str) for one in objects)
            if texts and soft_wrap and self.is_terminal and not options.get("no_wrap"):
                shown = (folded(" ".join(objects), self.width),)
            super().print(*shown, soft_wrap=soft_wrap, **options)

        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            for one in super().render(renderable, options):
                # The console's own moves of the cursor have `control`.
                clean = one.text if one.control else harmless(one.text)
                yield one if clean == one.text else Segment(clean, one.style)

    return Harmless


def folded(text: str, columns: int) -> str:
    """A text whose lines, if too long, continue in the next line, indented.

    Words, such as addresses and paths, are never broken.
    """
    return "\n".join(_folded(line, columns) for line in text.split("\n"))


def _folded(line: str, columns: int) -> str:
    if columns < _COLUMNS_MIN or len(line) <= columns or _PLACE.match(line):
        return line
    label = _LABEL.match(line)
    indent = label.end() if label else len(line) - len(line.lstrip()) + 2
    return textwrap.fill(
        line, columns, subsequent_indent=" " * indent, tabsize=1,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def say(text: str) -> None:
    """Print a line on standard output, whatever names it contains."""
    clean = harmless(text)
    isatty = sys.stdout.isatty()
    typer.echo(folded(clean, shutil.get_terminal_size().columns) if isatty else clean)


def width() -> int | None:
    """The width of standard output: None for its terminal's width; else `COLUMNS`, or 80."""
    if sys.stdout.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) else _PIPE_COLUMNS
