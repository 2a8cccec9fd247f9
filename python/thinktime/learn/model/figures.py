"""The figures of a population for readers: those of its model, which a workload file is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.fit import Tally, Values, values_of
from thinktime.learn.journeys.think_times import tally, times
from thinktime.learn.journeys.timeout import TimeoutCurve, gaps_of_users, timeout_curve
from thinktime.learn.model.population_model import PopulationModel
from thinktime.learn.starts import Poisson

LONGEST_US = 4_294_967_294
"""All longer durations, and larger sizes, are written as this."""

MICROSECOND, MILLISECOND, SECOND = 1.0, 1e3, 1e6
"""The steps in which logs write durations, in microseconds."""


@dataclass(frozen=True)
class Figures:
    """The figures of a population. Counts and rates are of all users, even of a sampled log."""

    part: PopulationModel
    one_in: int
    """The requests of one user in this many are here."""

    @property
    def sessions(self) -> int:
        """The number of sessions; if each page is by itself, of pages."""
        return self.part.journeys.journeys * self.one_in

    @property
    def rate(self) -> float:
        """Sessions a second while the log covers them."""
        starts = self.part.starts
        if starts is None:
            return self.sessions / max(self.part.requests.span_s, 1e-9)
        return starts.rate * self.one_in

    @property
    def poisson(self) -> Poisson:
        """Whether sessions arrive as a Poisson process, which no fixed number of clients does."""
        starts = self.part.starts
        return Poisson("cannot tell", None, None) if starts is None else starts.poisson

    @property
    def changes(self) -> bool:
        """Whether the rate changes beyond chance (1 %)."""
        return self.part.starts is not None and self.part.starts.steps.changes

    @property
    def profile(self) -> str | None:
        """The rate over time as in a workload file; None if it is constant."""
        starts = self.part.starts
        if starts is None or not starts.steps.changes:
            return None
        rates, minutes = starts.steps.rates, starts.steps.step_s / 60
        mean = rates.mean()
        steps = [
            f"{f'{n * minutes:g}min' if n else '0s'}: {rate / mean:.4g}"
            for n, rate in enumerate(rates)
        ]
        return f"steps({', '.join(steps)})"

    @cached_property
    def session_s(self) -> float:
        """The sum of the lengths of all sessions by the timeout, in seconds."""
        gaps = gaps_of_users(self.part.requests)
        return float(gaps[gaps <= self.part.journeys.timeout_s].sum()) * self.one_in

    @property
    def active(self) -> float:
        """The mean number of sessions in progress, from their first request to their last."""
        return self.session_s / max(self.part.requests.span_s, 1e-9)

    @cached_property
    def requests(self) -> Values:
        """Requests a session."""
        lengths = self.part.journeys.lengths_in_requests
        return self.pages if lengths.same(self.pages.tally) else values_of(lengths)

    @cached_property
    def pages(self) -> Values:
        """Pages a session."""
        return values_of(self.part.journeys.lengths_in_pages)

    @cached_property
    def thinks(self) -> Values:
        """Think times, from the end of a page to the next one of the session."""
        requests, journeys = self.part.requests, self.part.journeys
        taken_s = times(journeys.visits)
        return values_of(tally(taken_s, journeys.timeout_s, requests.resolution_s))

    @cached_property
    def gaps(self) -> Values:
        """Times between starts of sessions."""
        starts = self.part.starts
        if starts is None:
            return values_of(Tally.from_values([]))
        return values_of(tally(np.diff(starts.times_s), None, starts.resolution_s))

    @cached_property
    def sizes(self) -> Values:
        """Sizes of responses in bytes."""
        return values_of(Tally.from_sizes(self._known("bytes")))

    @cached_property
    def durations(self) -> Values:
        """Durations of requests; without values if they are not logged."""
        taken_us = self._known("duration_us")
        return values_of(Tally.from_values(np.maximum(taken_us, _least_us(taken_us)) * 1e-6))

    def _known(self, column: str) -> NDArray[np.float64]:
        values = self.part.requests.rows[column].drop_nulls().to_numpy()
        return values[values <= LONGEST_US].astype(np.float64)

    @cached_property
    def curve(self) -> TimeoutCurve:
        """The number of sessions by the timeout."""
        return timeout_curve(self.part.requests, self.one_in)


def _least_us(taken_us: NDArray[np.float64]) -> float:
    """Half of the step in which these durations were written: a shorter one looks like none."""
    steps = (step for step in (SECOND, MILLISECOND) if not np.any(taken_us % step))
    return next(steps, MICROSECOND) / 2 if taken_us.any() else MICROSECOND / 2
