"""ARCHITECTURE.md, decisions and READMEs beside modules name files that are there.

A README with a table of files names all files of its folder.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_contributing import is_there

ROOT = Path(__file__).resolve().parents[2]
READMES = (
    "crates/core/src/system/link/README.md",
    "crates/core/src/system/machine/README.md",
    "crates/log/README.md",
    "crates/switch/README.md",
    "tests/traffic/README.md",
)
LISTS = {
    "crates/core/src/system/link/README.md": "crates/core/src/system/link",
    "crates/switch/README.md": "crates/switch/src",
    "tests/traffic/README.md": "tests/traffic",
}
"""Those with a table of files, and the folder of these."""

NAME = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:rs|py))`")
WORD = re.compile(r"`(\w+)(?:\.rs|\.py|/)?`")
PLACE = re.compile(r"`((?:core|net|sim|data|log|switch|file)/[\w/.-]+)`")
"""A path within a crate: `core/client` is `crates/core/src/client`."""
MAPS = (
    "ARCHITECTURE.md",
    *(f"docs/decisions/{one.name}" for one in ROOT.glob("docs/decisions/*.md")),
)
NO_ENTRY = {"__init__", "__pycache__", "lib", "mod", "tests", "README"}


def missing(readme: str, text: str) -> list[str]:
    """The named files that are neither below the README's folder nor at that path."""
    below = [str(one) for one in (ROOT / readme).parent.rglob("*.*")]
    names = sorted(set(NAME.findall(text)))
    return [
        name
        for name in names
        if not (ROOT / name).exists() and not any(one.endswith(f"/{name}") for one in below)
    ]


def lost(text: str) -> list[str]:
    """The named files that are nowhere, and the places that their crates lack."""
    places = {one: one.replace("/", "/src/", 1) for one in PLACE.findall(text)}
    roots = {one: ROOT / "crates" / path for one, path in places.items()}
    gone = [
        one for one, root in roots.items() if not (root.exists() or Path(f"{root}.rs").exists())
    ]
    files = set(NAME.findall(text)) - places.keys()
    return sorted([*gone, *(one for one in files if not is_there(one))])


def unlisted(folder: str, text: str) -> set[str]:
    """The modules of a folder that the prose and tables of a README do not name."""
    modules = {one.stem for one in (ROOT / folder).iterdir()} - NO_ENTRY
    return modules - set(WORD.findall(text))


@pytest.mark.parametrize("readme", READMES)
def test_files_that_readmes_name_are_there(readme: str) -> None:
    assert missing(readme, (ROOT / readme).read_text("utf-8")) == []


@pytest.mark.parametrize("page", MAPS)
def test_places_that_the_map_and_decisions_name_are_there(page: str) -> None:
    assert lost((ROOT / page).read_text("utf-8")) == []


@pytest.mark.parametrize("readme", LISTS)
def test_readmes_with_a_table_of_files_name_all(readme: str) -> None:
    assert unlisted(LISTS[readme], (ROOT / readme).read_text("utf-8")) == set()


def test_a_wrong_name_and_a_module_without_an_entry_are_found() -> None:
    assert missing("crates/log/README.md", "`led.rs` and `visit.rs`") == ["led.rs"]
    assert lost("`core/system/line.rs`, `core/random`, `log/reading` and `srpt.rs`") == [
        "core/system/line.rs",
        "log/reading",
    ]
    assert "window" in unlisted("crates/core/src/system/link", "| `timer.rs` |")
