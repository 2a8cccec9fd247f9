"""The open, the closed and the partly-open model of some traffic, simulated at the same load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from thinktime._core import Workload
from thinktime.candidates.candidate import station
from thinktime.candidates.candidate_simulation import Figures, each, play
from thinktime.inputs.dicts import toml_of
from thinktime.inputs.files import workload_of
from thinktime.learn.journeys import request_lines, session_lines
from thinktime.learn.model.calibration import requests_of_session
from thinktime.learn.model.population_model import PopulationModel

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
    rate, law = load / demand[0], demands(*demand)

    def figures(workload: Workload, policy: str, requests: int) -> Figures:
        system = {"name": "server", "station": [station("server", policy, 1, law)]}
        return play(workload, system, requests=requests, warmup=WARM_UP * requests / rate)

    def played(asked: tuple[str, str]) -> Figures:
        name, policy = asked
        if name != "closed":
            return figures(tests[name], policy, REQUESTS)
        think_s = clients / rate
        for _ in range(TURNS):  # requests of a client are this many seconds apart
            seen = figures(_closed(clients, think_s), policy, REQUESTS // TURN)
            think_s = max(clients / rate - seen.mean_s, 1e-3 * clients / rate)
        return figures(_closed(clients, think_s), policy, REQUESTS)

    tests = {"open": _workload("open", rate)}
    if not part.closed:
        session, requests = session_lines(part.journeys), request_lines(part.journeys)
        tests["open" if part.alone else "partly-open"] = _workload(
            "partly-open" if session else "open",
            rate / requests_of_session(part.journeys),
            [*session, *requests],
        )
    names = sorted([*tests, "closed"], key=lambda name: name != part.population.model)
    found = each(played, [(name, policy) for name in names for policy in POLICIES])
    return {
        name: Model(first.mean_s, first.p99_s, first.mean_s / best.mean_s, (first.load, best.load))
        for name, first, best in zip(names, found[::2], found[1::2], strict=True)
    }


def _workload(model: str, rate: float, lines: Sequence[str] = ()) -> Workload:
    """A workload of this rate; the other tables are lines of a file."""
    head = toml_of({"name": "learned", "arrivals": {"model": model, "rate": rate}})
    return Workload("\n".join([head, *lines]))


def _closed(clients: int, think_s: float) -> Workload:
    arrivals = {"model": "closed", "clients": clients}
    session = {"think": f"exp({think_s!r}s)"}
    return workload_of({"name": "learned", "arrivals": arrivals, "session": session})


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
