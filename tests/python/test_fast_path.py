"""The fast path for one server, first come, first served, against the general engine.

Both must give the same rows, the same series and the same summary, to the last bit.
"""

from __future__ import annotations

import polars
import pytest
from test_two_implementations import rows_of, system_text

import thinktime as tt


def sessions() -> dict[str, str]:
    """Workloads by name: the [arrivals] and [session] tables."""
    closed_one = '[session]\nthink = "{}"'
    partly = '[session]\nrequests = "geometric(3)"\nthink = "{}"'
    return {
        "open": 'model = "open"\nrate = 80',
        "open, overload": 'model = "open"\nrate = 130',
        "open, even": 'model = "open"\nrate = 100\nprocess = "even"',
        "open, bursts": 'model = "open"\nrate = 90\nprocess = "discrete(0.7: 0ms, 0.3: 1ms)"',
        "open, profile": 'model = "open"\nrate = 90\nprofile = "sine(period=2s, low=0.1)"',
        "closed": 'model = "closed"\nclients = 7\n' + closed_one.format("exp(30ms)"),
        "closed, zero": 'model = "closed"\nclients = 7\n' + closed_one.format("0s"),
        "closed, in step": 'model = "closed"\nclients = 7\n'
        + closed_one.format("discrete(0.5: 0s, 0.3: 10ms, 0.2: 50ms)"),
        "closed, one": 'model = "closed"\nclients = 1\n' + closed_one.format("exp(30ms)"),
        "partly open": 'model = "partly-open"\nrate = 28\n' + partly.format("exp(30ms)"),
        "partly open, zero": 'model = "partly-open"\nrate = 28\n' + partly.format("0s"),
        "partly open, even": 'model = "partly-open"\nrate = 33\nprocess = "even"\n'
        + partly.format("10ms"),
    }


LIMITS: dict[str, dict[str, float | str | int | None]] = {
    "requests": {"requests": 300, "warmup": 0},
    "duration": {"duration": 4, "warmup": 0},
    "warm-up and requests": {"requests": 300, "warmup": 1},
    "warm-up and duration": {"duration": 4, "warmup": "1.25s"},
    "both, requests first": {"requests": 200, "duration": 50, "warmup": 0.5},
    "both, duration first": {"requests": 9000, "duration": 4, "warmup": 0.5},
    "warm-up found": {"requests": 1000},
    "replications": {"requests": 150, "warmup": 0.5, "replications": 3},
    "precision": {"precision": 0.2, "warmup": 0, "duration": 20},
}
KINDS_MORE = '[[request]]\nname = "a"\nweight = 3\n[[request]]\nname = "b"\n'
LATE = (
    '[[request]]\nname = "late"\ntimeout = "40ms"\n'
    'retry = { attempts = 3, when = "late", backoff = "exp(20ms)", growth = 2 }\n'
)
DEMANDS = {
    "exp": 'demand = "exp(10ms)"',
    "in step": 'demand = "10ms"',
    "with zeros": 'demand = "discrete(0.5: 0ms, 0.5: 20ms)"',
}
BY_NAME = 'demand.a = "exp(8ms)"\ndemand.b = "h2(12ms, cv2=6)"'


def both_ways(
    name: str, requests: str, demand: str, limits: dict[str, float | str | int | None]
) -> list[tt.Result]:
    """By the fast path, and by the general engine: a limit that is never reached selects it."""
    given = tt.Workload(f'name = "w"\nseed = 3\n[arrivals]\n{sessions()[name]}\n{requests}')
    if name in ("open, overload", "open, even"):  # at a load of 1 and more they need an end
        limits = {"warmup": 0, "duration": 5} | limits
    results = []
    for more in ("", "newest_first_above = 1000000\n"):
        system = tt.System(system_text("fcfs", 1, demand, more))
        results.append(tt.simulate(given, system, rows="all", **limits))  # type: ignore[arg-type]
    return results


def assert_equal_results(one: tt.Result, other: tt.Result, *, notes: bool = True) -> None:
    """`notes`: also the series' notes of the number in the server."""
    for name in ("requests", "series"):
        frames = [polars.DataFrame(getattr(result, name)) for result in (one, other)]
        if name == "series" and not notes:
            frames = [frame.drop("in_server") for frame in frames]
        assert frames[0].height > (60 if name == "requests" else 0)
        assert frames[0].equals(frames[1]), name
    assert all((a == b).all() for a, b in zip(one.survival(), other.survival(), strict=True))
    assert one.summary == other.summary


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("name", sessions())
def test_the_quick_way_changes_nothing(name: str, limits: str) -> None:
    for requests, demand in [("", demand) for demand in DEMANDS.values()] + [(KINDS_MORE, BY_NAME)]:
        one, other = both_ways(name, requests, demand, LIMITS[limits])
        # If many events coincide, a request may leave at the very end of an interval: see below.
        assert_equal_results(one, other, notes="exp" in demand)


@pytest.mark.parametrize("name", sessions())
def test_the_quick_way_where_late_responses_are_retried(name: str) -> None:
    for limits in ("requests", "warm-up and duration"):
        demand = BY_NAME + '\ndemand.late = "exp(10ms)"'
        one, other = both_ways(
            name, KINDS_MORE + LATE, demand, {"duration": 9, "warmup": 0} | LIMITS[limits]
        )
        assert_equal_results(one, other)


def long_runs() -> list[tt.Result]:
    """More than 4096 seconds: the series joins its intervals, twice."""
    text = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "0.5/s"'
    return [
        tt.simulate(
            tt.Workload(text),
            tt.System(system_text("fcfs", 1, 'demand = "h2(1s, cv2=9)"', more)),
            duration=20_000,
            warmup=0,
            rows="all",
        )
        for more in ("", "newest_first_above = 1000000\n")
    ]


def test_the_quick_way_in_a_long_run() -> None:
    one, other = long_runs()
    assert_equal_results(one, other)


def test_only_what_succeeded_is_throughput() -> None:
    """Counted from the rows, if late responses are tried again."""
    demand = BY_NAME + '\ndemand.late = "exp(10ms)"'
    for result in both_ways("open", KINDS_MORE + LATE, demand, LIMITS["duration"]):
        frame = rows_of(result)
        done = frame.filter(polars.col("error").is_null() & (polars.col("done_ns") < 4 * 10**9))
        assert result.summary["throughput"] == pytest.approx(done.height / 4)
        assert frame["error"].null_count() < frame.height


def test_the_number_in_the_server_is_that_of_the_rows() -> None:
    """At every end of an interval, in runs whose series joined intervals, too."""
    for result in long_runs():
        frame, series = rows_of(result), polars.DataFrame(result.series)
        came, left = (frame[name].sort() for name in ("scheduled_ns", "done_ns"))
        ends = ((series["start_s"] + series["interval_s"]) * 1e9).round().cast(polars.Int64)
        number = came.search_sorted(ends, side="left") - left.search_sorted(ends, side="left")
        known = series["in_server"].is_not_null()
        assert known.sum() > 2400
        assert (number.filter(known) == series["in_server"].filter(known)).all()


def test_who_leaves_at_the_end_of_an_interval_is_noted_in_it() -> None:
    assert_equal_results(*both_ways("open, even", "", DEMANDS["in step"], LIMITS["duration"]))
