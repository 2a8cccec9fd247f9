"""Kinds of requests that pass the server's queue are learned with a delay of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from road.log import write
from road.site import site_of

import thinktime as tt
from thinktime.candidates.policies import Policy
from thinktime.candidates.visits import Visits
from thinktime.learn import learn
from thinktime.learn.server import system_text
from thinktime.learn.server.bypass import kinds_beside

FCFS = Policy("fcfs", 1)


def visits(*, beside: bool) -> Visits:
    """Requests at one server at a load of 0.7; one in ten is of a second kind, and very short."""
    random = np.random.default_rng(7)
    came = np.cumsum(random.exponential(0.010, 4000))
    kind = (random.random(4000) < 0.1).astype(np.int64)
    took = np.where(kind == 1, 0.0002, random.exponential(0.0077, 4000))
    done, free = np.empty(4000), 0.0
    for n in range(4000):
        if beside and kind[n] == 1:
            done[n] = came[n] + took[n]
        else:
            free = done[n] = max(came[n], free) + took[n]
    return Visits(came, done, kind, np.ones(4000, np.bool_), 1e-6, 1e-6)


def test_a_kind_that_ends_before_a_worker_is_free_passes_the_queue() -> None:
    assert kinds_beside(visits(beside=True), FCFS, 2) == [1]


def test_a_kind_that_waits_queues_however_short_it_is() -> None:
    assert kinds_beside(visits(beside=False), FCFS, 2) == []


def test_most_requests_queue() -> None:
    log = visits(beside=True)
    assert kinds_beside(log.part(log.kind == 1), FCFS, 2) == []


@pytest.mark.usefixtures("brief_advice")
def test_a_health_check_beside_the_pool_keeps_its_time_at_any_load(tmp_path: Path) -> None:
    site = replace(
        site_of(3), policy="fcfs", servers=2, demand_s=0.05, cv2=1.0, load=0.45, length_s=1800.0,
        millis=True, checks=True,
    )  # fmt: skip
    log = tmp_path / "access.log"
    learned = learn([log], format=write(site, log), fidelity=False)
    server = learned.server()
    assert server is not None
    assert [one.name for one in server.beside] == ["/up"]
    assert (server.policy, server.workers) == ("fcfs", 2)
    learned.save(tmp_path / "site.toml")
    (tmp_path / "server.toml").write_text(system_text("learned", server, [log.name]))
    workload = tt.Workload.load(tmp_path / "site.toml").scaled(2.0)
    found = tt.simulate(workload, tmp_path / "server.toml", requests=20_000)
    checks = found.summary["by_population"]["checks"]["response_time_s"]["mean"]
    people = found.summary["by_population"]["people"]["response_time_s"]["mean"]
    # The truth is 1 ms; stamps have steps of 1 ms.
    assert 0.0005 <= checks <= 0.002
    assert people > 0.1
