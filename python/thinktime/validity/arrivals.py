"""`arrivals`: whether sessions came as the workload's arrival process promises, and were sent so.

A Poisson process of a known rate is tested in four ways: the number of sessions, the law of the
gaps (Kolmogorov and Smirnov), the independence of successive gaps (rank correlation), and the
variation of counts between windows (index of dispersion). Other renewal processes are tested for
the law of the gaps and their independence, processes with a memory for the number of sessions. The
tests apply to the schedule, and for a run to the
times of sending, too.

Source: Cox and Lewis, 'The Statistical Analysis of Series of Events' (1966), chapter 6; Kogias,
Mallon and Bugnion, USENIX ATC 2019 (Lancet).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.results.finding import DOUBTFUL, FINE, SPOILT, Finding, NoData
from thinktime.validity.arrival_times import LEAST, SessionArrivals, came_of, first_attempts
from thinktime.validity.evidence import Evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NAME = "arrivals"

SIGNIFICANCE = 0.01
"""The level of all tests of a result together."""

SPOILS = 1e-9
"""A p-value below this, with a distance of `FAR`, is neither chance nor small."""

FAR = 0.10
"""A distance of distribution functions."""

NEAR = 0.02
"""Laws that are no further apart count as the same."""

NOTED = 0.02
"""Lateness below this share of the mean response time does not matter."""

EVEN_WITHIN_S = 2e-6

MEMORY = {"mmpp", "map", "batches"}
"""Processes whose gaps depend on one another."""

_PLANNED = (
    "the load is not the one that the workload describes: look at its warnings, and at what the "
    "generator was doing"
)
_SENT = (
    "the requests differ from the plan: the generator was held up; give it a core of its own, or "
    "a lower rate"
)


@dataclass(frozen=True)
class _Test:
    """One test of some times."""

    what: str
    p_value: float
    distance: float = 1.0
    """The distance from the promised law, for tests that have one."""


def check(seen: Evidence) -> Finding | None:
    """All populations that come by themselves, as planned and as sent."""
    comes = [n for n, one in enumerate(seen.arrivals) if one.get("model") != "closed"]
    if not comes:
        return None
    seen.with_planned_times()
    if seen.interrupted:
        raise NoData("requests that were on their way when the run was ended have no rows")
    rows = first_attempts(seen)
    tests: list[_Test] = []
    sent: list[_Test] = []
    looked = 0
    for place in comes:
        law = _law(seen, place, seen.arrivals[place])
        if law is None:
            continue
        came = came_of(rows, place, seen.rows_end_s)
        if came.number < LEAST:
            continue
        looked += came.number
        tests += _tests(came, law)
        if seen.kind == "run":
            sent += _sent(came, law, seen)
    if not looked:
        raise NoData(f"no population has gaps of one law and {LEAST} sessions or more")
    return _judged(tests, sent, looked)


def _judged(tests: list[_Test], sent: list[_Test], looked: int) -> Finding:
    limit = SIGNIFICANCE / max(len(tests) + len(sent), 1)
    wrong = [one for one in tests if one.p_value < limit and one.distance > NEAR]
    late = [one for one in sent if one.p_value < limit and one.distance > NEAR]
    if wrong:
        spoilt = any(one.p_value < SPOILS and one.distance > FAR for one in wrong)
        words = "; ".join(one.what for one in wrong)
        return Finding(NAME, SPOILT if spoilt else DOUBTFUL, words, _PLANNED)
    if late:
        return Finding(NAME, DOUBTFUL, "; ".join(f"as sent, {one.what}" for one in late), _SENT)
    kinds = "planned and sent" if sent else "planned"
    words = f"{units.count(looked)} sessions came as the workload promises, as {kinds}"
    return Finding(NAME, FINE, words)


@dataclass(frozen=True)
class _Law:
    """The promised law of the gaps."""

    poisson: bool
    rate: float
    cdf: Callable[[Floats], Floats] | None
    """The distribution function of a gap in seconds; None if all gaps are equal."""

    words: str
    memory: bool = False
    """Whether gaps depend on one another: then there is no law to test them by."""

    dispersion: float = 1.0
    """The limit of the variance of the number of sessions over its mean."""


def _law(seen: Evidence, place: int, table: Mapping[str, Any]) -> _Law | None:
    """The law of a population's gaps; None if it changes over time or does not exist."""
    import numpy as np

    if table.get("profile", "constant") != "constant":
        return None
    rate = seen.workload.populations[place].session_rate
    process = str(table.get("process", "poisson"))
    if rate is None or not math.isfinite(rate) or rate <= 0 or process.startswith("trace"):
        return None
    if process == "poisson":
        return _Law(True, rate, lambda gaps: np.asarray(-np.expm1(-rate * gaps)), "exponential")
    if process == "even":
        return _Law(False, rate, None, "all alike")
    if process.partition("(")[0] in MEMORY:
        dispersion = seen.workload.populations[place].dispersion or 1.0
        return _Law(False, rate, None, process, True, dispersion)
    from thinktime._core import Distribution

    law = Distribution(process)
    if law.discrete:
        return None
    scale = law.mean * rate  # the rate sets the mean, and the law the shape
    points = np.array([law.quantile(u) for u in np.linspace(0.0005, 0.9995, 1000)])
    known = np.array([law.cdf(float(x)) for x in points])
    return _Law(False, rate, lambda gaps: np.interp(gaps * scale, points, known, 0.0, 1.0), process)


