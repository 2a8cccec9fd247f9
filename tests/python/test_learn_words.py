"""Long times in reasons are in minutes and hours, and one user is no plural."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from thinktime.learn import learn
from thinktime.learn.advice import Advice
from thinktime.learn.modelled import Model
from thinktime.learn.plan import plan
from thinktime.learn.populations import Populations, tell_apart
from thinktime.learn.requests import ROWS, Requests
from thinktime.learn.tables import chance


def told(time_s: np.ndarray, agent: str) -> Populations:
    """What is told of one user with this agent, who asks for one page at these times."""
    count = len(time_s)
    zeros = np.zeros(count, dtype=int)
    rows = dict.fromkeys(("user", "path", "host", "bytes", "method"), zeros)
    rows |= {"time_ns": (np.sort(time_s) * 1e9).astype(np.int64), "status": zeros + 200}
    empty = pl.Series([None] * count, dtype=pl.UInt32)
    frame = pl.DataFrame(rows | {"duration_us": empty, "referrer": empty})
    return tell_apart(
        Requests(
            frame.select(list(ROWS)).cast(dict(ROWS)),
            pl.DataFrame({"path": ["/api"], "object": [False]}),
            pl.DataFrame({"address": [0], "agent": [0]}),
            pl.Series([agent]),
            pl.Series([""]),
            1.0,
        )
    )


def test_a_reader_who_comes_every_three_hours() -> None:
    draw = np.random.default_rng(1)
    times = np.arange(60) * 10_800.0 + draw.uniform(0, 30, 60)
    (reader,) = told(times, "Feedbin feed-id:1373711 - 3 subscribers").populations
    assert "asks again 3.00 h after the answer" in reader.reason
    assert "e+04" not in reader.reason


def test_one_user_asks() -> None:
    draw = np.random.default_rng(2)
    times = draw.uniform(0, 86_400, 600)
    (caller,) = told(times, "python-requests/2.32.3").populations
    assert caller.reason.startswith("1 user asks all the time")


def test_a_long_hole_is_told_in_hours() -> None:
    times = np.concatenate([np.arange(400) * 7.0, 30_000 + np.arange(400) * 7.0])
    (hole,) = (one for one in told(times, "curl/8.5").findings if one.name == "holes")
    assert "the longest of 7.56 h" in hole.text
    assert hole.text.startswith("1 time without a line")


def advice(model: str, open_s: float, closed_s: float, *, loaded: bool = True) -> Advice:
    """Of a partly-open workload whose mean is 100 ms and whose p99 is 1 s."""

    def of(mean_s: float) -> Model:
        return Model(mean_s, 10 * mean_s, 2.0, (0.8, 0.8) if loaded else (0.4, 0.4))

    return Advice(
        model, model, "reason", "sure", 0.8, 4.0, "given", of(0.1), of(open_s), of(closed_s),
        clients=10, demand_s=0.01, stays=False,
    )  # fmt: skip


def test_the_advice_says_what_another_load_test_would_show() -> None:
    words = plan(advice("open", 0.101, 0.05))
    assert words.startswith("Plan with an open model")
    assert words.endswith(
        "a closed load test would show half of the mean response time and half of the p99"
    )
    words = plan(advice("partly-open", 0.157, 0.03))
    assert "an open load test would show 1.57 times the mean response time" in words
    assert "a closed load test would show 30 % of the mean response time" in words
    words = plan(advice("open", 0.101, 0.099))
    assert words.endswith("a closed load test would show about the same response times")


def test_models_that_did_not_reach_the_load_are_not_told_of() -> None:
    assert "would show" not in plan(advice("open", 0.1, 0.05, loaded=False))


def test_users_who_stay_and_do_not_wait_are_no_closed_system(tmp_path: Path) -> None:
    """The verdict said open, and the advice beside it closed."""
    draw = np.random.default_rng(6)
    times = np.sort(draw.uniform(0, 3600, 20_000))
    rows = [
        f"10.0.0.{draw.integers(8)} - - [01/Mar/2026:10:{int(t // 60):02}:{int(t % 60):02} +0000] "
        '"POST /shop.Cart/Get HTTP/2" 200 120 "-" "grpc-go/1.58.0" 0.010\n'
        for t in times
    ]
    (tmp_path / "access.log").write_text("".join(rows))
    found = learn([tmp_path / "access.log"], fidelity=False)
    assert [one.model for one in found.told.populations] == ["open"]
    advice = found.advice
    assert (advice.model, advice.rule, list(advice.misleading_if)) == ("open", "closed", ["closed"])
    assert plan(advice).startswith("Plan with an open model")
    assert "the verdict is followed" in advice.reason


def test_very_small_chances_are_not_spelled_out() -> None:
    assert [chance(p) for p in (0.716, 0.001, 1e-30, 0.0)] == [
        "p = 0.72", "p = 0.0010", "p < 0.001", "p < 0.001",
    ]  # fmt: skip
