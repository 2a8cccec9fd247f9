"""Partly-open journeys begin in the steady state: as many requests come at first as later.

Of 300 replications the rate in the first hundredth of the run is compared with that in the rest,
by Student's t of the differences. Each comparison has a false alarm of 1e-7 if means were normal;
the seeds are fixed.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import thinktime as tt

REPLICATIONS = 300
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
PAGES = JOURNEY.replace('name = "home"\n', f'name = "home"\n{OBJECTS}') + (
    '[[request]]\nname = "image"\n'
)
CASES = {
    "a journey": 'think = "exp(20s)"' + JOURNEY,
    "constant think times": 'think = "30s"' + JOURNEY,
    "pages": 'think = "uniform(0s, 40s)"' + PAGES,
    "a number of requests": 'think = "exp(20s)"\nrequests = "uniform(1, 9)"\n',
    "think times by request": 'think = "exp(30s)"\nrequests = "geometric(5)"\n'
    '[[request]]\nname = "a"\nweight = 3\n[[request]]\nname = "b"\n',
}


def difference(session: str, start: str = "") -> tuple[float, float]:
    """(the first rate over the later one, the z of their difference)."""
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
    early = pl.col("scheduled_ns") < FIRST_S * 1e9
    counts = rows.group_by("replication").agg(first=early.sum(), rest=(~early).sum())
    none = REPLICATIONS - counts.height
    first = np.pad(counts["first"].to_numpy().astype(float), (0, none)) / FIRST_S
    rest = np.pad(counts["rest"].to_numpy().astype(float), (0, none)) / (RUN_S - FIRST_S)
    test = stats.ttest_rel(first, rest)
    z = np.sign(test.statistic) * stats.norm.isf(max(test.pvalue, 1e-300) / 2)
    return float(first.mean() / rest.mean()), float(z)


@pytest.mark.parametrize("case", CASES)
def test_as_many_requests_come_at_first_as_later(case: str) -> None:
    ratio, z = difference(CASES[case])
    assert abs(z) < stats.norm.isf(FALSE_ALARM / 2), (ratio, z)
    assert 0.7 < ratio < 1.4


def test_an_empty_start_is_found() -> None:
    ratio, z = difference(CASES["a journey"], 'start = "empty"\n')
    assert ratio < 0.7
    assert z < -stats.norm.isf(FALSE_ALARM / 2)
