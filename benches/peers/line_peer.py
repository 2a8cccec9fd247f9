"""LINE: its discrete-event engine LDES (class `SolverLDES`), a compiled program in its package.

LDES counts the completions of think times as events, too; the requested events are scaled so that
the right number of requests passes the queue. Its LAS is called FB.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import line_solver as line
from line_solver.solvers.wrappers.solver_ldes.solver_ldes import SolverLDES

from peers.measure import main
from peers.models import Model

NAMES = {"fcfs": "FCFS", "srpt": "SRPT", "ps": "PS", "las": "FB"}


def simulate(model: Model, requests: int, seed: int) -> tuple[int, float]:
    """Build the network, have it simulated, and read the mean response time of the queue."""
    again = {"open": 0.0, "closed": 1.0}.get(model.population, 1.0 - 1.0 / model.session_length)
    events = round(requests * (1.0 + again))
    network = _network(model, again)
    solver = SolverLDES(network, events=events, seed=seed, verbose="silent", replications=1)
    table = solver.getAvgTable()
    return requests, float(table.loc[table["Station"] == "Queue", "RespT"].iloc[0])


def _network(model: Model, again: float) -> Any:
    network = line.Network(model.name)
    closed = model.population == "closed"
    source = None if closed else line.Source(network, "Source")
    queue = line.Queue(network, "Queue", getattr(line.SchedStrategy, NAMES[model.policy]))
    delay = None if model.population == "open" else line.Delay(network, "Think")
    sink = None if closed else line.Sink(network, "Sink")
    if closed:
        customers = line.ClosedClass(network, "Client", model.clients, delay)
    else:
        customers = line.OpenClass(network, "Request")
        source.setArrival(customers, line.Exp(model.rate / model.session_length))
    queue.setService(customers, _demand(model))
    if delay is not None:
        delay.setService(customers, line.Exp.fit_mean(model.think))
    _route(network, customers, source, queue, delay, sink, again)
    return network


def _demand(model: Model) -> Any:
    (share, mean), *others = model.phases
    if not others:
        return line.Exp.fit_mean(mean)
    return line.HyperExp(share, 1.0 / mean, 1.0 / others[0][1])


def _route(
    network: Any, customers: Any, source: Any, queue: Any, delay: Any, sink: Any, again: float
) -> None:
    routes = network.initRoutingMatrix()
    if source is not None:
        routes.set(customers, customers, source, queue, 1.0)
        routes.set(customers, customers, queue, sink, 1.0 - again)
    if delay is not None:
        routes.set(customers, customers, queue, delay, again)
        routes.set(customers, customers, delay, queue, 1.0)
    network.link(routes)


if __name__ == "__main__":
    main(version("line-solver"), simulate)
