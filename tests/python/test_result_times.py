"""Response times and tables of results in Python, in the forms that other libraries take."""

from __future__ import annotations

from typing import Any

import cases
import numpy as np
import polars
import pytest

import thinktime as tt

SYSTEM = cases.system(("fcfs", "exp(5ms)"))
RETRIES = {
    "name": "impatient",
    "arrivals": {"model": "open", "rate": "60/s"},
    "request": [{"name": "a", "timeout": "25ms", "retry": {"attempts": 3}}],
}


@pytest.fixture(scope="module")
def result() -> tt.Result:
    """Two replications with a warm-up, retries and failures."""
    given = {"requests": 4000, "warmup": "2s", "replications": 2}
    made = tt.simulate(RETRIES, SYSTEM, **given)
    assert made.summary["retries"] > 0
    return made


def test_response_times_are_those_of_the_summary(result: tt.Result) -> None:
    """Of each request that succeeded after its warm-up, from its first attempt on."""
    times = result.response_times()
    assert times is not None
    assert len(times) == result.summary["requests"] - result.summary["errors"]
    assert times.mean() == pytest.approx(result.mean, rel=1e-9)
    assert times.max() == pytest.approx(result.summary["response_time_s"]["max"], rel=1e-9)
    for name, share in (("p50", 50), ("p90", 90), ("p95", 95), ("p99", 99), ("p99_9", 99.9)):
        exact = np.percentile(times, share, method="inverted_cdf")
        assert getattr(result, name) == pytest.approx(exact, rel=2e-3), name


def test_a_result_without_rows_or_successes_has_none() -> None:
    kept = tt.simulate(cases.open_model(50), SYSTEM, requests=100, rows="none", warmup=0)
    assert kept.response_times() is None
    assert kept.requests is None
    never = RETRIES | {"request": [{"name": "a", "timeout": "1ns"}]}
    failed = tt.simulate(never, SYSTEM, requests=100, warmup=0)
    assert (failed.mean, failed.p99) == (None, None)
    assert len(failed.response_times()) == 0


def as_pandas_reads(data: Any) -> dict[str, list[Any]]:
    """The columns that `pandas.DataFrame(data)` makes of what is iterable and no dict or list.

    pandas is no dependency; it makes a list of it, takes the fields of the first named tuple for
    names, and turns rows into columns (pandas/core/internals/construction.py, 2.0 to 3.1).
    """
    rows = list(data)
    assert all(isinstance(row, tuple) for row in rows)
    return dict(zip(rows[0]._fields, map(list, zip(*rows, strict=True)), strict=True))


def test_pandas_and_polars_read_the_same_table(result: tt.Result) -> None:
    for table in (result.requests, result.series):
        frame = polars.DataFrame(table)
        assert as_pandas_reads(table) == frame.to_dict(as_series=False)
        assert (len(table), table.column_names) == (frame.height, frame.columns)
        columns = table.to_dict()
        assert list(columns) == frame.columns
        for name, values in columns.items():
            assert isinstance(values, np.ndarray)
            assert polars.Series(values).drop_nans().drop_nulls().len() == frame[name].count()
