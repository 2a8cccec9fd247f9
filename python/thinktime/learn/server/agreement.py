"""Whether a learned server gives the log's own mean response time, at the log's own arrivals.

The demands of all requests follow from the policy, so that a wrong policy may explain them: for
instance, processor sharing explains a pool of connections behind a time that nobody waits for. Its
simulation then has another mean.
"""

from __future__ import annotations

import numpy as np

from thinktime.candidates.candidate import Candidate
from thinktime.candidates.candidate_simulation import each, play, traced
from thinktime.candidates.policies import Policy
from thinktime.candidates.prediction import Prediction
from thinktime.candidates.visits import Visits
from thinktime.learn.server.laws import empirical
from thinktime.learn.server.model import demands_under

RUNS, REQUESTS = 24, 50_000
SEED = 46

POINTS = 400
"""The law of the demands of all kinds together is written with this many values."""

SAME = 0.01
"""A simulated mean is no more exact than this part of it: laws are written in few values, and times
are rounded."""

OFF = 3.77
"""Student's t of 23 degrees, those of 24 simulations, exceeds it in one of 1,000 cases."""


def disagreement(log: Visits, policy: Policy) -> str:
    """What is wrong with the mean of a server with this policy, in words; empty if nothing is."""
    part = log.part(slice(0, REQUESTS))
    together = part.part(part.kind >= 0)
    every = Visits.served(together.arrival_s, together.done_s)
    law, *_ = demands_under(every, policy, 1)
    if not law.seen or law.mean <= 0 or policy.name == "idle":
        return ""
    demand = empirical(law, law.mean, POINTS)
    system = Candidate(policy.name, policy.name, policy.workers, (demand,)).system()
    workload = traced(every.arrival_s - every.arrival_s[0])
    until_s = float(np.ptp(every.arrival_s)) + 1.0

    def mean_s(seed: int) -> float:
        return play(workload, system, seed=seed, duration=until_s, warmup=0.0).mean_s

    played = each(mean_s, range(SEED, SEED + RUNS))
    expected, own = Prediction.of(played, least=SAME), float(every.duration_s.mean())
    if abs(expected.off(own)) <= OFF:
        return ""
    return (
        f"No server is certain: simulated with the log's own arrivals, the best one has a mean of "
        f"{expected.value * 1e3:.4g} ms, and the log has {own * 1e3:.4g} ms."
    )
