"""SimPy: processes and a `Resource`, written in the plain way of its documentation."""

from __future__ import annotations

import random
from collections.abc import Generator
from importlib.metadata import version
from typing import Any

import simpy

from peers.measure import NotOfferedError, main
from peers.models import Model

Process = Generator[simpy.Event, Any, None]


class Run:
    """One simulation of a model: its server, its clients and their response times."""

    def __init__(self, model: Model, requests: int) -> None:
        """Begin at time 0 with an idle server."""
        self.model = model
        self.requests = requests
        self.env = simpy.Environment()
        self.server = simpy.Resource(self.env, capacity=1)
        self.over = self.env.event()
        self.count = 0
        self.total = 0.0

    def request(self) -> Process:
        """Wait for the server, use it, and note the response time."""
        arrived = self.env.now
        with self.server.request() as turn:
            yield turn
            yield self.env.timeout(self.demand())
        self.count += 1
        self.total += self.env.now - arrived
        if self.count == self.requests:
            self.over.succeed()

    def demand(self) -> float:
        """Draw a service demand."""
        phases = self.model.phases
        share, mean = phases[0]
        if len(phases) > 1 and random.random() >= share:
            mean = phases[1][1]
        return random.expovariate(1.0 / mean)

    def session(self) -> Process:
        """Request, think, and so on; a closed client begins with a think time and never ends."""
        model, last = self.model, 1.0 / self.model.session_length
        if model.population == "closed":
            last = 0.0
            yield self.env.timeout(random.expovariate(1.0 / model.think))
        while True:
            yield from self.request()
            if random.random() < last:
                return
            yield self.env.timeout(random.expovariate(1.0 / model.think))

    def arrivals(self) -> Process:
        """Begin requests or sessions at Poisson times."""
        rate = self.model.rate / self.model.session_length
        begin = self.request if self.model.population == "open" else self.session
        while True:
            yield self.env.timeout(random.expovariate(rate))
            self.env.process(begin())


def simulate(model: Model, requests: int, seed: int) -> tuple[int, float]:
    """Run until the last request has left."""
    if model.policy == "srpt":
        raise NotOfferedError("PreemptiveResource compares priorities as they were at the request")
    if model.policy != "fcfs":
        raise NotOfferedError("no such resource")
    random.seed(seed)
    run = Run(model, requests)
    if model.population == "closed":
        for _ in range(model.clients):
            run.env.process(run.session())
    else:
        run.env.process(run.arrivals())
    run.env.run(until=run.over)
    return run.count, run.total / run.count


if __name__ == "__main__":
    main(version("simpy"), simulate)
