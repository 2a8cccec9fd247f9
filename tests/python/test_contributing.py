"""The recipes of CONTRIBUTING.md name files and lists that are there, and are short."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PARTS = ("benches", "crates", "docs", "python", "tests")
MADE = {"run.toml"}
"""Names of files that the program writes."""

FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:rs|py|md|toml|txt))`")
FOLDER = re.compile(rf"`((?:{'|'.join(PARTS)})/[\w./-]+)`")
NAME = re.compile(r"`(_?[A-Z][A-Z_]{3,})`")
CAPITALS = re.compile(r"\b_?[A-Z][A-Z_]{3,}\b")


@cache
def files() -> dict[str, Path]:
    """All files, each by its path from the root."""
    found = [*ROOT.glob("*.md"), *(one for part in PARTS for one in (ROOT / part).rglob("*.*"))]
    return {f"/{one.relative_to(ROOT)}": one for one in found}


def is_there(name: str) -> bool:
    """Whether a file or folder ends so."""
    return any(path.endswith(f"/{name}") or f"/{name}/" in path for path in files())


@cache
def words() -> set[str]:
    """All names in capitals that some source has."""
    sources = [one for one in files().values() if one.suffix in (".rs", ".py")]
    return {word for one in sources for word in CAPITALS.findall(one.read_text("utf-8"))}


def test_files_that_recipes_name_are_there() -> None:
    names = {*FILE.findall(TEXT), *FOLDER.findall(TEXT)} - MADE
    assert len(names) > 60
    assert [name for name in sorted(names) if "NAME" not in name and not is_there(name)] == []


def test_lists_that_recipes_name_are_there() -> None:
    names = set(NAME.findall(TEXT)) - {"NAME"}
    assert len(names) > 15
    assert names - words() == set()


@pytest.mark.parametrize("name", ["srtp.rs", "report/polices.py", "crates/core/src/polic"])
def test_a_file_that_is_not_there_is_found_out(name: str) -> None:
    assert not is_there(name)


def test_it_stays_short() -> None:
    assert len(TEXT.split()) <= 2000
