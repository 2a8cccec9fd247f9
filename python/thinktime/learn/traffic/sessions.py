"""The sessions of a population: their number of requests, and the think times between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.fit import Fit, TailFit, Tally, fit, tail
from thinktime.learn.fit.empirical_law import outcomes
from thinktime.learn.traffic.traffic import Traffic

OBJECTS_MATTER = 0.02
"""From this share of the gaps on, the think time treats embedded objects separately."""

OUTCOMES_MAX = 60
"""If no law fits, at most this many outcomes are written."""


@dataclass(frozen=True)
class Values:
    """Values of one kind, the laws that were fitted to them, and how heavy their tail is."""

    tally: Tally
    fits: list[Fit]
    """The best first; empty without values."""

    tail: TailFit | None

    @property
    def best(self) -> Fit | None:
        """The best law."""
        return self.fits[0] if self.fits else None

    @property
    def law(self) -> str | None:
        """The best law's notation."""
        return self.fits[0].notation if self.fits else None


def values_of(tally: Tally) -> Values:
    """Fit the laws and the tail of a tally."""
    if tally.total == 0:
        return Values(tally, [], None)
    return Values(tally, fit(tally), None if tally.whole else tail(tally))


@dataclass(frozen=True)
class SessionLaws:
    """The figures of sessions."""

    requests: Values
    pages: Values
    think: Values
    """From a response, or its request if durations are not logged, to the next request."""

    page_think: Values
    """The same before requests that begin a page."""

    object_gap: Values
    """The same before requests of embedded objects."""

    timeout_s: float
    """No think time can be longer."""

    timed: bool
    """Whether durations are logged, and taken off the think times."""

    @property
    def requests_law(self) -> str:
        """Requests a session, as in a workload file."""
        best = self.requests.best
        if best is not None and best.plausible and best.mean < np.inf:
            return best.notation
        counts = self.requests.tally
        return outcomes(np.maximum(np.round(counts.middle), 1), counts.count, most=OUTCOMES_MAX)

    @property
    def think_law(self) -> str | None:
        """The think time as in a workload file; None if no session has two requests.

        Embedded objects are treated separately from pages, and no value is longer than the timeout.
        """
        objects, pages = self.object_gap, self.page_think
        share = objects.tally.total / max(objects.tally.total + pages.tally.total, 1)
        if OBJECTS_MATTER <= share <= 1 - OBJECTS_MATTER and objects.best and pages.best:
            small, large = self._bounded(objects.best), self._bounded(pages.best)
            return f"mix({share:.4f}: {small}, {1 - share:.4f}: {large})"
        return self._bounded(self.think.best) if self.think.best else None

    def _bounded(self, best: Fit) -> str:
        beyond = 1 - float(best.cdf(self.timeout_s)[0])
        if beyond < 1e-6:
            return best.notation
        return f"truncated({best.notation}, lo=0s, hi={self.timeout_s:g}s)"


def learn_sessions(traffic: Traffic) -> SessionLaws:
    """Learn the figures of sessions."""
    limit = traffic.timeout_s
    requests = values_of(traffic.lengths("requests"))
    think = values_of(traffic.times("thinks", limit))
    return SessionLaws(
        requests=requests,
        pages=_known(traffic.lengths("pages"), requests),
        think=think,
        page_think=_known(traffic.times("page_thinks", limit), think),
        object_gap=values_of(traffic.times("object_gaps", limit)),
        timeout_s=limit,
        timed=traffic.durations().total > 0,
    )


def _known(tally: Tally, other: Values) -> Values:
    """The values of a tally; a tally equal to another is not fitted again."""
    return other if tally.same(other.tally) else values_of(tally)
