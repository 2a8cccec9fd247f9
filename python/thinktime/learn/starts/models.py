"""Models of the starts of a population's sessions in a workload file: a replay, or a law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.starts.coverage import Coverage, Times
from thinktime.learn.starts.dispersion import WINDOWS_S, Counts, index_of_poisson
from thinktime.learn.starts.rates import Steps, blocks


@dataclass(frozen=True)
class Model:
    """One model of the starts."""

    name: str
    """`trace`, `poisson`, `steps`, `blocks` or `clock`."""

    about: str
    """The features that it keeps, in words."""

    rate: float | None
    """Starts a second, on average over its course; None if the trace gives them."""

    dispersion: tuple[float | None, ...]
    """Variance over mean of its counts, for each of `WINDOWS_S`; None if it is not known."""

    rates: Times | None = field(default=None, repr=False)
    """Starts a second by steps of `width_s`; None for a trace. Lost parts of the log have no
    steps."""

    width_s: float = 1.0

    process: str = "poisson"
    """The process in the workload file, if there are rates."""

    @property
    def clocked(self) -> bool:
        """Whether the starts are those of a clock."""
        return self.rates is not None and self.process != "poisson"

    @property
    def constant(self) -> bool:
        """Whether its rate never changes."""
        return self.rates is not None and len(self.rates) == 1

    def times(self, factor: float) -> Model:
        """The same with all rates multiplied. Raises ValueError for a trace."""
        if self.rates is None or self.rate is None:
            raise ValueError("a trace has no rates")
        return replace(self, rate=self.rate * factor, rates=self.rates * factor)


def models(
    counts: Counts, covered: Coverage, steps: Steps, logged: tuple[float | None, ...]
) -> tuple[Model, ...]:
    """The models of a population's starts, the simplest first; the last one is the trace.

    ``counts`` and ``steps`` are of the part used, ``covered`` of the whole log, and ``logged`` is
    the dispersion of the log itself.
    """
    found = []
    if steps.changes:
        about = f"a Poisson process whose rate changes by steps of {steps.step_s / 60:g} min"
        edges = np.arange(len(steps.rates) + 1) * steps.step_s
        share = np.diff(covered.upto(edges)) / steps.step_s
        rates = _start_rates(steps.rates, steps.covered > 0) * share
        found.append(_poisson("steps", about, rates, steps.step_s, counts))
    else:
        about = "a Poisson process of one rate"
        rate = counts.starts.sum() / counts.covered.sum()
        found.append(_poisson("poisson", about, np.array([rate]), covered.span_s, counts))
    fine = blocks(counts) * np.diff(covered.upto(counts.edges)) / counts.width_s
    if np.any(np.diff(fine[counts.covered > 0])):
        about = "a Poisson process whose rate changes wherever it does so beyond chance"
        found.append(_poisson("blocks", about, fine, counts.width_s, counts))
    about = "the starts themselves, with every burst, the same in each run"
    return (*found, Model("trace", about, None, logged))


def _start_rates(rates: Times, known: NDArray[np.bool_]) -> Times:
    """Rates by steps; rates before the first known one equal it."""
    first = int(np.argmax(known))
    return np.concatenate([np.full(first, rates[first]), rates[first:]])


def _poisson(name: str, about: str, rates: Times, width_s: float, counts: Counts) -> Model:
    at = (counts.edges[:-1] / width_s).astype(np.int64)
    by_second = rates[np.minimum(at, len(rates) - 1)]
    dispersion = tuple(index_of_poisson(by_second, counts, window_s) for window_s in WINDOWS_S)
    return Model(name, about, float(rates.mean()), dispersion, rates, width_s)


def choose(models: tuple[Model, ...], stands_in: Callable[[Model], bool]) -> Model:
    """The simplest model that behaves as the log does by ``stands_in``.

    The last one is the log itself, and is taken if no other does.
    """
    return next((one for one in models[:-1] if stands_in(one)), models[-1])
