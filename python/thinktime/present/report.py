"""The report of a command: one value for terminal, page, Markdown and JUnit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from thinktime.present.page import STATES, Headline, Page, Section
from thinktime.present.table import Table

Outcome = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True)
class Case:
    """One objective, check or doubt."""

    name: str
    outcome: Outcome
    words: str = ""
    """The value found, and the value wanted."""


@dataclass(frozen=True)
class Listing:
    """Sentences under a heading."""

    title: str
    lines: Sequence[str]


@dataclass(frozen=True)
class Report:
    """A verdict, its reasons, and the figures behind it."""

    name: str
    """The heading of its Markdown, and the name of its suite in JUnit."""

    about: str
    """The name by which readers know the cases from pipeline to pipeline: without time and
    commit."""

    status: str
    """The verdict in a few words, as in `not met`; empty if the sentence says it all."""

    sentence: str
    """The verdict with its reasons; empty if the status says it all."""

    doubt: str = ""
    """Why the figures are not to be trusted, if they are not."""

    cases: Sequence[Case] = ()
    """What was judged, besides the trust in the figures."""

    parts: Sequence[str | Table | Listing] = ()
    """Paragraphs, tables and lists in their order."""

    warnings: Sequence[str] = ()
    """Problems that spoil or limit the figures."""

    time_s: float = 0.0
    """The measured duration."""

    title: str = ""
    """The title of its page; by default its name."""

    headline: str = ""
    """The first sentence of its page."""

    findings: Sequence[str] = ()
    """The further sentences of its page."""

    origin: str = ""
    """What was done, against what, and when, in a line of its page."""

    figure: str = ""
    """The figure in the title of its page's tab."""

    moment: str = ""
    """When it was, in the title of its page's tab."""

    charts: Callable[[], Sequence[Section]] = tuple
    """Draws the charts of its page."""

    words: Mapping[str, str] = field(default_factory=dict)
    """The meanings of the words of its page."""

    @property
    def tables(self) -> list[Table]:
        """Its tables."""
        return [one for one in self.parts if isinstance(one, Table)]

    @property
    def page(self) -> Page:
        """Its page: charts answer sooner than tables."""
        state = self.status if self.status in STATES else ""
        headline = Headline(
            self.headline, self.findings, self.warnings, state,
            self.origin, self.figure, self.moment,
        )  # fmt: skip
        title = self.title or self.name
        return Page(title, headline, (), self.charts(), self.words, details=self.tables)

    @property
    def all_cases(self) -> list[Case]:
        """All cases, the first of which is the trust in the figures."""
        trusted = Case(TRUSTED, "undecided" if self.doubt else "passed", self.doubt)
        return [trusted, *self.cases]


TRUSTED = "the result is to be trusted"


def outcome_of(verdict: str) -> Outcome:
    """The outcome of a case by a verdict, as in `met`, `not met`, or `cannot tell`."""
    if verdict in ("done", "met", "held"):
        return "passed"
    return "failed" if verdict in ("not met", "broken") else "undecided"


def failure(name: str, why: str) -> Report:
    """The report of a run that failed before there was a result."""
    return Report(name, name, "failed", why, why)
