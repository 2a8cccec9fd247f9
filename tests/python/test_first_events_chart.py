"""The chart of times to the first event, against the rows."""

from __future__ import annotations

import cases
import numpy as np
import polars as pl
import pytest

import thinktime as tt
from thinktime.present import units
from thinktime.report.results_page import page_of

WORKLOAD = """
name = "assistants"

[arrivals]
model = "open"
rate = "4/s"

[[request]]
name = "ask"
post = "/ask"
stream = "sse"
tokens = { prompt = "const(100)", output = "geometric(50)" }

[[request]]
name = "sum up"
post = "/sum"
stream = "sse"
tokens = { prompt = "const(1000)", output = "geometric(20)" }

[slo]
first_event_p99 = "500ms"

[slo.ask]
first_event_p90 = "300ms"
p99 = "9s"
"""

SYSTEM = """
name = "tokens"

[[token_server]]
name = "gpu"
step_time = "12ms"
request_time = "150us"
prompt_token_time = "60us"
max_batch = 64
memory = 40000
"""


@pytest.fixture(scope="module")
def result() -> tt.Result:
    return tt.simulate(tt.Workload(WORKLOAD), tt.System(SYSTEM), requests=4000, warmup=1)


def test_curves_are_those_of_the_rows(result: tt.Result) -> None:
    section = next(one for one in page_of([result]).sections if one.name == "first_events")
    assert section.drawing is not None
    rows = pl.DataFrame(result.requests).filter(
        pl.col("error").is_null() & (pl.col("scheduled_ns") >= 1e9)
    )
    panels = {panel.title: panel.figure for panel in section.drawing.panels}
    assert set(panels) == {"ask", "sum up"}
    for name, figure in panels.items():
        times = np.sort(rows.filter(name=name)["first_event_s"].to_numpy())
        (curve,) = figure.series
        for x, y in zip(curve.x[1:], curve.y[1:], strict=True):
            assert np.mean(times < x) <= y <= np.mean(times <= x) + 1 / len(times)
        assert figure.x.title == "time to the first event t"
    # The objective of its own, and not that of the response time.
    assert [one.label for one in panels["ask"].limits] == ["p90 ≤ 300 ms"]
    assert not panels["sum up"].limits


def test_a_workload_without_streams_has_no_such_chart() -> None:
    found = tt.simulate(cases.open_model(4), cases.system(("fcfs", "const(1ms)")), requests=100)
    assert "first_events" not in [one.name for one in page_of([found]).sections]


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.999266, "99.9 %"),
        (0.995, "99.5 %"),
        (0.994, "99 %"),
        (1.0, "100 %"),
        (1 - 1e-12, "100 %"),
        (1.5, "150 %"),
    ],
)
def test_a_share_below_all_does_not_look_like_all(share: float, words: str) -> None:
    assert units.percent(share) == words
