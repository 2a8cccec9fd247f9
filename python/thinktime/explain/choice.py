"""Which model of the server fits the measurement: learned on one part, judged by another.

A model is learned from the first 70 % of the time and judged by the rest. Only a model that fits is
then learned again from all of the time. If requests came by themselves, models are simulated on the
measured arrival times. Otherwise the workload is simulated with another seed, because the times of
answers decide when clients come again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from thinktime._core import Workload
from thinktime.explain import ties
from thinktime.explain.candidates import Candidate, in_a_row
from thinktime.explain.demands import KnownDemands
from thinktime.explain.recognition import Recognition, behind_a_delay, keeps_order, recognitions
from thinktime.explain.scores import distance, farthest, log_likelihood
from thinktime.explain.visits import Visits
from thinktime.operations import simulate

LEARNED = 0.7
"""The share of the time from which models are learned."""

CROWDED = 0.05
"""With fewer requests that found others, policies cannot be told apart."""

CLOSE = 0.04
"""Models that are no further apart count as the same, whatever chance says."""

RUNS = 8
"""The number of simulations of each model that is judged."""

CHANCE = 1.25
"""A model fits if the measurement is no further from its simulations than this many times the
distance of any simulation from the others."""

TELLING = 0.3
"""A model is not named if chance may take it further off than this: too often it is wrong. Set by
simulated runs of 1,200 to 20,000 requests: see `docs/explain.md`."""

FAR = 0.6
"""A model that is further off never fits, whatever chance says; 1 means nothing in common."""

SAME = 0.01
"""Means that are this near to each other are the same, whatever chance says."""

MEAN_OFF = 5.41
"""Student's t of `RUNS` - 1 = 7 degrees exceeds it in one of 1,000 cases."""

SEED = 7_041_776
"""No server or workload is likely to have this seed: simulated demands must not be the measured
ones."""


@dataclass(frozen=True)
class Trial:
    """A model and its distance from the measurement."""

    variants: tuple[Candidate, ...]
    """The model with laws that might as well have been learned. They come from the first part, or
    from all of the time if the model fits."""

    apart: float
    """The mean distance of all variants from the held-out part: see `scores.distance`."""

    chance: float
    """The distance of the farthest variant from the others."""

    mean_off: float = 0.0
    """The distance of the measured mean response time from those of the variants, in standard
    errors of one more variant. It is the larger of two: for the held-out part, and for all of the
    time. The distance above hardly sees a few very long requests."""

    log_likelihood: float = 0.0
    """The log-likelihood a request of the held-out part: see `scores.log_likelihood`."""

    @property
    def candidate(self) -> Candidate:
        """One of the variants."""
        return self.variants[0]

    @property
    def allowed(self) -> float:
        """The largest distance at which the model fits."""
        return max(CLOSE, CHANCE * self.chance)

    @property
    def near(self) -> bool:
        """Whether the model is within `allowed`, and within `FAR`."""
        return self.apart <= min(self.allowed, FAR)

    @property
    def tells(self) -> bool:
        """Whether a small distance is evidence: chance would not let just any server pass."""
        return self.allowed <= TELLING

    @property
    def fits(self) -> bool:
        """Whether the model fits, and the requests suffice to see that."""
        return self.tells and self.near and abs(self.mean_off) <= MEAN_OFF

    def needed(self, requests: int) -> int:
        """Roughly how many requests would suffice: chance falls with the root of their number."""
        return int(np.ceil(requests * (self.allowed / TELLING) ** 2))


@dataclass(frozen=True)
class Choice:
    """The model that fits best."""

    best: Trial | None
    """None if nothing explains the times at all."""

    alike: tuple[Recognition, ...]
    """Other models that explain the times: the measurement does not tell them apart."""

    ties: tuple[tuple[Candidate, ...], ...] = ()
    """Variants of tied models that are asked as well: the outermost ones of each kind."""

    tried: tuple[Trial, ...] = ()
    """All simulated models, in the order of simulation."""

    named: Trial | None = None
    """The best of them, as it was when it was judged."""

    @property
    def fits(self) -> bool:
        """Whether a model fits."""
        return self.best is not None and self.best.fits

    @property
    def explained(self) -> bool:
        """Whether a model fits and was recognised by its own demands, as no row of stations is."""
        return self.fits and self.best is not None and self.best.candidate.kind != "row"

    @property
    def too_short(self) -> bool:
        """Whether a model is near, but other models would be too: there are too few requests."""
        return self.best is not None and self.best.near and not self.best.tells


Simulated = Callable[[Candidate, int], Visits]
"""Simulations of a model, with other draws for each number."""


