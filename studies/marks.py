"""A table of a page that the study itself rewrites, between two marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

BEGIN, END = "<!-- table -->\n", "<!-- end of the table -->\n"


def put(page: Path, lines: Sequence[str]) -> None:
    """Put lines between the marks of a page; a page that has none gets them alone."""
    text = page.read_text("utf-8") if page.exists() else BEGIN + END
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + after, "utf-8")
