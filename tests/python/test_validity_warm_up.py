"""Runs that begin empty, and loads that chance may move far.

`benches/validity_filling.py` measures the share of wrong verdicts of both checks; here seeds are
fixed.
"""

from __future__ import annotations

from dataclasses import replace

import cases
import numpy as np
import pytest
from validity_runs import ONE, verdict

import thinktime as tt
from thinktime.results.finding import Finding
from thinktime.validity import DOUBTFUL, FINE, UNSEEN
from thinktime.validity.checks import judge
from thinktime.validity.evidence import Evidence, of_result
from thinktime.validity.session_length import Stay, stays_of

SERVERS = cases.system(("fcfs", "exp(200ms)", 3))


def sessions(start: str = "empty", requests: str = "geometric(20)") -> tt.Workload:
    """Sessions of some minutes."""
    return cases.workload(
        f'model = "partly-open"\nrate = "0.5/s"\nstart = "{start}"\n'
        f'[session]\nrequests = "{requests}"\nthink = "exp(10s)"'
    )


def finding(seen: Evidence, name: str) -> Finding:
    return next(one for one in judge(seen) if one.name == name)


# With these seeds the first quarter has as many requests as the last half, so that rates show
# nothing.
@pytest.mark.parametrize(("requests", "seed"), [(5000, 2), (5000, 11), (20_000, 11)])
def test_a_warm_up_that_is_short_for_sessions_is_doubted(requests: int, seed: int) -> None:
    """Chance has no part in it: the gap follows from the length of sessions."""
    made = of_result(
        tt.simulate(sessions(), SERVERS, load=0.8, requests=requests, seed=seed, rows="all")
    )
    found = finding(made, "warm-up")
    assert found.verdict == DOUBTFUL
    assert found.found.startswith("the run began empty, and sessions last for 3.4")
    assert "--warmup 16min" in found.advice
    assert verdict(replace(made, given_rows=None, given_series=None), "warm-up") == DOUBTFUL


@pytest.mark.parametrize(
    ("start", "warmup", "expected"),
    [("empty", "100s", DOUBTFUL), ("empty", "16min", FINE), ("steady", "100s", FINE)],
)
def test_what_has_filled_up_is_not_doubted(start: str, warmup: str, expected: str) -> None:
    made = tt.simulate(
        sessions(start), SERVERS, load=0.6, duration="90min", warmup=warmup, rows="all", seed=3
    )
    assert verdict(of_result(made), "warm-up") == expected


@pytest.mark.parametrize(
    ("requests", "window_s"),
    [("geometric(20)", (150.0, 500.0)), ("geometric(4)", (10.0, 100.0)), ("20", (60.0, 300.0))],
)
def test_the_missing_share_is_that_of_drawn_sessions(
    requests: str, window_s: tuple[float, float]
) -> None:
    """Of 100,000 sessions; their requests have a standard deviation below 0.4 %."""
    (stay,) = stays_of(sessions(requests=requests))
    random, (begin_s, end_s), many = np.random.default_rng(7), window_s, 100_000
    lengths = np.array(tt.Distribution(requests).sample(many, seed=7)).round().astype(int)
    came = random.uniform(0, end_s, many)
    further = np.repeat(np.arange(many), lengths - 1)
    gaps = random.exponential(10.0, len(further))
    firsts = np.flatnonzero(np.diff(further, prepend=-1))
    total = np.cumsum(gaps)
    before = (total - gaps)[firsts]
    ages = total - np.repeat(before, np.diff(np.append(firsts, len(further))))
    times = np.concatenate([came, came[further] + ages])
    share = np.count_nonzero((times >= begin_s) & (times < end_s)) / len(lengths)
    whole = stay.requests * (end_s - begin_s) / end_s
    assert stay.missing(window_s, 0.0) == pytest.approx(1 - share / whole, abs=0.02)


def test_sessions_that_are_equally_long_are_all_there_after_one() -> None:
    stay = Stay(20.0, 200.0, cv2=0.0, begins_empty=True)
    # The last of its requests is sent after 19 gaps of 10.5 s; the mean of the ages is ten of them.
    assert stay.missing((211.0, 300.0), 0.5) == 0.0 < stay.missing((100.0, 300.0), 0.5)
    assert stay.warm_up_s(0.01, 0.5) == pytest.approx(210.0)
    assert replace(stay, begins_empty=False).missing((0.0, 300.0), 0.5) == 0.0


def test_sessions_that_last_for_a_time_begin_with_nobody_there() -> None:
    workload = cases.workload(
        'model = "partly-open"\nrate = "0.2/s"\n[session]\nlasts = "exp(5min)"\nthink = "exp(10s)"'
    )
    (stay,) = stays_of(workload)
    assert (stay.lasts_s(100.0), stay.begins_empty) == (300.0, True)
    made = of_result(tt.simulate(workload, ONE, duration="20min", warmup="1min", seed=1))
    found = finding(made, "warm-up")
    assert found.verdict == DOUBTFUL
    assert "sessions last for 5.00 min" in found.found
    with pytest.raises(tt.InputError, match=r"depends on response times.*leave the load"):
        workload.at_load(ONE, 0.8)


# ---- the load


def test_a_load_that_chance_may_move_far_is_not_called_fine() -> None:
    """0.726 for 0.8: two standard deviations, which is neither a doubt nor a proof."""
    made = of_result(tt.simulate(sessions(), SERVERS, load=0.8, requests=20_000, seed=11))
    found = finding(made, "load")
    assert found.verdict == UNSEEN
    assert "0.800 is exact; by chance 19 of 20 such runs are within 0.07" in found.found
    assert "reached" in found.found


@pytest.mark.parametrize(("requests", "expected"), [(2000, UNSEEN), (20_000, FINE)])
def test_chance_is_in_the_words_of_each_load_and_rate(requests: int, expected: str) -> None:
    """Of an open queue with exponential demands 1.96 (2 / n)^0.5; of its rate 1.96 / n^0.5."""
    made = of_result(tt.simulate(cases.open_model(50), ONE, requests=requests, seed=4, rows="all"))
    assert verdict(made, "load") == expected
    assert "by chance 19 of 20 such runs are within 0.0" in finding(made, "load").found
    real = replace(made, kind="run", system=None)
    assert "/s were asked for; by chance 19 of 20 such runs" in finding(real, "load").found
    assert verdict(real, "load") == FINE


def test_a_load_that_is_off_by_much_is_not_called_fine(fine: Evidence) -> None:
    """Beyond 5 % it is not fine; and beyond four standard deviations, here 2.8 %, it is doubted."""
    station = fine.summary["stations"]["station-0"]
    for load, expected in ((0.5, FINE), (0.48, DOUBTFUL)):
        other = fine.summary | {"stations": {"station-0": station | {"load": load}}}
        assert verdict(replace(fine, summary=other, asked_load=0.5), "load") == expected
    busy = station | {"load": 0.47, "demand_s": {"mean": 0.01, "cv2": 10.0}}
    wide = fine.summary | {"stations": {"station-0": busy}}
    assert verdict(replace(fine, summary=wide, asked_load=0.5), "load") == UNSEEN


def test_even_gaps_leave_less_to_chance() -> None:
    """1,540 requests that come by themselves are off by 5 % in one of 20 runs; these never are."""
    even = cases.open_model(50, process="even")
    for workload, expected in ((even, FINE), (cases.open_model(50), UNSEEN)):
        made = of_result(tt.simulate(workload, ONE, requests=1400, seed=2, warmup=0.0, rows="all"))
        assert verdict(replace(made, kind="run", system=None), "load") == expected