def choose(seen: Visits, workload: Workload, known: KnownDemands | None = None) -> Choice:
    """The best of all models that are tried; `known` are demands from elsewhere.

    Raises:
        InputError: if the workload cannot be simulated.
    """
    begin, end = float(seen.begin_s[0]), float(seen.begin_s[-1])
    cut = begin + LEARNED * (end - begin)
    early = seen.end_s < cut
    learned = Visits(seen.begin_s[early], seen.end_s[early])
    if crowded(seen) < CROWDED or not early.any():
        return Choice(None, ())
    with _simulating(seen, workload) as simulated:
        judge = partial(_tried, seen, simulated, (cut, end))
        explained = recognitions(learned, known)
        if explained or known or not keeps_order(learned):
            first = _of_recognised(seen, explained, judge)
        else:
            first = _in_a_row(seen, learned, judge)
        if first.explained or first.too_short or known:
            return first
        # A model that was judged without a delay has no second chance with a small one.
        other = behind_a_delay(learned, {one.policy for one in explained})
        second = _of_recognised(seen, other, judge)
    chosen = second if _before(second, first) else first
    return replace(chosen, tried=(*first.tried, *second.tried))


def _before(second: Choice, first: Choice) -> bool:
    """Whether the model behind a delay is named before the one without."""
    if not (first.fits and second.fits and first.named and second.named):
        return second.fits
    return second.named.log_likelihood > first.named.log_likelihood + ties.LIKELIER


Judge = Callable[[list[Candidate]], Trial]


def _in_a_row(seen: Visits, learned: Visits, judge: Judge) -> Choice:
    """The split of the work between two stations in a row with the nearest predictions."""
    found = [judge(those) for those in in_a_row(learned, RUNS)]
    if not found:
        return Choice(None, ())
    place = min(range(len(found)), key=lambda n: found[n].apart)
    best = found[place]
    if best.fits:
        best = replace(best, variants=tuple(in_a_row(seen, RUNS)[place]))
    return Choice(best, (), (), tuple(found), found[place])


def _of_recognised(seen: Visits, explained: list[Recognition], judge: Judge) -> Choice:
    """The best of the models that explain the times, of which the first is the most probable."""
    if not explained:
        return Choice(None, ())
    those = ties.to_judge(explained)
    found = [judge(one.variants(RUNS)) for one in those]
    place = ties.simplest(found, ties.likeliest(found, 0))
    best = found[place]
    if not best.fits:
        others = tuple(one for one in explained if one is not those[place])
        return Choice(best, others, (), tuple(found), best)

    def learned(one: Recognition) -> tuple[Candidate, ...]:
        return tuple(one.learned_from(seen).variants(RUNS))

    named, equals = those[place], [those[n] for n in ties.ties_of(found, place)]
    return Choice(
        replace(best, variants=learned(named)),
        ties.alike(named, equals, explained, those),
        tuple(learned(one) for one in ties.outermost(equals)),
        tuple(found),
        best,
    )


def _tried(
    seen: Visits, simulated: Simulated, held_out: tuple[float, float], those: list[Candidate]
) -> Trial:
    """The distance of a model from the held-out part."""
    cut, end = held_out
    runs = [simulated(one, n) for n, one in enumerate(those)]
    apart = float(np.mean([distance(seen, run, cut, end) for run in runs]))
    # Over all of the time as well: all rare requests may have come in the first part.
    off = (_mean_off(seen, runs, since, end) for since in (cut, float(seen.begin_s[0])))
    likely = log_likelihood(seen, runs, cut, end)
    return Trial(tuple(those), apart, farthest(runs, cut, end), max(off, key=abs), likely)


def crowded(seen: Visits) -> float:
    """The share of the requests that found others: only these show the scheduling policy."""
    return float((seen.found > 0).mean())


def _mean_off(seen: Visits, runs: list[Visits], begin_s: float, end_s: float) -> float:
    """The t-ratio of the logarithm of the mean response time, for one more of `runs`."""

    def mean(one: Visits) -> float:
        kept = one.took_s[one.between(begin_s, end_s)]
        return float(np.log(kept.mean())) if len(kept) else -np.inf

    known = np.array([mean(run) for run in runs])
    if not np.isfinite(known).all():
        return np.inf
    spread = max(float(known.std(ddof=1)), SAME)
    return float((mean(seen) - known.mean()) / (spread * np.sqrt(1 + 1 / len(runs))))


@contextmanager
def _simulating(seen: Visits, workload: Workload) -> Iterator[Simulated]:
    """How to simulate a model under the measured arrivals."""
    end_s = float(seen.begin_s[-1])
    if workload.model != "open":

        def again(one: Candidate, number: int) -> Visits:
            other = workload.with_seed(SEED + number)
            made = simulate(other, one.system(), duration=end_s, warmup=0.0, rows="all")
            assert made.requests is not None
            return Visits.of_table(made.requests)

        yield again
        return
    with tempfile.TemporaryDirectory() as folder:
        import polars as pl

        file = Path(folder) / "times.parquet"
        # The start of the run is the start of the trace, too.
        pl.DataFrame({"time_s": seen.begin_s}).write_parquet(file)
        process = f"trace({file.name}, column=time_s, begin=0s)"

        def traced(one: Candidate, number: int) -> Visits:
            text = (
                f'name = "trace"\nseed = {SEED + number}\n'
                f'[arrivals]\nmodel = "open"\nprocess = "{process}"\n'
            )
            came = Workload(text, files={file.name: file})
            # The simulation has an end, because some models cannot keep up with the measured
            # arrivals.
            made = simulate(came, one.system(), duration=end_s + 1.0, rows="all")
            assert made.requests is not None
            return Visits.of_table(made.requests)

        yield traced
