"""The open, the closed and the partly-open model of some traffic, simulated at the same load."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from thinktime import _core
from thinktime.learn.journeys import request_lines, session_lines
from thinktime.learn.model.calibration import requests_of_session
from thinktime.learn.model.population_model import PopulationModel
from thinktime.operations import simulate

REQUESTS = 300_000
TURNS = 3
TURN = 5
"""The simulations that search for the closed model's think time are this many times shorter."""

POLICIES = ("fcfs", "srpt")
WARM_UP = 0.1
"""The share of a simulation at the beginning in which requests do not count."""

STAGES_MAX = 16
"""Erlang laws of no more stages are drawn stage by stage; of more, by a search."""

REACHED_WITHIN = 0.03
"""Models are compared if their achieved loads differ from the wanted one by less."""


@dataclass(frozen=True)
class ModelFigures:
    """The figures of one simulation."""

    mean_s: float
    p99_s: float
    load: float


@dataclass(frozen=True)
class Model:
    """The figures of one system model on a server at the same load."""

    mean_s: float
    p99_s: float
    gain: float
    """The ratio by which shortest remaining processing time shortens the mean."""

    loads: tuple[float, float]
    """The achieved loads: with first come first served, and with the shortest first."""

    def at(self, load: float) -> bool:
        """Whether both reached this load."""
        return all(abs(reached / load - 1) < REACHED_WITHIN for reached in self.loads)


def simulate_models(
    part: PopulationModel, demand: tuple[float, float], clients: int, load: float
) -> dict[str, Model]:
    """A population as its workload file has it, and open and closed tests of it, at this load.

    The server is one of this mean demand and C². Sessions begin as a Poisson process, requests of
    the open test come as one; clients of the closed test think for an exponential time. The
    population's own model comes first.
    """
    mean, cv2 = demand
    rate = load / mean
    law = demands(mean, cv2)
    texts = {"open": _open("open", rate)}
    if not part.closed:
        session, requests = session_lines(part.journeys), request_lines(part.journeys)
        begun = _open(
            "partly-open" if session else "open", rate / requests_of_session(part.journeys)
        )
        texts["open" if part.alone else "partly-open"] = "\n".join([begun, *session, *requests])
    warmup_s = WARM_UP * REQUESTS / rate
    seen = {name: partial(_figures, text) for name, text in texts.items()}
    closed = f'model = "closed"\nclients = {clients}\n[session]\nthink = "exp({{}}s)"\n'
    seen["closed"] = partial(_at_cycle, closed, clients / rate)
    with ThreadPoolExecutor() as pool:
        futures = {
            name: [pool.submit(one, law, policy, warmup_s, REQUESTS) for policy in POLICIES]
            for name, one in seen.items()
        }
    found = {name: _model(*(each.result() for each in of)) for name, of in futures.items()}
    return dict(sorted(found.items(), key=lambda one: one[0] != part.population.model))


def _open(model: str, rate: float) -> str:
    return f'model = "{model}"\nrate = "{rate!r}/s"\n'


def demands(mean: float, cv2: float) -> str:
    """A law of this mean and C², if possible one that is quick to draw from.

    For a C² between 1 / k and 1 / (k - 1), a mix of two Erlang laws whose stages have one rate has
    it (Tijms, 'Stochastic Models', 1994, appendix B).
    """
    if cv2 >= 0.95:
        return f"h2({mean!r}s, cv2={cv2!r})" if cv2 > 1.001 else f"exp({mean!r}s)"
    stages = math.ceil(1 / max(cv2, 0.01))
    if stages > STAGES_MAX:
        return f"gamma(shape={1 / max(cv2, 0.01)!r}, scale={mean * max(cv2, 0.01)!r}s)"
    fewer = (stages * cv2 - math.sqrt(max(stages * (1 - cv2 * (stages - 1)), 0.0))) / (1 + cv2)
    stage = mean / (stages - fewer)
    more = f"erlang({stages}, {stages * stage!r}s)"
    if fewer <= 0:
        return more
    return f"mix({fewer!r}: erlang({stages - 1}, {(stages - 1) * stage!r}s), {1 - fewer!r}: {more})"


def _at_cycle(
    closed: str, cycle_s: float, law: str, policy: str, warmup_s: float, requests: int
) -> ModelFigures:
    """A closed workload in which a client's requests are this many seconds apart.

    Its think time is the rest beside response times, so that the server has the wanted load.
    """
    think = cycle_s
    for _ in range(TURNS):
        seen = _figures(closed.format(repr(think)), law, policy, warmup_s / TURN, requests // TURN)
        think = max(cycle_s - seen.mean_s, 1e-3 * cycle_s)
    return _figures(closed.format(repr(think)), law, policy, warmup_s, requests)


def _model(first: ModelFigures, best: ModelFigures) -> Model:
    return Model(first.mean_s, first.p99_s, first.mean_s / best.mean_s, (first.load, best.load))


def _figures(text: str, law: str, policy: str, warmup_s: float, requests: int) -> ModelFigures:
    """A workload on one server, simulated."""
    head = 'name = "server"\n[[station]]\nname = "server"'
    system = _core.System(f'{head}\npolicy = "{policy}"\ndemand = "{law}"\n')
    result = simulate(_workload(text), system, requests=requests, warmup=warmup_s, rows="none")
    times = result.summary["response_time_s"]
    mean_s, p99_s = times["mean"], times["p99"]
    assert mean_s is not None  # nothing fails there
    assert p99_s is not None
    return ModelFigures(mean_s, p99_s, result.summary["stations"]["server"]["load"])


def _workload(arrivals: str) -> _core.Workload:
    return _core.Workload(f'name = "learned"\n[arrivals]\n{arrivals}')
