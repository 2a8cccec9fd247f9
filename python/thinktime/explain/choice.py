"""Which model of the server fits the measurement: learned on one part, judged by another.

A model is learned from the first 70 % of the time and judged by the rest. Only a model that fits is
then learned again from all of the time. If requests came by themselves, models are simulated on the
measured arrival times. Otherwise the workload is simulated with another seed, because the times of
answers decide when clients come again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from thinktime._core import Workload
from thinktime.candidates import ranking
from thinktime.candidates.candidate import Candidate
from thinktime.candidates.candidate_simulation import each, traced
from thinktime.candidates.prediction import Prediction
from thinktime.candidates.ranking import LIKELIER, Score
from thinktime.candidates.similarity import Stretch, distance, farthest, log_likelihood
from thinktime.candidates.visits import Visits
from thinktime.explain.demands import KnownDemands
from thinktime.explain.recognition import Recognition, behind_a_delay, keeps_order, recognitions
from thinktime.explain.tandem import Tandem, tandems_of
from thinktime.operations import simulate

LEARNED = 0.7
"""The share of the time from which models are learned."""

CROWDED = 0.05
"""With fewer requests that found others, policies cannot be told apart."""

RUNS = 8
"""The number of simulations of each model that is judged."""

SAME = 0.01
"""Means that are this near to each other are the same, whatever chance says."""

SEED = 7_041_776
"""No server or workload is likely to have this seed: simulated demands must not be the measured
ones."""


@dataclass(frozen=True)
class Choice:
    """The model that fits best."""

    best: Score | None = None
    """The named model as it was judged; None if nothing explains the times at all."""

    alike: tuple[Candidate, ...] = ()
    """Other models that explain the times: the measurement does not tell them apart."""

    asked: tuple[tuple[Candidate, ...], ...] = ()
    """If a model fits, its variants, learned from all of the time; then those of tied models that
    are asked as well: the outermost ones of each kind."""

    tried: tuple[Score, ...] = ()
    """All simulated models, in the order of simulation."""

    @property
    def fits(self) -> bool:
        """Whether a model fits."""
        return self.best is not None and self.best.fits

    @property
    def too_short(self) -> bool:
        """Whether a model is near, but other models would be too: there are too few requests."""
        return self.best is not None and self.best.near and not self.best.tells


Judge = Callable[[Recognition | Tandem], Score]


def choose(seen: Visits, workload: Workload, known: KnownDemands | None = None) -> Choice:
    """The best of all models that are tried; `known` are demands from elsewhere.

    Raises:
        InputError: if the workload cannot be simulated.
    """
    begin, end = float(seen.arrival_s[0]), float(seen.arrival_s[-1])
    cut = begin + LEARNED * (end - begin)
    learned = seen.part(seen.done_s < cut)
    if crowded(seen) < CROWDED or not len(learned):
        return Choice()
    came, until = workload, end
    if workload.model == "open":  # the start of the run is that of the trace, too
        came, until = traced(seen.arrival_s), end + 1.0

    def run(numbered: tuple[int, Candidate]) -> Visits:
        number, one = numbered
        # The simulation has an end, because some models cannot keep up with the measured arrivals.
        other = came.with_seed(SEED + number)
        made = simulate(other, one.system(), duration=until, warmup=0.0, rows="all")
        return Visits.of_rows(pl.DataFrame(made.requests))

    def judge(model: Recognition | Tandem) -> Score:
        variants = model.variants(RUNS)
        return _tried(seen, each(run, enumerate(variants)), (cut, end), tuple(variants))

    explained = recognitions(learned, known)
    is_tandem = not explained and not known and keeps_order(learned)
    first = (
        _of_tandems(seen, learned, judge) if is_tandem else _of_recognised(seen, explained, judge)
    )
    if (first.fits and not is_tandem) or first.too_short or known:
        return first
    # A model that was judged without a delay has no second chance with a small one.
    other = behind_a_delay(learned, {one.policy for one in explained})
    second = _of_recognised(seen, other, judge)
    chosen = second if _before(second, first) else first
    return replace(chosen, tried=(*first.tried, *second.tried))


def _before(second: Choice, first: Choice) -> bool:
    """Whether the model behind a delay is named before the one without."""
    if first.best is None or second.best is None or not (first.fits and second.fits):
        return second.fits
    return second.best.log_likelihood > first.best.log_likelihood + LIKELIER


def _of_tandems(seen: Visits, learned: Visits, judge: Judge) -> Choice:
    """The split of the work between two stations in a row with the nearest predictions."""
    rows = tandems_of(learned)
    if not rows:
        return Choice()
    found = [judge(one) for one in rows]
    place = min(range(len(found)), key=lambda n: found[n].apart)
    asked = (tuple(tandems_of(seen)[place].variants(RUNS)),) if found[place].fits else ()
    return Choice(found[place], (), asked, tuple(found))


def _of_recognised(seen: Visits, explained: Sequence[Recognition], judge: Judge) -> Choice:
    """The best of the models that explain the times, of which the first is the most probable."""
    if not explained:
        return Choice()
    judged = ranking.to_judge(explained)
    found = [judge(one) for one in judged]
    place = ranking.best_of(found)
    best, named = found[place], judged[place]
    ties = [model for model, one in zip(judged, found, strict=True) if best.ties(one)]
    ties = [model for model in ties if model is not named]
    others = ranking.alike(named, ties, explained, judged)
    asked = [named, *ranking.outermost(ties)] if best.fits else []
    if not best.fits:
        others = tuple(one for one in explained if one is not named)
    return Choice(
        best,
        tuple(one.candidate for one in others),
        tuple(tuple(one.learned_from(seen).variants(RUNS)) for one in asked),
        tuple(found),
    )


def _tried(
    seen: Visits, runs: list[Visits], held_out: tuple[float, float], those: tuple[Candidate, ...]
) -> Score:
    """The distance of a model from the held-out part."""
    cut, end = held_out
    measured, *played = (Stretch.of(one, cut, end) for one in (seen, *runs))
    # Over all of the time as well: all rare requests may have come in the first part.
    whole = [Stretch.of(one, float(seen.arrival_s[0]), end) for one in (seen, *runs)]
    off = (_mean_off(measured, played), _mean_off(whole[0], whole[1:]))
    apart = float(np.mean([distance(measured, one) for one in played]))
    likely = log_likelihood(measured, played)
    return Score(those, apart, farthest(played), max(off, key=abs), likely)


def crowded(seen: Visits) -> float:
    """The share of the requests that found others: only these show the scheduling policy."""
    return float((seen.found > 0).mean())


def _mean_off(measured: Stretch, runs: list[Stretch]) -> float:
    """The t-ratio of the logarithm of the mean response time, for one more of `runs`."""
    means = [float(np.mean(one.took_s)) for one in (measured, *runs) if len(one.took_s)]
    if len(means) <= len(runs):
        return np.inf
    return Prediction.of(means[1:], least=SAME).off(means[0])
