"""Pages that show what their commands print, walked from their first command to their last."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_snippets import Snippet
from walked import clone, missing, walk

PAGES = {
    "docs/principles.md": 5,
    "docs/retries.md": 10,
}
"""The pages, and how many commands each has at the least."""


def follow(folder: Path, snippet: Snippet) -> None:
    """A file without a name is what the command before has written."""
    written = max(folder.glob("*.toml"), key=lambda file: file.stat().st_mtime_ns)
    found = written.read_text().splitlines()
    assert missing(snippet.text.splitlines(), found, measured=False) == [], found


@pytest.mark.parametrize("page", PAGES)
def test_a_guide_is_walked(page: str, tmp_path: Path) -> None:
    assert walk(page, clone(tmp_path), follow, seconds=1) >= PAGES[page]
