"""Questions to a model that fits: other workloads, policies, servers and loads.

Each question is a workload and a system. Its answer comes from one simulation a variant of the
model, each as long as the measurement. If the model is right, 19 of 20 further measurements of that
length lie in the answer's interval. If the measurement does not tell several models apart, the
interval spans those of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np

from thinktime import InputError, RunError
from thinktime._core import System, Workload
from thinktime.candidates.candidate import Candidate
from thinktime.candidates.candidate_simulation import FULL, Figures, Times, each, play
from thinktime.candidates.prediction import Prediction
from thinktime.explain.choice import SAME, SEED
from thinktime.explain.closed_test import CLOSED, OPEN
from thinktime.explain.patience import Patience
from thinktime.inputs.files import workload_of
from thinktime.present import units

POLICIES = ("fcfs", "ps", "srpt")
CLIENTS = (10, 50)
REQUESTS_PER_SESSION = 5
REQUESTS_MAX = 50_000
REQUESTS_THINKING = 200_000
"""The number of requests of the simulations that find a closed test's think time: they leave far
less chance than the answer has, with a quarter as many."""

WIDE = 30.0
"""An answer is not given as a number if its interval spans a larger factor."""

_CONFIDENCE = 0.95
EXCLUDING = 0.999
"""The model does not explain a mean outside this interval for one more measurement."""


@dataclass(frozen=True)
class Answer:
    """The answer of a model to one question. Times are in seconds."""

    question: str
    mean_s: float | None
    mean_within_s: tuple[float, float] | None
    p99_s: float | None
    p99_within_s: tuple[float, float] | None
    throughput: float | None
    refused: str = ""
    """Why there is no answer, if there is none."""

    mean_limits_s: tuple[float, float] | None = None
    """999 of 1,000 further measurements have their mean in this interval."""

    throughput_within: tuple[float, float] | None = None

    def excludes(self, mean_s: float) -> bool:
        """Whether a measured mean is one that the model gives at most once in 1,000 times."""
        if self.mean_limits_s is None:
            return False
        low, high = self.mean_limits_s
        return not low <= mean_s <= high


@dataclass(frozen=True)
class Measurement:
    """The measurement that questions are about."""

    workload: Workload
    rate: float
    """Requests a second that were answered."""

    length_s: float
    patience: Patience
    """The timeouts of the clients, if they retry."""

    network_s: float = 0.0
    """The part of each response time that the network adds, in seconds."""

    scale: float | None = None
    """A factor of the workload's rates and clients that is asked about, too."""


@dataclass(frozen=True)
class _Question:
    words: str
    workload: Workload
    policy: str | None = None
    more_servers: int = 0
    holds_load: bool = False
    """Whether the measured load is to be held, as the workload has none of its own."""

    times: Times = "service_time_s"
    """Whether times run from sending to the answer, as measured, or from the scheduled time."""


Variants = tuple[Candidate, ...]


def answers(
    those: Variants, measurement: Measurement, ties: tuple[Variants, ...] = ()
) -> Iterator[Answer]:
    """The answers to all questions, the measurement's own workload first, however rough that is.

    `ties` are other models that might as well be the server's: intervals span theirs, too.
    """
    for number, one in enumerate(_questions(those[0], measurement)):
        found = _answer(one, those, measurement)
        for other in ties if not found.refused else ():
            other_answer = _answer(one, other, measurement)
            if number or not other_answer.refused:  # the measured workload needs only the first one
                found = spanning(found, other_answer, other[0])
        yield _refused(one.words, vague) if number and (vague := _vague(found)) else found


def _answer(one: _Question, those: Variants, measurement: Measurement) -> Answer:
    try:
        return _answered(one, those, measurement)
    except (InputError, RunError) as error:
        return _refused(one.words, str(error))


def spanning(one: Answer, other: Answer, model: Candidate) -> Answer:
    """An answer whose intervals include those of another model's answer.

    If one of the two has no interval, the result has none.
    """
    if one.refused:
        return one
    if other.refused:
        words = f"with {model.words}, which cannot be told from this model, {other.refused}"
        return _refused(one.question, words)
    return replace(
        one,
        mean_within_s=_span(one.mean_within_s, other.mean_within_s),
        p99_within_s=_span(one.p99_within_s, other.p99_within_s),
        throughput_within=_span(one.throughput_within, other.throughput_within),
    )


