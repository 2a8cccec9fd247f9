"""A server that turned requests away, and clients that gave up, are no server that is known."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from thinktime.candidates.visits import Visits
from thinktime.learn.logs.requests import Requests
from thinktime.learn.server.lost_requests import patience_s, turned_away
from thinktime.learn.server.visits import server_visits

MANY = 20_000
LIMIT = 6


def requests(came: NDArray[np.float64], took: NDArray[np.float64], status: Any) -> Requests:
    """A log with these columns, of one user each."""
    rows = pl.DataFrame(
        {
            "time_ns": np.rint(came * 1e9).astype(np.int64),
            "duration_us": np.rint(took * 1e6).astype(np.uint32),
            "status": np.asarray(status, dtype=np.uint16),
            "user": np.arange(len(came), dtype=np.uint32),
        }
    )
    empty, none = pl.Series([""]), pl.DataFrame()
    return Requests(rows, none, none, empty, empty, 1e-6)


def limited(seed: int, limit: float) -> tuple[NDArray[np.float64], ...]:
    """A server with workers for all, which turns away a request if it finds this limit."""
    random = np.random.default_rng(seed)
    came, work = np.cumsum(random.exponential(1.0, MANY)), random.exponential(2.0, MANY)
    busy: list[float] = []
    took, status = work.copy(), np.full(MANY, 200)
    for n, at in enumerate(came.tolist()):
        busy = [end for end in busy if end > at]
        if len(busy) >= limit:
            took[n], status[n] = 0.001, 503
        else:
            busy.append(at + work[n])
    return came, took, status


def words(log: Requests) -> str:
    return turned_away(log, server_visits(log, np.zeros(len(log), np.int64)))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_limit_is_seen(seed: int) -> None:
    """By Erlang's formula, 1.2 % of the requests find six workers busy at a load of two."""
    came, took, status = limited(seed, LIMIT)
    assert np.mean(status == 503) == pytest.approx(0.0121, abs=0.004)
    assert "turned away" in words(requests(came, took, status))


@pytest.mark.parametrize("seed", range(10))
def test_errors_at_any_time_are_no_limit(seed: int) -> None:
    """Wrong by chance for one of 2,000 seeds."""
    came, took, status = limited(seed, math.inf)
    failed = np.random.default_rng(seed).random(MANY) < 0.01
    log = requests(came, np.where(failed, 0.001, took), np.where(failed, 502, status))
    assert words(log) == ""


def test_many_that_are_turned_away_matter_at_any_time() -> None:
    came, took, status = limited(1, math.inf)
    failed = np.random.default_rng(1).random(MANY) < 0.1
    assert "10 %" in words(requests(came, took, np.where(failed, 429, status)))


def gone_after(patience: NDArray[np.float64]) -> Visits:
    """Clients who give up after these times, before a server that takes 1 s on average."""
    random = np.random.default_rng(3)
    came, work = np.cumsum(random.exponential(1.0, MANY)), random.exponential(1.0, MANY)
    log = Visits.served(came, came + np.minimum(work, patience))
    return replace(log, over=work < patience)


def test_a_timeout_is_the_patience_of_all() -> None:
    assert patience_s(gone_after(np.full(MANY, 4.0))) == pytest.approx(4.0)


def test_patience_is_that_of_one_in_twenty() -> None:
    """Of an exponential patience with a mean of 10 s, it is 10 s times -ln 0.95; about 970 give up
    before that, so that it is known to 3.3 %."""
    patience = np.random.default_rng(4).exponential(10.0, MANY)
    assert patience_s(gone_after(patience)) == pytest.approx(-10 * math.log(0.95), rel=0.15)


def test_few_that_leave_have_no_patience_to_measure() -> None:
    """One in 1,000 of those unanswered for a second leaves."""
    patience = np.random.default_rng(4).exponential(1000.0, MANY)
    assert patience_s(gone_after(patience)) > 8.0
