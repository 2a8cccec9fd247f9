"""Marks in the texts of a draft: each stands for a random number, or for a value of the session.

They pass all that is done to foreign text; only the workload file has their meaning, in braces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

MARK = re.compile(r"~(?:text|number|value)-\d{1,9}~")
_OPEN = re.compile(rf"(?:[A-Za-z]{{1,20}} )?{MARK.pattern}")


def is_open(text: object) -> bool:
    """Whether a text is nothing but a mark, perhaps behind a word as `Bearer`: it hides nothing."""
    return isinstance(text, str) and _OPEN.fullmatch(text) is not None


def without(text: str) -> str:
    """A text without its marks."""
    return MARK.sub("", text)


@dataclass
class Marks:
    """The marks of a draft, and their meanings: a distribution, or the name of a value."""

    meanings: dict[str, str] = field(default_factory=dict)

    def add(self, meaning: str, kind: Literal["text", "number", "value"] = "text") -> str:
        """A mark: of a number, which has no quotes in JSON, of a drawn text, or of a value."""
        mark = f"~{kind}-{len(self.meanings)}~"
        self.meanings[mark] = meaning
        return mark

    def within(self, text: str) -> dict[str, str]:
        """The meanings of the marks in a text."""
        found = dict.fromkeys(MARK.findall(text))
        return {mark: self.meanings[mark] for mark in found if mark in self.meanings}


def as_json(text: str) -> str:
    """A JSON text in which the marks of numbers have no quotes."""
    return re.sub(r'"(~number-\d{1,9}~)"', r"\1", text)


def has_text(held: object) -> bool:
    """Whether a value of JSON has a text that is a mark alone, and must stay a text."""
    match held:
        case dict():
            return any(map(has_text, held.values()))
        case list():
            return any(map(has_text, held))
    return isinstance(held, str) and re.fullmatch(r"~text-\d{1,9}~", held) is not None
