"""One run with retries: when it collapses, and whether the tool says so.

The same seed gives the same run, only longer, so a run is simulated for a short time, and then
for a longer one, until it has collapsed: that saves the long hopeless part after it.

A simulation waits until every request is over, and with unlimited retries in a collapsed system
that would be never. So attempts are limited here to a number that no request reaches before the
collapse; where one might have, the run is simulated again with one that none can reach at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl
from cases import Case

import thinktime as tt
from thinktime.result import Result

GROWTH = 1.25
FIRST_S = 0.3
ATTEMPTS_BEFORE_COLLAPSE = {"A": 12, "B": 40, "C": 100, "D": 100}


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
        return self.looks[-1].crossed_s

    @property
    def length_s(self) -> float:
        """How long it was simulated."""
        return self.looks[-1].length_s


def run_until_collapse(
    case: Case, seed: int, horizon_s: float, first_s: float = FIRST_S, growth: float = GROWTH
) -> Run:
    """Simulate until the collapse, or for `horizon_s` where there is none.

    Where the tool tells of a collapse at the horizon and none is seen yet, the run goes on, for
    up to twice the horizon: one of the two is wrong.
    """
    run, length = Run(seed), min(first_s, horizon_s)
    while True:
        result = _simulate(case, seed, length)
        look = Look(length, _crossing(case, result, length), _told(result))
        run.looks.append(look)
        open_question = look.told and length < 2 * horizon_s
        if look.crossed_s is not None or (length >= horizon_s and not open_question):
            run.result = result
            return run
        longer = length * growth
        length = min(longer, horizon_s) if length < horizon_s else longer


def series(result: Result, length_s: float) -> pl.DataFrame:
    """The run over time, up to the end of what was asked for."""
    rows = pl.DataFrame(result.series)
    return rows.filter(pl.col("start_s") + pl.col("interval_s") <= length_s * 1.000001)


def _told(result: Result) -> bool:
    return any("congestive collapse" in words for words in result.summary["warnings"])


def _simulate(case: Case, seed: int, length_s: float) -> Result:
    if case.retries is not None:
        return simulate(case, seed, length_s, case.retries + 1)
    # Each attempt of a request comes at least one timeout after the one before; refusals by the
    # server are the exception, and then the limit is one of the case.
    unreachable = int(length_s * 1e3 / case.timeout_ms) + 2
    few = min(unreachable, ATTEMPTS_BEFORE_COLLAPSE[case.reading])
    result = simulate(case, seed, length_s, few)
    if few < unreachable and _was_reached(case, result, length_s, few):
        result = simulate(case, seed, length_s, unreachable)
    return result


def simulate(case: Case, seed: int, length_s: float, attempts: int) -> Result:
    """Simulate one run with this largest number of attempts a request."""
    workload, system = case.build(attempts)
    return tt.simulate(
        workload, system, seed=seed, duration=f"{length_s * 1e3:.3f}ms", warmup=0, rows="none"
    )


def _was_reached(case: Case, result: Result, length_s: float, attempts: int) -> bool:
    """Whether a request may have used up its attempts before the collapse."""
    rows = series(result, length_s)
    crossed = _crossing(case, result, length_s)
    before = rows if crossed is None else rows.filter(pl.col("start_s") <= crossed)
    if case.reading == "A":  # its last response counts as a success, however late it is
        longest = float(before["response_max_s"].max() or 0.0)  # type: ignore[arg-type]
        return longest > attempts * case.timeout_ms / 1e3
    return int(before["failed"].sum()) > 0


def _crossing(case: Case, result: Result, length_s: float) -> float | None:
    """When the backlog first exceeded the case's threshold, between two ends of intervals."""
    rows = series(result, length_s)
    if case.pending is None:
        backlog = (rows["in_server"] * case.mean_demand_s).to_list()
        limit = case.work_s
    else:
        backlog, limit = rows["in_system"].to_list(), float(case.pending)
    ends = (rows["start_s"] + rows["interval_s"]).to_list()
    before, since = 0.0, 0.0
    for end, now in zip(ends, backlog, strict=True):
        if now > limit:
            return float(since + (end - since) * (limit - before) / (now - before))
        before, since = now, end
    return None
