"""The destination of a study: a short one never replaces the results of a whole one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

SHORT = "quick"
"""The folder beside a study's own results that those of a short one go to; git ignores it."""


def add_option(parser: argparse.ArgumentParser) -> None:
    """The option `--to`, whose value `folder` completes."""
    parser.add_argument(
        "--to", type=Path, help=f"where to write; the study's own folder, or {SHORT} in it if short"
    )


def folder(parser: argparse.ArgumentParser, to: Path | None, own: Path, *, short: bool) -> Path:
    """The folder to write into: that of `--to`, else the study's own, or the short ones' in it.

    It ends the program if a short study was sent into the study's own folder.
    """
    if short and to is not None and to.resolve() == own.resolve():
        parser.error(f"{to} has the results of the whole study: write a short one elsewhere")
    return to or (own / SHORT if short else own)


def write(to: Path, tables: str, draw: Callable[[Path], None]) -> bool:
    """Write `tables.md`, and draw the figures; leave both alone if the tables are as they were.

    A figure shows what tables say. To draw figures anew all the same, delete the folder `figures`.
    Gives whether anything was written.
    """
    page, figures = to / "tables.md", to / "figures"
    if figures.is_dir() and page.is_file() and page.read_text("utf-8") == tables:
        return False
    figures.mkdir(parents=True, exist_ok=True)
    draw(figures)
    page.write_text(tables, "utf-8")
    return True
