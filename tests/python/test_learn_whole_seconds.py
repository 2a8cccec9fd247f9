"""Closed loops in logs of whole seconds, as of nginx, and open traffic as the counter-test.

The logs are made here: a server of several workers, clients that wait for answers or do not. Seeds
are fixed. `waits` errs with a probability of 2.3 % at most if it rests on counts, and of 0.14 % if
it rests on a slope; it is then never sure.
"""

from __future__ import annotations

import datetime
import heapq
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from thinktime.learn.logs.log import read
from thinktime.learn.populations import Population, tell_apart

BEGIN = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
SPAN_S = 1200.0
AGENT = "python-requests/2.32.3"
THINKS: dict[str, Callable[[np.random.Generator, float], float]] = {
    "exp": lambda draw, mean_s: float(draw.exponential(mean_s)),
    "uniform": lambda draw, mean_s: float(draw.uniform(0.5 * mean_s, 1.5 * mean_s)),
    "const": lambda _, mean_s: mean_s,
}
Answer = tuple[float, float, int]
"""When it was asked for, when it came, and the user."""


def served(
    arrivals: list[tuple[float, int, int]],
    again: Callable[[], float],
    demand_s: float,
    workers: int,
    draw: np.random.Generator,
) -> list[Answer]:
    """A FIFO server. An arrival is a time, a user, and how many requests follow after answers."""
    heapq.heapify(arrivals)
    free, found = [0.0] * workers, []
    while arrivals:
        came, user, more = heapq.heappop(arrivals)
        if came > SPAN_S:
            continue
        done = max(came, heapq.heappop(free)) + float(draw.exponential(demand_s))
        heapq.heappush(free, done)
        found.append((came, done, user))
        if more:
            heapq.heappush(arrivals, (done + again(), user, more - 1))
    return found


def loops(clients: int, think: str, think_s: float, demand_s: float, workers: int) -> list[Answer]:
    draw = np.random.default_rng(1)
    first = [(float(draw.uniform(0, max(think_s, 0.1))), user, 1 << 30) for user in range(clients)]
    return served(first, lambda: THINKS[think](draw, think_s), demand_s, workers, draw)


def visits(rate: float, users: int, more: int, demand_s: float) -> list[Answer]:
    """Each of a user who comes again, or of one user a visit with ``users`` 0."""
    draw = np.random.default_rng(2)
    times = draw.uniform(0, SPAN_S, draw.poisson(rate * SPAN_S)).tolist()
    first = [(at, int(draw.integers(users)) if users else n, more) for n, at in enumerate(times)]
    return served(first, lambda: float(draw.exponential(3.0)), demand_s, 8, draw)


def log_of(path: Path, answers: list[Answer], *, stamps: str, one_address: bool = False) -> Path:
    rows, draw = [], np.random.default_rng(3)
    for came, done, user in sorted(answers, key=lambda one: one[1]):
        at = BEGIN + datetime.timedelta(seconds=done)
        address = "127.0.0.1" if one_address else f"10.0.{user // 250}.{user % 250}"
        if stamps == "s":
            rows.append(
                f'{address} - - [{at:%d/%b/%Y:%H:%M:%S} +0000] "GET /item/{draw.integers(20)} '
                f'HTTP/1.1" 200 500 "-" "{AGENT}" {done - came:.3f}\n'
            )
        else:
            rows.append(
                f'{{"time":"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z",'
                f'"remote_addr":"{address}","request":"GET /item/{draw.integers(20)} HTTP/1.1",'
                f'"status":200,"bytes_sent":500,"request_time":{done - came:.3f},'
                f'"http_referer":"-","http_user_agent":"{AGENT}"}}\n'
            )
    path.write_text("".join(rows))
    return path


def largest(path: Path) -> Population:
    return max(tell_apart(read([path]).requests).populations, key=lambda one: one.requests)


@pytest.mark.parametrize("stamps", ["s", "ms"])
@pytest.mark.parametrize(
    ("clients", "think", "think_s", "demand_s", "workers"),
    [
        (5, "exp", 2.0, 0.02, 2), (20, "exp", 3.0, 0.02, 4), (20, "uniform", 3.0, 0.02, 4),
        (20, "const", 3.0, 0.02, 4), (20, "exp", 0.5, 0.05, 2), (50, "exp", 10.0, 0.02, 4),
        (50, "uniform", 1.0, 0.2, 4), (5, "uniform", 10.0, 0.5, 2), (20, "exp", 3.0, 1.0, 4),
    ],
)  # fmt: skip
def test_clients_with_addresses_are_closed(
    clients: int, think: str, think_s: float, demand_s: float, workers: int, stamps: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    """In whole seconds most were open: a request seemed to come before the answer."""
    answers = loops(clients, think, think_s, demand_s, workers)
    found = largest(log_of(tmp_path / "access.log", answers, stamps=stamps))
    assert found.model == "closed"
    assert found.clients is not None
    assert 0.75 * clients <= found.clients <= clients


@pytest.mark.parametrize("one_address", [True, False])
@pytest.mark.parametrize("stamps", ["s", "ms"])
def test_clients_that_never_think_are_counted(
    stamps: str, one_address: bool, tmp_path: Path
) -> None:
    """Behind one address they were thousands."""
    answers = [one for one in loops(20, "const", 0.0, 0.1, 4) if one[1] < 400]
    path = log_of(tmp_path / "access.log", answers, stamps=stamps, one_address=one_address)
    found = largest(path)
    assert (found.model, found.confidence, found.clients) == ("closed", "sure", 20)


def test_a_think_time_of_a_few_steps_is_found_behind_one_address(tmp_path: Path) -> None:
    answers = loops(20, "const", 3.0, 0.02, 4)
    found = largest(log_of(tmp_path / "access.log", answers, stamps="s", one_address=True))
    assert (found.model, found.clients) == ("closed", 20)


@pytest.mark.parametrize(
    ("stamps", "rate", "users", "demand_s"),
    [("ms", 5.0, 8, 0.03), ("s", 20.0, 8, 0.03), ("s", 5.0, 50, 0.5), ("s", 5.0, 8, 2.0),
     ("s", 5.0, 0, 0.02), ("s", 20.0, 1, 0.02)],
)  # fmt: skip
def test_requests_that_do_not_wait_are_open(
    stamps: str, rate: float, users: int, demand_s: float, tmp_path: Path
) -> None:
    answers = visits(rate, users, 0, demand_s)
    found = largest(log_of(tmp_path / "access.log", answers, stamps=stamps))
    assert found.model == "open"


@pytest.mark.parametrize("stamps", ["s", "ms"])
def test_users_who_come_and_go_are_partly_open(stamps: str, tmp_path: Path) -> None:
    answers = visits(0.5, 0, 4, 0.02)
    found = largest(log_of(tmp_path / "access.log", answers, stamps=stamps))
    assert found.model == "partly-open"
