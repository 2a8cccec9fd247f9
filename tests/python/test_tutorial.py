"""docs/tutorial.md, walked from its first command to its last in one folder."""

from __future__ import annotations

from pathlib import Path

from docs_snippets import Snippet
from page_walk import clone, missing, walk

PAGE = "docs/tutorial.md"


def follow(folder: Path, snippet: Snippet) -> None:
    """A block that is a part of a file: its present text, or an addition to it."""
    if "[[station]]" in snippet.text:
        learned = (folder / "server.toml").read_text().splitlines()
        assert missing(snippet.text.splitlines(), learned, measured=False) == []
    else:
        with (folder / "site.toml").open("a") as file:
            file.write("\n" + snippet.text)


def test_the_tutorial_is_walked(tmp_path: Path) -> None:
    folder = clone(tmp_path)
    # As a reader types them: each command in a process of its own.
    assert walk(PAGE, folder, follow, seconds=6, within=False) >= 9
    assert (folder / "decision.html").stat().st_size > 10_000


def test_a_line_that_does_not_come_is_found_out() -> None:
    found = ["mean        980 ms ± 51 ms", "p99    5.33 s"]
    assert missing(["...", "mean  970 ms ± 50 ms", "p99  5.4 s"], found, False) == []
    assert missing(["p99  5.4 s", "mean  970 ms ± 50 ms"], found, False) != []
    assert missing(["mean  97 ms ± 50 ms"], found, False) != []
    assert missing(["mean  97 ms ± 50 ms"], found, True) == []
    assert missing(["median  97 ms ± 50 ms"], found, True) != []
    assert missing(["mean  980 ms ..."], found, False) == []
