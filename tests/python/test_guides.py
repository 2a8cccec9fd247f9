"""Pages that show the output of their commands, run from their first command to their last."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_snippets import PAGES as ALL_PAGES
from docs_snippets import Snippet, snippets
from live_commands import SYSTEM
from page_commands import WALKED, made
from page_walk import clone, missing, sessions, walk

import thinktime as tt

PAGES = {
    "docs/coming-from-jmeter.md": 2,
    "docs/coming-from-locust.md": 2,
    "docs/compare.md": 4,
    "docs/explain.md": 2,
    "docs/learn.md": 5,
    "docs/principles.md": 5,
    "docs/retries.md": 10,
}
"""The pages, and the least number of commands of each."""

WALKED_ELSEWHERE = {"docs/tutorial.md": "test_tutorial.py"}

AGAINST = ("docs/coming-from-jmeter.md", "docs/coming-from-locust.md")
"""Pages whose runs need the reader's own server."""

WITH_FILES = ("docs/compare.md", "docs/explain.md")
"""Pages that use the files of the README."""


def follow(folder: Path, snippet: Snippet) -> None:
    """A file without a name was written by the command before it."""
    written = max(folder.glob("*.toml"), key=lambda file: file.stat().st_mtime_ns)
    found = written.read_text().splitlines()
    assert missing(snippet.text.splitlines(), found, measured=False) == [], found


@pytest.mark.parametrize("page", PAGES)
def test_a_guide_is_walked(page: str, tmp_path: Path) -> None:
    folder = clone(tmp_path)
    if page in WITH_FILES:
        made(folder, page)
    if page not in AGAINST:
        assert walk(page, folder, follow, seconds=1) >= PAGES[page]
        return
    with tt.serve(tt.System(SYSTEM)) as server:
        port = int(server.url.rpartition(":")[2])
        assert walk(page, folder, follow, seconds=1, port=port) >= PAGES[page]


def test_every_page_that_shows_what_a_command_prints_is_walked() -> None:
    shown = {
        page
        for page in ALL_PAGES
        for snippet in snippets(page)
        if any(line.strip() for _, output in sessions(snippet) for line in output)
    }
    assert shown == set(PAGES) | set(WALKED_ELSEWHERE)
    assert set(WALKED) <= set(PAGES)
