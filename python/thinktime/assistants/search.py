"""The docs by question: sections of pages that have its words, the nearest first."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGES = Path(__file__).parent / "pages"
"""The pages: in a checkout links to those of `docs`, of which a wheel has copies."""

SKILL = PAGES / "SKILL.md"
"""How to plan a test, for assistants."""

LONGEST = 1_500
"""The characters of a passage."""

_WORD = re.compile(r"[a-z0-9][a-z0-9_]*")
_HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can do does for from have how i if in is it its me my not of on "
        "or should so that the their there they this to was what when where which who why will "
        "with you",
    )
)
_IN_HEADING = 4
"""How much more a word in a heading says."""

_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75
"""k1 and b of BM25: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the
usual values."""


@dataclass(frozen=True)
class Passage:
    """A section of a page."""

    page: str
    heading: str
    text: str

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        cut = self.text if len(self.text) <= LONGEST else f"{self.text[:LONGEST]}…"
        return {"page": f"docs/{self.page}", "heading": self.heading, "text": cut}

    @property
    def words(self) -> Counter[str]:
        """How often it has each stem."""
        heading = Counter(
            {one: _IN_HEADING * n for one, n in Counter(_stems(self.heading)).items()}
        )
        return heading + Counter(_stems(self.text))


def passages(question: str, most: int = 5) -> list[Passage]:
    """The sections nearest to a question; none if no page has one of its words."""
    asked, sections, counts = set(_stems(question)), _sections(), _counts()
    lengths = [sum(one.values()) for one in counts]
    mean = sum(lengths) / max(1, len(lengths))
    among = {word: sum(word in one for one in counts) for word in asked}

    def score(place: int) -> float:
        longer = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * lengths[place] / mean
        found = {word: counts[place][word] for word in asked if word in counts[place]}
        return sum(
            math.log1p((len(sections) - among[word] + 0.5) / (among[word] + 0.5))
            * often * (_SATURATION + 1) / (often + _SATURATION * longer)
            for word, often in found.items()
        )  # fmt: skip

    scores = [score(place) for place in range(len(sections))]
    ranked = sorted(range(len(sections)), key=lambda place: -scores[place])
    return [sections[place] for place in ranked[:most] if scores[place] > 0.0]


@cache
def _sections() -> list[Passage]:
    """All sections of all pages."""
    found = []
    for path in sorted(set(PAGES.glob("*.md")) - {SKILL}):
        title, *parts = _HEADING.split(path.read_text("utf-8"))
        heads = parts[::2]
        for heading, text in zip(heads, parts[1::2], strict=True):
            name = heading if heading == heads[0] else f"{heads[0]}: {heading}"
            found.append(Passage(path.name, name, text.strip()))
        if not parts:
            found.append(Passage(path.name, path.stem, title.strip()))
    return found


@cache
def _counts() -> list[Counter[str]]:
    return [one.words for one in _sections()]


def _stems(text: str) -> list[str]:
    """The words without their commonest endings."""
    words = (one for one in _WORD.findall(text.lower()) if one not in _COMMON)
    return [re.sub(r"(?:ness|ies|es|s|ing|ed)$", "", one) if len(one) > 4 else one for one in words]