def _gaps(stretches: list[Floats]) -> Floats:
    import numpy as np

    return np.concatenate([np.diff(one) for one in stretches])


def _tests(came: SessionArrivals, law: _Law) -> list[_Test]:
    if law.memory:
        return [_of_number(came, law)]
    gaps = _gaps(came.planned)
    found = [*_of_gaps(gaps, law), *_of_order(gaps, law)]
    if law.poisson:
        found += [_of_counts(came.counts), _of_number(came, law)]
    return found


def _sent(came: SessionArrivals, law: _Law, seen: Evidence) -> list[_Test]:
    """Tests of the gaps between times of sending, if lateness is long enough to matter."""
    if law.memory:
        return []
    late = (seen.summary.get("lateness_s") or {}).get("mean") or 0.0
    if late <= NOTED * (seen.mean_s or math.inf):
        return [_Test("", 1.0)]
    return _of_gaps(_gaps(came.sent), law)


def _of_gaps(gaps: Floats, law: _Law) -> list[_Test]:
    import numpy as np

    from thinktime.stats.kolmogorov import kolmogorov_smirnov

    if law.cdf is None:
        off = np.abs(gaps - 1 / law.rate)
        share = float(np.mean(off > EVEN_WITHIN_S))
        what = f"{units.percent(share)} of the gaps are not {units.seconds(1 / law.rate)} long"
        return [_Test(what, 0.0 if share > 0 else 1.0, share)]
    distance, p_value = kolmogorov_smirnov(law.cdf(gaps))
    what = f"the gaps between arrivals are not {law.words} (they are {units.percent(distance)} off)"
    return [_Test(what, p_value, distance)]


def _of_order(gaps: Floats, law: _Law) -> list[_Test]:
    """Whether a gap depends on the one before."""
    import numpy as np

    from thinktime.stats.independence import lag_correlation

    if law.cdf is None or not np.ptp(gaps[1:]) or not np.ptp(gaps[:-1]):
        return []
    found = lag_correlation(gaps)
    what = f"gaps follow one another with a correlation of {found.correlation:+.2f}"
    return [_Test(what, found.p_value, abs(found.correlation))]


def _of_counts(counts: NDArray[np.int64]) -> _Test:
    """The variance of counts over their mean."""
    from thinktime.stats.dispersion import index_of_dispersion

    found = index_of_dispersion(counts)
    what = f"counts in windows vary {found.index:.2f} times as much as those of a Poisson process"
    return _Test(what, found.p_value, abs(found.index - 1))


def _of_number(came: SessionArrivals, law: _Law) -> _Test:
    """Whether the count within this time is as promised.

    For the dispersion I, (n - λ t) / sqrt(I n) is normal.
    """
    expected = law.rate * came.end_s
    off = abs(came.number - expected) / math.sqrt(law.dispersion * came.number)
    what = f"{units.count(came.number)} sessions came, and {units.number(expected)} were promised"
    return _Test(what, math.erfc(off / math.sqrt(2)), abs(came.number / expected - 1))
