"""The words of which `thinktime run` makes prompts."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORDS = ROOT / "crates/core/src/request/content/words.rs"


def words() -> list[str]:
    """The words of prompts."""
    listed = re.search(r"WORDS: \[&str; (\d+)\] = \[(.*?)\];", WORDS.read_text("utf-8"), re.DOTALL)
    assert listed is not None
    found = re.findall(r'"(\w+)"', listed[2])
    assert len(found) == int(listed[1])
    return found
