"""What open and closed load tests of a population would show.

The population is simulated as its workload file has it, beside a purely open and a purely closed
test of the same load. The verdict on it stays as it is: a test that shows about the same times is
only good enough at this load.

Source: Schroeder, Wierman, Harchol-Balter, 'Open Versus Closed: A Cautionary Tale' (NSDI 2006),
section 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

from thinktime.learn.advice.models import Model, simulate_models
from thinktime.learn.journeys.laws import mean_of
from thinktime.learn.model.figures import Figures
from thinktime.learn.model.population_model import PopulationModel
from thinktime.learn.populations import Population
from thinktime.present import units

LOAD = 0.8
USUAL_CV2 = 4.0
ALIKE = 0.01
"""Sizes or durations that hardly differ say nothing of demands."""

CV2_MOST = 49.0
"""The largest that the paper considers; beyond it simulations would have to be very long."""

USUAL_DEMAND_S = 0.01
CLIENTS_MAX = 5000
THINKING_MAX = 5_000_000
"""Users without think time, in a simulation."""

MISLEADS = 0.1
"""A test misleads if its mean or p99 differs by this share or more."""

OPEN_UP_TO = 5.0
CLOSED_FROM = 10.0
"""The paper's rule of thumb: up to 5 requests a session a partly-open system behaves as an open
one, from 10 on as a closed one."""

_MODELS = {
    "open": "an open model, in which requests come at a rate, whatever the answers",
    "partly-open": "a partly-open model, in which users come at a rate, ask several times and "
    "leave",
    "closed": "a closed model, in which a fixed number of users each wait for the answer before "
    "they ask again",
}


@dataclass(frozen=True)
class Advice:
    """What tests of the population that matters most to the server would show."""

    population: Population
    work: float
    """Its share of the work of all: of durations, or of requests if none are logged."""

    requests_per_session: float
    load: float
    cv2: float
    cv2_from: str
    """The source of the demands' variability."""

    models: dict[str, Model]
    """The population's own model, and those of the tests, by name."""

    clients: int
    """The clients of the closed test: the mean number of sessions in progress."""

    demand_s: float
    """The mean service demand."""

    @property
    def model(self) -> str:
        """The model to plan with, which is that of the population."""
        return self.population.model

    @property
    def rule(self) -> str:
        """The model that the rule of thumb of the paper gives, by requests a session."""
        if self.population.model == "closed" or self.requests_per_session >= CLOSED_FROM:
            return "closed"
        return "open" if self.requests_per_session <= OPEN_UP_TO else "partly-open"

    @cached_property
    def misleading_if(self) -> dict[str, dict[str, float]]:
        """The error of the tests: their figures as multiples of the population's own.

        Models that did not reach the load are not compared.
        """
        own = self.models[self.model]
        return {
            name: {
                "mean_ratio": other.mean_s / own.mean_s,
                "p99_ratio": other.p99_s / own.p99_s,
                "gain_ratio": other.gain / own.gain,
            }
            for name, other in self.models.items()
            if name not in (self.model, "partly-open")
            if other.at(self.load) and own.at(self.load)
        }

    @property
    def plan(self) -> str:
        """The model to plan with, and what other tests would show; without a full stop."""
        return ": ".join(filter(None, (f"Plan with {_MODELS[self.model]}", self.tests)))

    @property
    def tests(self) -> str:
        """What other tests would show; without a full stop, and empty if that is not known."""
        clients = units.counted(self.clients, "client")
        tests = {"open": "an open load test", "closed": f"a closed load test of {clients}"}
        return "; ".join(
            f"{tests[name]} would show {_times(ratios)}"
            for name, ratios in self.misleading_if.items()
        )

    @property
    def brief(self) -> str:
        """The model to plan with, and how sure that is, in a sentence."""
        model, _, _ = _MODELS[self.model].partition(", ")
        return f"Plan with {model} ({self.population.confidence})."

    @property
    def assumed(self) -> str:
        """The load and the demands, without a full stop."""
        return (
            f"load {units.number(self.load)}, demands of {units.seconds(self.demand_s)} on average "
            f"with C² {units.number(self.cv2)} ({self.cv2_from})"
        )


def main_part(parts: Sequence[PopulationModel]) -> tuple[PopulationModel, float]:
    """The population that matters most to the server, and its share of the work."""
    timed = any(part.requests.timed for part in parts)
    # Durations are numbers of 32 bits, of which a sum would keep the last 32 bits: 71 min.
    work = [
        float(part.requests.rows["duration_us"].cast(float).sum())
        if timed
        else float(len(part.requests))
        for part in parts
    ]
    most = max(range(len(parts)), key=work.__getitem__)
    return parts[most], work[most] / max(sum(work), 1e-300)


def advise(
    figures: Figures, work: float, *, demand_cv2: float | None = None, load: float = LOAD
) -> Advice:
    """Simulate tests of a population that does this share of the ``work``.

    ``demand_cv2`` is the demands' C², by default learned.
    """
    part = figures.part
    cv2, cv2_from = _variability(figures, demand_cv2)
    demand_s = _demand(figures, load)
    clients = part.clients or part.population.clients
    if clients is None:  # by Little's law, at the rate that gives the load
        each_s = figures.session_s / (len(part.requests) * figures.one_in)
        clients = round(load / demand_s * each_s)
    clients = min(max(clients, 1), CLIENTS_MAX)
    return Advice(
        population=part.population,
        work=work,
        requests_per_session=part.journeys.requests_per_journey,
        load=load,
        cv2=cv2,
        cv2_from=cv2_from,
        models=simulate_models(part, (demand_s, cv2), clients, load),
        clients=clients,
        demand_s=demand_s,
    )


def _times(ratios: dict[str, float]) -> str:
    """A test's times compared with those of the population."""
    named = {"mean_ratio": "mean response time", "p99_ratio": "p99"}
    if max(abs(ratios[key] - 1) for key in named) < MISLEADS:
        return "about the same response times"
    return " and ".join(f"{_share(ratios[key])} {name}" for key, name in named.items())


def _share(ratio: float) -> str:
    """As in `half of the`, `31 % of the` and `1.56 times the`."""
    if abs(ratio - 1) < MISLEADS:
        return "about the same"
    if ratio > 1:
        return f"{units.number(ratio)} times the"
    return "half of the" if abs(ratio - 0.5) < 0.03 else f"{units.percent(ratio)} of the"


def _variability(figures: Figures, given: float | None) -> tuple[float, str]:
    if given is not None:
        return given, "given"
    for tally, words in (
        (figures.durations.tally, "the durations in the log"),
        (figures.sizes.tally, "the sizes of responses, as if demands were proportional to them"),
    ):
        if tally.total >= 100 and tally.mean > 0:
            square = float(tally.middle**2 @ tally.count / tally.count.sum())
            cv2 = square / tally.mean**2 - 1
            if cv2 > ALIKE:
                return min(cv2, CV2_MOST), words
    return USUAL_CV2, "nothing in the log: a usual value"


def _demand(figures: Figures, load: float) -> float:
    """The mean demand: the median duration, because long ones include waiting; or a usual one.

    It is limited from below, so that a load of such demands needs no more users than can be
    simulated.
    """
    durations, think = figures.durations.tally, figures.part.journeys.thinks.law
    median = max(durations.quantile(0.5), 1e-6) if durations.total else USUAL_DEMAND_S
    mean_think = mean_of(think) if think is not None else 0.0
    return max(median, load * mean_think / THINKING_MAX) if isfinite(mean_think) else median
