"""How surely a learned server is known: by replays of its log, and by the work of its users."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from queues import fcfs

from thinktime.candidates.policies import Policy
from thinktime.candidates.visits import Visits
from thinktime.learn.server.agreement import disagreement
from thinktime.learn.server.work_error import user_error

MANY = 12_000


def visits(*, before: float, servers: int) -> Visits:
    """A log at a load of 0.8; a share of each demand passes before the queue."""
    random = np.random.default_rng(11)
    came = np.cumsum(random.exponential(1.0, MANY))
    work = random.gamma(4.0, 0.25, MANY) * servers * 0.8 / (1 - before)
    enters = came + work * before
    order = np.argsort(enters)
    done = np.empty(MANY)
    done[order] = fcfs(enters[order], (work * (1 - before))[order], servers)
    return Visits.served(came, done)


@pytest.mark.parametrize("servers", [1, 3])
def test_the_right_policy_repeats_its_log(servers: int) -> None:
    """Wrong by chance for one of 50 seeds: some 20 figures are compared at 0.1 %."""
    assert disagreement(visits(before=0.0, servers=servers), Policy("fcfs", servers)) == ""


def test_another_server_does_not_repeat_it() -> None:
    log = visits(before=0.5, servers=2)
    assert "and in the log" in disagreement(log, Policy("ps", 3))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_servers_with_queues_of_their_own_are_no_shared_one(seed: int) -> None:
    """4,000 requests in turn to four servers at a load of 0.4: processor sharing by two explains
    their demands, and has a mean that is a third longer. Unseen by chance for one seed in four."""
    random = np.random.default_rng(seed)
    came, work = np.cumsum(random.exponential(1.0, 4000)), random.exponential(1.6, 4000)
    done = np.empty(4000)
    for one in range(4):
        done[one::4] = fcfs(came[one::4], work[one::4], 1)
    assert "and in the log" in disagreement(Visits.served(came, done), Policy("ps", 2))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_stations_in_a_row_are_no_single_one(seed: int) -> None:
    """Two servers, and one behind them, at a load of 0.45 each: the nearest single station is `ps`
    with two workers, under which more requests overtake others."""
    random = np.random.default_rng(seed)
    came = np.cumsum(random.exponential(1.0, MANY))
    between = fcfs(came, random.exponential(0.9, MANY), 2)
    order = np.argsort(between)
    done = np.empty(MANY)
    done[order] = fcfs(between[order], random.exponential(0.45, MANY), 1)
    assert "and in the log" in disagreement(Visits.served(came, done), Policy("ps", 2))


def test_clients_who_wait_for_answers_wait_in_replays_too() -> None:
    """Ten clients without a pause longer than their requests keep one server busy: played at the
    log's own times, demands in another order would wait longer than they do. Wrong by chance for
    one of 50 seeds."""
    random = np.random.default_rng(4)
    ready, free, rows = random.exponential(12.0, 10), 0.0, []
    for _ in range(MANY):
        user = int(ready.argmin())
        came = ready[user]
        free = max(came, free) + random.exponential(1.0)
        ready[user] = free + random.exponential(3.0)
        rows.append((came, free, user))
    came, done, user = (np.array(column) for column in zip(*rows, strict=True))
    log = replace(Visits.served(came, done), user=user.astype(np.int64))
    assert disagreement(log, Policy("fcfs", 1)) == ""


def test_the_work_of_users_is_as_sure_as_it_varies() -> None:
    """The number of 500 sessions of ten requests is Poisson: of 200 such logs the deviation is
    within 25 % of it, but for one seed in a million."""
    random = np.random.default_rng(12)
    work = 10.0 * random.poisson(500, 200)
    true = float(np.std(work) / np.mean(work))
    assert user_error(np.full(500, 10.0), np.zeros(500, np.bool_)) == pytest.approx(true, rel=0.25)


def test_a_user_who_is_always_there_is_no_chance() -> None:
    assert user_error(np.array([1000.0, *[1.0] * 900]), np.zeros(901, np.bool_)) == pytest.approx(
        30 / 1900
    )
