"""Partly-open journeys begin in the steady state: as many requests come at first as later.

In 150 replications the rate in the first hundredth of the run (or tenth) is compared with the rest,
by Student's t of the differences. Each comparison has a false alarm of 1e-7 if means were normal;
the seeds are fixed.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import thinktime as tt

REPLICATIONS = 150
RUN_S = 400
FIRST_S = RUN_S / 100
FALSE_ALARM = 1e-7
SYSTEM = 'name = "s"\n[[station]]\nname = "x"\npolicy = "ps"\ndemand = "10us"\n'
JOURNEY = """
first = { home = 0.8, item = 0.2 }
[[request]]
name = "home"
next = { item = 0.6, search = 0.2, end = 0.2 }
think = "lognormal(mu=1, sigma=1)"
[[request]]
name = "item"
next = { item = 0.5, home = 0.2, end = 0.3 }
[[request]]
name = "search"
next = { item = 1 }
think = "3s"
"""
OBJECTS = 'objects = { count = "geometric(3)", of = { image = 1 }, connections = 2 }\n'


def with_objects(journey: str) -> str:
    """The same journey with objects on its first page."""
    pages = journey.replace('name = "home"\n', f'name = "home"\n{OBJECTS}')
    return pages + '[[request]]\nname = "image"\n'


COUNTED = JOURNEY.replace(", end = 0.2", ", home = 0.2").replace(", end = 0.3", ", search = 0.3")
CASES = {
    "a journey": 'think = "exp(20s)"' + JOURNEY,
    "constant think times": 'think = "30s"' + JOURNEY,
    "pages": 'think = "uniform(0s, 40s)"' + with_objects(JOURNEY),
    "a number of requests": 'think = "exp(20s)"\nrequests = "uniform(1, 9)"\n',
    "kinds by weight": 'think = "exp(30s)"\nrequests = "geometric(5)"\n'
    '[[request]]\nname = "a"\nweight = 3\n[[request]]\nname = "b"\n',
    "think times by request": 'think = "exp(30s)"\nrequests = "uniform(1, 9)"\n'
    '[[request]]\nname = "a"\nweight = 3\n[[request]]\nname = "b"\nthink = "5s"\n'
    '[[request]]\nname = "c"\nthink = "uniform(60s, 90s)"\n',
    "a counted journey": 'think = "exp(20s)"\nrequests = "discrete(0.5: 1, 0.3: 4, 0.2: 11)"\n'
    + COUNTED,
    "a counted journey of pages": 'think = "exp(20s)"\nrequests = "geometric(6)"\n'
    + with_objects(COUNTED),
    "a counted journey that may end before": 'think = "exp(20s)"\nrequests = "4"\n' + JOURNEY,
}


def difference(session: str, start: str = "", first_s: float = FIRST_S) -> tuple[float, float]:
    """(the rate of the first seconds over the later one, the z of their difference)."""
    arrivals = f'model = "partly-open"\nrate = "0.5/s"\n{start}'
    text = f'name = "w"\nseed = 100000\n[arrivals]\n{arrivals}[session]\n{session}'
    result = tt.simulate(
        tt.Workload(text),
        tt.System(SYSTEM),
        duration=RUN_S,
        warmup=0,
        replications=REPLICATIONS,
        rows="all",
    )
    rows = pl.DataFrame(result.requests)
    early = pl.col("scheduled_ns") < first_s * 1e9
    counts = rows.group_by("replication").agg(first=early.sum(), rest=(~early).sum())
    none = REPLICATIONS - counts.height
    first = np.pad(counts["first"].to_numpy().astype(float), (0, none)) / first_s
    rest = np.pad(counts["rest"].to_numpy().astype(float), (0, none)) / (RUN_S - first_s)
    test = stats.ttest_rel(first, rest)
    z = np.sign(test.statistic) * stats.norm.isf(max(test.pvalue, 1e-300) / 2)
    return float(first.mean() / rest.mean()), float(z)


@pytest.mark.parametrize("case", CASES)
def test_as_many_requests_come_at_first_as_later(case: str) -> None:
    ratio, z = difference(CASES[case])
    assert abs(z) < stats.norm.isf(FALSE_ALARM / 2), (ratio, z)
    assert 0.7 < ratio < 1.4


@pytest.mark.parametrize("case", [name for name in CASES if "counted" in name])
def test_those_who_are_there_have_as_much_left_as_others(case: str) -> None:
    """In the first tenth of the run, when most of them come to their end."""
    ratio, z = difference(CASES[case], first_s=RUN_S / 10)
    assert abs(z) < stats.norm.isf(FALSE_ALARM / 2), (ratio, z)


def test_an_empty_start_is_found() -> None:
    ratio, z = difference(CASES["a journey"], 'start = "empty"\n')
    assert ratio < 0.7
    assert z < -stats.norm.isf(FALSE_ALARM / 2)
