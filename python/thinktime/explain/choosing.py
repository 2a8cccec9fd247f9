"""Which model of the server fits what was measured: learned on one part, judged by another.

The first 70 % of the time are for learning; the rest decides whether the model fits. Only one that
does is then learned from all of the time, to be asked. Where requests came by themselves,
models are simulated on the very times at which they came; else the workload is simulated with
another seed, because when clients come again hangs on when they were answered.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from thinktime._core import Workload
from thinktime.explain.candidates import Candidate, Recognised, in_a_row, keeps_order, recognised
from thinktime.explain.demands import Known
from thinktime.explain.scoring import distance, log_likelihood
from thinktime.explain.visits import Visits
from thinktime.operations import simulate

LEARNED = 0.7
"""The share of the time that models are made of."""

CROWDED = 0.05
"""With fewer requests that found others, policies cannot be told apart."""

CLOSE = 0.04
"""What is no further apart is the same model, whatever chance says."""

RUNS = 8
"""So many simulations of each model that is judged."""

CHANCE = 1.25
"""A model fits where the measurement is no further from its simulations than so many times what
any of these is from the others."""

SAME = 0.01
"""Means that are so near to each other are the same, whatever chance says."""

MEAN_OFF = 5.41
"""Student's t of `RUNS` - 1 = 7 degrees is beyond it in one of 1,000 cases."""

JUDGED = 3
"""So many of the models that explain the times are simulated, the most probable ones first."""

LIKELIER = 0.005
"""By so much a model must be likelier, a request, to be named before one that comes first: a pool
that is hardly ever full does what its station does without one, and is as likely but for 0.001
either way. Set with the first ten seeds of `benches/explain.py`."""

SEED = 7_041_776
"""No seed that a server or a workload is likely to have: demands must not be those measured."""


@dataclass(frozen=True)
class Tried:
    """A model and how far it is from what was measured."""

    variants: tuple[Candidate, ...]
    """The model with laws that might as well have been learned: from the first part, or from all
    of the time where the model fits."""

    apart: float
    """On the part that was held out, from all variants on average: see `scoring.distance`."""

    chance: float
    """How far the variant that is farthest from the others is from these."""

    mean_off: float = 0.0
    """How far the mean response time is from those of the variants, in standard errors of one
    more, of the part held out or of all of the time, whichever is farther: the distance above
    hardly sees a few very long requests."""

    log_likelihood: float = 0.0
    """Of the part that was held out, a request: see `scoring.log_likelihood`."""

    @property
    def candidate(self) -> Candidate:
        """One of them."""
        return self.variants[0]

    @property
    def allowed(self) -> float:
        """How far a model may be that fits."""
        return max(CLOSE, CHANCE * self.chance)

    @property
    def fits(self) -> bool:
        """Whether it does what was measured, as far as chance lets one see."""
        return self.apart <= self.allowed and abs(self.mean_off) <= MEAN_OFF


@dataclass(frozen=True)
class Choice:
    """What fits best."""

    best: Tried | None
    """None where nothing explains the times at all."""

    alike: tuple[Recognised, ...]
    """Other models that explain the times: the measurement does not tell them apart."""

    tried: tuple[Tried, ...] = ()
    """All that were simulated, in the order in which they came."""

    named: Tried | None = None
    """The one of them that is the best, as it was when it was judged."""

    @property
    def fits(self) -> bool:
        """Whether there is a model that fits."""
        return self.best is not None and self.best.fits


Simulated = Callable[[Candidate, int], Visits]
"""What a model does, with other draws for each number."""


def choose(seen: Visits, workload: Workload, known: Known | None = None) -> Choice:
    """The model that fits best, of all that are tried; `known` are demands known from elsewhere.

    Raises:
        InputError: if the workload cannot be simulated.
    """
    begin, end = float(seen.begin_s[0]), float(seen.begin_s[-1])
    cut = begin + LEARNED * (end - begin)
    early = seen.end_s < cut
    learned = Visits(seen.begin_s[early], seen.end_s[early])
    if crowded(seen) < CROWDED:
        return Choice(None, ())
    explained = recognised(learned, known)
    rows = [] if explained or known or not keeps_order(learned) else in_a_row(learned, RUNS)
    with _simulating(seen, workload) as simulated:

        def tried(those: list[Candidate]) -> Tried:
            runs = [simulated(one, n) for n, one in enumerate(those)]
            apart = float(np.mean([distance(seen, run, cut, end) for run in runs]))
            # Over all of the time as well: what is rare may all have come in the first part.
            off = (_mean_off(seen, runs, since, end) for since in (cut, begin))
            mean_off = max(off, key=abs)
            likely = log_likelihood(seen, runs, cut, end)
            return Tried(tuple(those), apart, _farthest(runs, cut, end), mean_off, likely)

        if explained:
            found = [tried(one.variants(RUNS)) for one in explained[:JUDGED]]
        else:
            found = [tried(those) for those in rows]
    if not found:
        return Choice(None, ())
    first = 0 if explained else min(range(len(found)), key=lambda n: found[n].apart)
    place = likeliest(found, first)
    named = best = found[place]
    if best.fits:
        whole = (
            explained[place].learned_from(seen).variants(RUNS)
            if explained
            else in_a_row(seen, RUNS)[place]
        )
        best = replace(best, variants=tuple(whole))
    others = (one for n, one in enumerate(explained) if n != place)
    return Choice(best, tuple(others), tuple(found), named)


def likeliest(found: Sequence[Tried], first: int) -> int:
    """The place of the likeliest model of those that the distance does not tell from the first.

    Where the first does not fit, it stays the first: a second one is not sought that does.
    """
    if not found[first].fits:
        return first
    near = [n for n, one in enumerate(found) if one.fits and one.apart <= found[first].allowed]
    best = max(near, key=lambda n: found[n].log_likelihood)
    gain = found[best].log_likelihood - found[first].log_likelihood
    return best if gain > LIKELIER else first


def crowded(seen: Visits) -> float:
    """The share of the requests that found others: only these say who is served first."""
    return float((seen.found > 0).mean())


def _farthest(runs: list[Visits], begin_s: float, end_s: float) -> float:
    """The largest mean distance of one run from the others."""
    many = len(runs)
    apart = np.zeros((many, many))
    for n in range(many):
        for other in range(n):
            apart[n, other] = apart[other, n] = distance(runs[n], runs[other], begin_s, end_s)
    return float(apart.sum(axis=1).max() / (many - 1))


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
    """How to simulate a model under what came."""
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
        # The start of the run is the trace's, too.
        pl.DataFrame({"time_s": seen.begin_s}).write_parquet(file)
        process = f"trace({file.name}, column=time_s, begin=0s)"

        def traced(one: Candidate, number: int) -> Visits:
            text = (
                f'name = "trace"\nseed = {SEED + number}\n'
                f'[arrivals]\nmodel = "open"\nprocess = "{process}"\n'
            )
            came = Workload(text, files={file.name: file})
            # With an end, because some models that are tried cannot keep up with what came.
            made = simulate(came, one.system(), duration=end_s + 1.0, rows="all")
            assert made.requests is not None
            return Visits.of_table(made.requests)

        yield traced
