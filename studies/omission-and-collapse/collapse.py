"""One run with retries: the time of its collapse, and the tool's report of it.

The same seed gives the same run, only longer. So a run is simulated for a short time, and then for
longer ones, until it has collapsed: that saves the long hopeless part after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl
from cases import Case

import thinktime as tt
from thinktime.results.result import Result

GROWTH = 1.25
FIRST_S = 0.3
BEYOND = 1.3
LONG_S = 10.0  # after a collapse later than this no other look: it would take long


@dataclass(frozen=True)
class Look:
    """One simulation of a run, up to some time."""

    length_s: float
    crossed_s: float | None
    """When the threshold was crossed."""

    told: bool
    """Whether the tool's warnings name a congestive collapse."""


@dataclass
class Run:
    """A run with one seed."""

    seed: int
    looks: list[Look] = field(default_factory=list)
    result: Result | None = None
    """The last simulation of it."""

    @property
    def crossed_s(self) -> float | None:
        """When it collapsed."""
        return next((look.crossed_s for look in self.looks if look.crossed_s is not None), None)

    @property
    def length_s(self) -> float:
        """The length of its simulation."""
        return self.looks[-1].length_s


def run_until_collapse(
    case: Case,
    seed: int,
    horizon_s: float,
    first_s: float = FIRST_S,
    growth: float = GROWTH,
    confirm: bool = False,
) -> Run:
    """Simulate until the collapse, or for `horizon_s` if it does not collapse.

    If the tool reports a collapse at the horizon and none is visible yet, the run continues, for up
    to twice the horizon: one of the two is wrong. `confirm` looks once more a while after the
    collapse, when the tool should report it.
    """
    run, length = Run(seed), min(first_s, horizon_s)
    while True:
        result = simulate(case, seed, length)
        look = Look(length, _crossing(case, result, length), _told(result))
        run.looks.append(look)
        open_question = look.told and length < 2 * horizon_s
        if look.crossed_s is not None or (length >= horizon_s and not open_question):
            run.result = result
            if confirm and look.crossed_s is not None and look.crossed_s < LONG_S:
                run.looks.append(_beyond(case, seed, look.crossed_s))
            return run
        longer = length * growth
        length = min(longer, horizon_s) if length < horizon_s else longer


def _beyond(case: Case, seed: int, crossed_s: float) -> Look:
    length = BEYOND * crossed_s
    result = simulate(case, seed, length)
    return Look(length, _crossing(case, result, length) or crossed_s, _told(result))


def series(result: Result, length_s: float) -> pl.DataFrame:
    """The run over time, up to the end of the requested length."""
    rows = pl.DataFrame(result.series)
    return rows.filter(pl.col("start_s") + pl.col("interval_s") <= length_s * 1.000001)


def _told(result: Result) -> bool:
    return any("congestive collapse" in words for words in result.summary["warnings"])


def simulate(case: Case, seed: int, length_s: float) -> Result:
    """Simulate one run of this length from the empty system on."""
    workload, system = case.build()
    return tt.simulate(
        workload, system, seed=seed, duration=f"{length_s * 1e3:.3f}ms", warmup=0, rows="none"
    )


def _crossing(case: Case, result: Result, length_s: float) -> float | None:
    """When the backlog first exceeded the case's threshold, between two ends of intervals."""
    rows = series(result, length_s)
    by_work = (rows["in_server"] * (case.mean_demand_s / case.work_s)).to_list()
    backlog = by_work
    if case.pending is not None:
        backlog = (rows["in_system"] / case.pending).to_list()
        if case.either:
            backlog = [max(both) for both in zip(backlog, by_work, strict=True)]
    ends = (rows["start_s"] + rows["interval_s"]).to_list()
    before, since = 0.0, 0.0
    for end, now in zip(ends, backlog, strict=True):
        if now > 1:
            return float(since + (end - since) * (1 - before) / (now - before))
        before, since = now, end
    return None
