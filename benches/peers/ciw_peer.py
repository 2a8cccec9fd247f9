"""Ciw: a network of nodes, and the records of its customers."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import ciw

from peers.measure import NotOfferedError, main
from peers.models import Model


def simulate(model: Model, requests: int, seed: int) -> tuple[int, float]:
    """Simulate for the time that the requests take, and read the records of the queue."""
    if model.policy not in ("fcfs", "ps"):
        raise NotOfferedError("no such discipline")
    ciw.seed(seed)
    node = ciw.PSNode if model.policy == "ps" else ciw.Node
    simulation = ciw.Simulation(_network(model), node_class=node)
    simulation.simulate_until_max_time(requests / model.rate)
    times = [
        record.exit_date - record.arrival_date
        for record in simulation.get_all_records()
        if record.node == 1
    ]
    return len(times), sum(times) / len(times)


def _network(model: Model) -> Any:
    servers = float("inf") if model.policy == "ps" else 1
    if model.population == "open":
        return ciw.create_network(
            arrival_distributions=[ciw.dists.Exponential(model.rate)],
            service_distributions=[_demand(model)],
            number_of_servers=[servers],
        )
    think = ciw.dists.Exponential(1.0 / model.think)
    if model.population == "closed":
        return ciw.create_network(
            arrival_distributions=[None, ciw.dists.Sequential([0.0, float("inf")])],
            batching_distributions=[
                ciw.dists.Deterministic(1),
                ciw.dists.Deterministic(model.clients),
            ],
            service_distributions=[_demand(model), think],
            number_of_servers=[servers, float("inf")],
            routing=[[0.0, 1.0], [1.0, 0.0]],
        )
    again = 1.0 - 1.0 / model.session_length
    return ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(model.rate / model.session_length), None],
        service_distributions=[_demand(model), think],
        number_of_servers=[servers, float("inf")],
        routing=[[0.0, again], [1.0, 0.0]],
    )


def _demand(model: Model) -> Any:
    shares = [share for share, _ in model.phases]
    rates = [1.0 / mean for _, mean in model.phases]
    if len(rates) == 1:
        return ciw.dists.Exponential(rates[0])
    return ciw.dists.HyperExponential(rates, shares)


if __name__ == "__main__":
    main(version("ciw"), simulate)
