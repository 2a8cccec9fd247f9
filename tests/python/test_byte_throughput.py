"""Bytes of responses a second: throughput times the mean size in the rows of a result."""

from __future__ import annotations

import pytest

import thinktime as tt
from thinktime.report import results
from thinktime.report.case import cases

SYSTEM = 'name = "s"\n[[station]]\nname = "server"\npolicy = "ps"\ndemand = "1ms"\n'
WORKLOAD = """name = "files"
[arrivals]
model = "open"
rate = "100/s"
[[request]]
name = "large"
get = "/file/{uniform(0, 9)}"
size = "uniform(20kB, 60kB)"
"""


def mean_bytes(result: tt.Result) -> float:
    """The mean of the rows that count and succeeded."""
    import polars as pl

    assert result.requests is not None
    found = pl.DataFrame(result.requests).filter(
        pl.col("error").is_null(), pl.col("scheduled_ns") >= result.summary["warmup_s"] * 1e9
    )
    return float(found["bytes_received"].mean())  # type: ignore[arg-type] # mean of numbers


@pytest.mark.parametrize("replications", [1, 3])
def test_a_simulation_has_the_sizes_of_its_responses(replications: int) -> None:
    result = tt.simulate(
        tt.Workload(WORKLOAD), tt.System(SYSTEM), requests=5000, replications=replications
    )
    summary = result.summary
    expected = summary["throughput"] * mean_bytes(result)
    assert summary["byte_throughput"] == pytest.approx(expected, rel=1e-9)


def test_responses_without_a_size_have_no_bytes() -> None:
    plain = WORKLOAD.replace('size = "uniform(20kB, 60kB)"\n', "")
    result = tt.simulate(tt.Workload(plain), tt.System(SYSTEM), requests=1000)
    assert "byte_throughput" not in result.summary


def test_a_run_has_the_bytes_on_its_connections_and_says_so_in_mbit() -> None:
    workload, system = tt.Workload(WORKLOAD), tt.System(SYSTEM)
    with tt.serve(system, workload=workload) as server:
        result = tt.run(workload, server.url, duration="2s")
    summary = result.summary
    expected = summary["throughput"] * mean_bytes(result)
    assert summary["byte_throughput"] == pytest.approx(expected, rel=1e-9)
    (group,) = results.table(results.rows(cases([result]))).groups
    measured = group.lines[0]
    assert measured.below == f"{summary['requests']} requests, {expected * 8e-6:.1f} Mbit/s"
