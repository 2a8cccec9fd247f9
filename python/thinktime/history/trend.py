"""The development of a workload's figures on a target, and their changes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thinktime.comparison import words
from thinktime.comparison.estimate import Estimate
from thinktime.history.series import Series
from thinktime.history.store import HistoryEntry, by_target
from thinktime.numerics.student import NORMAL
from thinktime.present import units
from thinktime.stats.change_points import change_points

FIGURES = ("mean", "p50", "p99", "throughput", "errors")
"""The figures that are tested for changes, and drawn."""

_FEW = 6
"""With fewer results no change is looked for."""

_FEW_PERMUTATIONS = 9
"""Up to this many results, permutations may find no change however large it is."""

_LEVEL = 0.05
_LEAST = 2  # results on either side of a change


@dataclass(frozen=True)
class Shift:
    """A figure that changed with a result."""

    figure: str
    place: int
    """The number of the first result after the change, from 0."""

    before: float
    """The mean of the figure since the change before."""

    after: float
    """Its mean until the next change."""

    p_value: float

    @property
    def relative(self) -> float | None:
        """By which share the figure changed; None if it was 0."""
        return self.after / self.before - 1 if self.before else None

    @property
    def size(self) -> float:
        """The logarithm of the ratio, whatever its sign: a half is as much as a double."""
        ends = sorted((self.before, self.after))
        return math.log(ends[1] / ends[0]) if ends[0] > 0 else math.inf


@dataclass(frozen=True)
class Trend:
    """The results of one workload on one target, the oldest first."""

    workload: str
    target: str
    results: Sequence[HistoryEntry]

    def known(self, figure: str) -> list[tuple[int, Estimate]]:
        """The results that have a figure, by their number."""
        found = ((n, one.subject.estimates[figure]) for n, one in enumerate(self.results))
        return [(place, one) for place, one in found if isinstance(one, Estimate)]

    @cached_property
    def shifts(self) -> list[Shift]:
        """The changes of figures, at a level of 5 % for each.

        They are found by the E-divisive procedure, and among few results by a t-test. A change is
        more than the results' own intervals explain.
        """
        found = [shift for figure in FIGURES for shift in _shifts(self, figure)]
        return sorted(found, key=lambda one: (one.place, FIGURES.index(one.figure)))

    @property
    def verdict(self) -> str:
        """The trend in a sentence."""
        if len(self.results) < _FEW:
            many = units.counted(len(self.results), "result")
            return f"{many}: changes are looked for from {_FEW} results on."
        if not self.shifts:
            many = units.counted(len(self.results), "result")
            few = len(self.results) <= _FEW_PERMUTATIONS
            more = "; among few results only large changes can be told" if few else ""
            return f"No figure changed for good over {many}{more}."
        greatest = max(self.shifts, key=lambda shift: shift.size).place
        last = max(shift.place for shift in self.shifts)
        said = f"The last change came with {self._words_at(last)}."
        if greatest == last:
            return said
        return f"The greatest change came with {self._words_at(greatest)}. {said}"

    def _words_at(self, place: int) -> str:
        """A result, the size of its first change, and the other figures that changed with it."""
        first, *others = (shift for shift in self.shifts if shift.place == place)
        said = f"{self.name(place)}: {self.words_of(first)}"
        if not others:
            return said
        return f"{said}; {units.listed([words.name(one.figure) for one in others])} changed, too"

    def words_of(self, shift: Shift) -> str:
        """As in 'p99 rose by 12 % (4.10 ms to 4.60 ms)'."""
        verb = "rose" if shift.after > shift.before else "fell"
        ends = [words.value(shift.figure, one) for one in (shift.before, shift.after)]
        by = "" if shift.relative is None else f" by {units.percent(abs(shift.relative))}"
        return f"{words.name(shift.figure)} {verb}{by} ({ends[0]} to {ends[1]})"

    def name(self, place: int) -> str:
        """The name of a result in sentences: its commit, otherwise its label."""
        one = self.results[place]
        return one.commit or one.subject.label


def trends(results: Sequence[HistoryEntry]) -> Iterator[Trend]:
    """The trends of each workload on each target."""
    for workload in dict.fromkeys(one.subject.workload for one in results):
        of_workload = [one for one in results if one.subject.workload == workload]
        for target, found in by_target(of_workload):
            yield Trend(workload, target, found)


def _shifts(trend: Trend, figure: str) -> Iterator[Shift]:
    known = trend.known(figure)
    if len(known) < _FEW:
        return
    values = np.array([one.value for _, one in known])
    if np.ptp(values) == 0:
        return
    seeds = [_source(trend.results[place]) for place, _ in known]
    places = _places(Series(values, np.array([_error(one) for _, one in known]), seeds))
    edges = [0, *(place for place, _ in places), len(values)]
    for number, (place, p_value) in enumerate(places):
        before = float(values[edges[number] : place].mean())
        after = float(values[place : edges[number + 2]].mean())
        yield Shift(figure, known[place][0], before, after, p_value)


def _source(one: HistoryEntry) -> object:
    """What the chance in a result comes from: simulations of one seed have the same."""
    return one.subject.seed if one.subject.kind == "simulate" else one.id


def _error(one: Estimate) -> float:
    """The standard error of a figure."""
    return (one.high - one.low) / (2 * NORMAL)


def _places(series: Series) -> list[tuple[int, float]]:
    """The places of changes and their p-values.

    Permutations of few results prove nothing: six have only twenty halves. These are split by the
    t-test of `Series.p_value`, which knows how well each result is known.
    """
    scaled = np.log(series.values) if series.values.min() > 0 else series.values
    found = [(one.place, one.p_value) for one in change_points(scaled, _LEVEL)]
    kept = [one for one in found if series.beyond_chance(one[0], found)]
    if kept or len(series.values) > _FEW_PERMUTATIONS:
        return kept
    splits = range(_LEAST, len(series.values) - _LEAST + 1)
    p_value, place = min((len(splits) * series.p_value(place), place) for place in splits)
    return [(place, p_value)] if p_value <= _LEVEL else []