Range = tuple[float, float]


def _span(one: Range | None, other: Range | None) -> Range | None:
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


def load_of(system: System, rate: float) -> float:
    """The load of the busiest station."""
    demands = [
        (station.demand.mean if station.demand else 0.0) / station.servers
        for station in system.stations
    ]
    return rate * max(demands)


def _questions(one: Candidate, measurement: Measurement) -> Iterator[_Question]:
    rate = measurement.rate
    same = _workload("open", rate=rate)
    own = measurement.workload
    yield _Question("the measured workload", own)
    if (scale := measurement.scale) is not None:
        yield _Question(f"{scale:g} times the measured workload", own.scaled(scale))
    if own.model != "open" or not own.poisson:
        yield _Question(OPEN, same)
    think = {"think": "exp(1s)"}
    for clients in CLIENTS:
        closed = _workload("closed", session=think, clients=clients)
        yield _Question(CLOSED.format(clients), closed, holds_load=True)
    session = think | {"requests": f"geometric({REQUESTS_PER_SESSION})"}
    yield _Question(
        f"the same load, partly open, {REQUESTS_PER_SESSION} requests a session",
        _workload("partly-open", session=session, rate=rate / REQUESTS_PER_SESSION),
    )
    for policy in POLICIES:
        if policy != one.policy:
            yield _Question(f"scheduled by {policy}", own, policy=policy)
    yield _Question("one more server", own, more_servers=1)
    yield _Question("twice the load, open", _workload("open", rate=2 * rate))
    yield _Question(
        f"open, {measurement.patience.words}",
        _workload("open", request=measurement.patience.requests(), rate=rate),
        times="response_time_s",
    )


def _workload(
    model: str, *, session: dict[str, Any] | None = None, request: Any = (), **arrivals: Any
) -> Workload:
    tables = {"session": session or {}, "request": request}
    kept = {name: table for name, table in tables.items() if table}
    return workload_of({"name": "asked", "arrivals": {"model": model, **arrivals}, **kept})


def _answered(one: _Question, those: Variants, measurement: Measurement) -> Answer:
    first = _system(those[0], one)
    rate = one.workload.request_rate
    if rate is not None and one.workload.model != "closed":
        load = load_of(first, rate)
        if load > FULL:
            full = f"the load would be {load:.2f}: queues grow for as long as it lasts"
            return _refused(one.words, full)
    workload = one.workload
    if one.holds_load:
        load = load_of(those[0].system(), measurement.rate)
        workload = workload.at_load(first, load, requests=REQUESTS_THINKING)
    length_s = min(measurement.length_s, REQUESTS_MAX / measurement.rate)

    def played(numbered: tuple[int, Candidate]) -> Figures:
        number, candidate = numbered
        seen, system = workload.with_seed(SEED + 100 + number), _system(candidate, one)
        return play(seen, system, times=one.times, duration=length_s, warmup=0.0)

    found = each(played, enumerate(those))
    if any(isnan(run.mean_s) for run in found):
        return _refused(one.words, "no request would succeed")
    means = [run.mean_s + measurement.network_s for run in found]
    tails = [run.p99_s + measurement.network_s for run in found]
    rates = [run.throughput for run in found]
    return Answer(
        one.words,
        float(np.mean(means)),
        Prediction.of(means).within(_CONFIDENCE),
        float(np.mean(tails)),
        Prediction.of(tails).within(_CONFIDENCE),
        float(np.mean(rates)),
        mean_limits_s=Prediction.of(means, least=SAME).within(EXCLUDING),
        # By the values themselves: retries may reduce a rate to nearly nothing.
        throughput_within=Prediction.of(rates, logs=False).within(_CONFIDENCE),
    )


def _vague(found: Answer) -> str | None:
    """Why an answer is not a number, if its interval is too wide for one."""
    if found.mean_within_s is None or found.mean_within_s[1] < WIDE * found.mean_within_s[0]:
        return None
    low, high = (units.seconds(limit) for limit in found.mean_within_s)
    return f"it lies between {low} and {high}: too little was measured to say more"


def _system(candidate: Candidate, one: _Question) -> System:
    return candidate.system(policy=one.policy, servers=candidate.servers + one.more_servers)


def _refused(words: str, why: str) -> Answer:
    return replace(Answer(words, None, None, None, None, None), refused=why)
