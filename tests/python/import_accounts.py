"""The account of an import: what became of each part of its source, carried over or named."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import thinktime as tt
from thinktime.importing import workload_text
from thinktime.importing.draft import Draft


@dataclass(frozen=True)
class Part:
    """A part of a source that changes what is sent, or when, or how it is judged.

    Attributes:
        place: The place in the source, as notes name it.
        marker: A text that occurs in this part alone.
        word: A word of the note about it, if the note does not quote the part itself.
        is_request: Whether it is a whole request: then it is one request of the workload, or the
            note says that it is left out.
    """

    place: str
    marker: str
    word: str = "\0"
    is_request: bool = False


@dataclass
class Account:
    """A workload and its notes, of which each is a text with its places."""

    whole: dict[str, Any]
    notes: dict[str, list[str]]
    sent: int = 0
    texts: list[str] = field(default_factory=list)

    def missing(self, parts: Sequence[Part]) -> list[Part]:
        """The parts that are neither carried over nor named."""
        return [part for part in parts if not self._carries(part) and not self._names(part)]

    def unfounded(self, parts: Sequence[Part]) -> list[Part]:
        """The requests that are both carried over and said to be left out, or neither."""
        requests = [part for part in parts if part.is_request]
        return [part for part in requests if self._carries(part) == self._leaves_out(part)]

    def _carries(self, part: Part) -> bool:
        return any(part.marker in text for text in self.texts)

    def _names(self, part: Part) -> bool:
        return any(
            part.marker in text or (part.word in text and part.place in places)
            for text, places in self.notes.items()
        )

    def _leaves_out(self, part: Part) -> bool:
        return any(
            part.place in places and _WITHOUT_REQUEST.match(text)
            for text, places in self.notes.items()
        )


_WITHOUT_REQUEST = re.compile(r"left out: |goes to |not for |the URL (?:cannot|has no)")
"""The beginnings of notes that a whole request is left out."""


def account(text: str, kind: str) -> Account:
    """The account of the import of a text."""
    draft: Draft = import_module(f"thinktime.importing.{kind}").draft(text, "source", "source")
    made = workload_text.workload(draft)
    tt.Workload(made)
    notes = {note: list(places) for note, places in draft.notes.places.items()}
    whole = tomllib.loads(made)
    return Account(whole, notes, len(whole["request"]), list(_texts(whole)))


_MARK = re.compile(r"thing-\d+|77\d\d")


def fates(source: str, kind: str) -> Counter[str]:
    """How many things of a source were carried over and named, and each that is lost.

    A thing is a mark `thing-1` and so on, or a number `77..`, that stands nowhere else. It is named
    if a note has it, or its line.
    """
    draft: Draft = import_module(f"thinktime.importing.{kind}").draft(source, "source", "source")
    held = f"{tomllib.loads(workload_text.workload(draft))} {draft.options}"
    lines = {
        int(number)
        for places in draft.notes.places.values()
        for place in places
        for number in re.findall(r"line (\d+)", place)
    }
    notes = " ".join(draft.notes)
    found: Counter[str] = Counter()
    for number, line in enumerate(source.splitlines(), 1):
        for mark in _MARK.findall(line):
            is_word = re.compile(rf"{mark}(?!\d)")
            if is_word.search(held):
                found["carried"] += 1
            elif is_word.search(notes) or number in lines:
                found["named"] += 1
            else:
                found[f"lost: {mark} of line {number}"] += 1
    return found


def _texts(given: Any) -> Iterator[str]:
    match given:
        case dict():
            for name, one in given.items():
                yield name
                yield from _texts(one)
        case list():
            for one in given:
                yield from _texts(one)
        case bool():
            return
        case _:
            yield str(given)
