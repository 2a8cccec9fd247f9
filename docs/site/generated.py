"""The program's own reference pages: `python docs/site/generated.py docs` writes them.

`make site` does so before it builds; git ignores the output. Their words come from help, schemas
and docstrings.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

PAGES = {
    "commands.md": "thinktime.reference.commands",
    "keys.md": "thinktime.reference.keys",
    "python-reference.md": "thinktime.reference.python",
}
"""Each page, and the module whose `text()` is the page."""


def text(page: str) -> str:
    """A whole page in Markdown."""
    made: str = import_module(PAGES[page]).text()
    return made


def write(folder: Path) -> None:
    """Write all pages into a folder, and leave up-to-date ones alone."""
    for page in PAGES:
        path, made = folder / page, text(page)
        if not path.exists() or path.read_text("utf-8") != made:
            path.write_text(made, "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
