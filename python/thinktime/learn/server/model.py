"""A model of the server that wrote a log: the demand of each kind of request, and the policy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thinktime._core import Distribution
from thinktime.candidates.idle import alone, idle_share
from thinktime.candidates.policies import Policy, Timeline
from thinktime.candidates.strain import haunted
from thinktime.candidates.survival import Survival, survival
from thinktime.candidates.visits import Numbers, Visits
from thinktime.learn.logs.requests import Requests
from thinktime.learn.server.bypass import kinds_beside
from thinktime.learn.server.choice import Choice, choose_policy
from thinktime.learn.server.estimate import ALL, Estimate, coarse, estimate_of, least
from thinktime.learn.server.laws import Law, law_of, unknown
from thinktime.learn.server.visits import server_visits

FEW = 100
"""With fewer demands of a kind its mean is not known well."""

MISSING_MAX = 0.1
"""If more than this share of demands is unseen, the largest ones, the others say too little."""

SURE, FAIR = 0.02, 0.05
"""Relative standard errors of a mean, up to which it is known well, or fairly."""


BESIDE = "beside"
"""The source of the demand of a kind that does not queue."""


@dataclass(frozen=True)
class Demand:
    """The demand of requests of one kind."""

    name: str
    requests: int
    """The number of the log's requests of this kind that were served."""

    mean_s: float
    standard_error_s: float
    seen: int
    """The number of demands that were seen to their end."""

    law: Law
    source: str
    """`policy` (it follows from the policy), `nearest` (of requests that were alone, or from the
    nearest policy), `durations` (the demand may be less), `others` (the mean of other kinds),
    `given`, or `BESIDE` (a delay: these requests pass the queue)."""

    confidence: str
    """`high`, `fair` or `low`."""


@dataclass(frozen=True)
class Server:
    """A model of the server."""

    demands: tuple[Demand, ...]
    estimate: Estimate
    """The policy and the workers, and how surely they are known."""

    idle_share: float
    """The share of the time without any request."""

    span_s: float
    work_s: float
    """The demands of all requests that queue together, in seconds."""

    up_to: float | None = None
    """The requests a second up to which all models that explain the log agree; None if that was not
    asked for, or is not known."""

    @property
    def served(self) -> tuple[Demand, ...]:
        """The demands of the kinds that queue."""
        return tuple(one for one in self.demands if one.source != BESIDE)

    @property
    def beside(self) -> tuple[Demand, ...]:
        """The delays of the kinds that pass the queue."""
        return tuple(one for one in self.demands if one.source == BESIDE)

    @property
    def confidence(self) -> str:
        """How surely the model is known: `high`, `fair` or `low`."""
        errors = [one.requests * one.standard_error_s for one in self.served if one.seen]
        relative = math.hypot(*errors) / self.work_s if self.work_s > 0 else math.inf
        return least(self.estimate.confidence, _level(relative))

    @property
    def guesses(self) -> tuple[str, ...]:
        """The parts of the model that the log does not show: `policy`, `servers`, `demands`."""
        return self.estimate.guesses

    @property
    def workers(self) -> int:
        """The number of workers: never fewer than the work needs."""
        return self.estimate.workers

    @property
    def policy(self) -> str:
        """The policy's name in a system file."""
        return self.estimate.policy

    @property
    def demand_s(self) -> float:
        """The mean demand of the requests that queue, in seconds."""
        return self.work_s / max(sum(one.requests for one in self.served), 1)

    @property
    def load(self) -> float:
        """The share of the time that a worker was busy."""
        return self.work_s / (self.span_s * self.workers) if self.span_s > 0 else 0.0


def learn_server(
    requests: Requests, kind: Numbers, names: Sequence[str], *, demand: str | None = None
) -> Server | None:
    """Learn a model of the server from the durations in a log.

    ``kind`` is the kind of each row of ``requests``, a place in ``names``, or -1. ``demand`` is a
    distribution for all kinds, if the log has no durations, as in "exp(5ms)".

    None if there are no durations, and no demand was given.
    """
    log = server_visits(requests, kind)
    if not len(log):
        return _given(requests, kind, names, demand) if demand is not None else None
    queue, choice = _queue(log, len(names))
    estimate = estimate_of(queue, choice)
    laws = demands_under(queue, Policy("idle", 0) if choice is None else choice.policy, len(names))
    if choice is not None and not choice.explains:
        both = zip(alone(queue, len(names)), laws, strict=True)
        laws = [one if _enough(one) else law for one, law in both]
    counts = np.bincount(queue.kind[queue.kind >= 0], minlength=len(names))
    work = sum(float(count) * law.mean for count, law in zip(counts, laws, strict=True))
    known_count = sum(float(count) for count, law in zip(counts, laws, strict=True) if law.seen)
    found = [
        _demand(names[n], int(counts[n]), laws[n], estimate, log.step_s, work)
        if laws[n].seen
        else _unseen(names[n], int(counts[n]), work / known_count if known_count else 0.0)
        for n in range(len(names))
    ]
    work_s = sum(one.requests * one.mean_s for one in found)
    for n in set(log.kind[log.kind >= 0].tolist()) - set(queue.kind.tolist()):
        found[n] = _delay(names[n], log.part(log.kind == n))
    return Server(tuple(found), estimate, idle_share(log), requests.span_s, work_s)


def _queue(log: Visits, kinds: int) -> tuple[Visits, Choice | None]:
    """The requests that queue, and the policies that explain their durations."""
    while True:
        choice = None if coarse(log) else choose_policy(log, alone(log, kinds))
        passing = kinds_beside(log, choice.policy, kinds) if choice is not None else []
        if not passing:
            return log, choice
        log = log.part(~np.isin(log.kind, passing))


def demands_under(log: Visits, policy: Policy, kinds: int) -> list[Survival]:
    """The laws of the demands by kind, if the server has this policy."""
    values, clean = Timeline.of(log).demands(policy), ~haunted(log)
    return [
        survival(values[clean & (log.kind == n)], log.over[clean & (log.kind == n)])
        for n in range(kinds)
    ]


def _demand(
    name: str, requests: int, law: Survival, estimate: Estimate, step_s: float, work_s: float
) -> Demand:
    error = law.standard_error
    relative = error / law.mean if law.mean > 0 else np.inf
    enough = law.seen >= FEW and law.missing <= FAIR
    confidence = least(_level(relative) if enough else "low", estimate.confidence)
    notation = law_of(law, step_s, requests * law.mean / work_s if work_s > 0 else 0.0)
    source = "policy" if estimate.choice is not None else "durations"
    if estimate.choice is not None and not estimate.choice.explains:
        source = "nearest"
    return Demand(name, requests, law.mean, error, law.seen, notation, source, confidence)


def _delay(name: str, log: Visits) -> Demand:
    """The delay of a kind that passes the queue: its durations."""
    law = survival(log.duration_s, log.over)
    known = _level(law.standard_error / law.mean) if law.seen >= FEW and law.mean > 0 else "low"
    notation = law_of(law, log.step_s, 1.0)
    return Demand(name, len(log), law.mean, law.standard_error, law.seen, notation, BESIDE, known)


def _enough(alone: Survival) -> bool:
    """Whether the requests that were alone show the law of demands."""
    return alone.seen >= FEW and alone.missing < MISSING_MAX


def _level(relative: float) -> str:
    """How surely a mean with this relative standard error is known."""
    if relative <= SURE:
        return "high"
    return "fair" if relative <= FAIR else "low"


def _unseen(name: str, requests: int, mean_s: float) -> Demand:
    """A kind without any request served to its end: it has the demand of the others."""
    law = unknown(mean_s, "none was seen to its end: the mean of the others")
    return Demand(name, requests, mean_s, np.inf, 0, law, "others", "low")


def _given(requests: Requests, kind: Numbers, names: Sequence[str], demand: str) -> Server:
    mean = Distribution(demand).mean
    law = Law(demand, "given")
    counts = np.bincount(kind[kind >= 0], minlength=len(names))
    found = tuple(
        Demand(name, int(count), mean, 0.0, 0, law, "given", "low")
        for name, count in zip(names, counts, strict=True)
    )
    work = float(counts.sum() * mean)
    workers = max(math.ceil(work / requests.span_s), 1) if requests.span_s > 0 else 1
    why = "The log has no durations: the demand was given, policy and workers are guesses."
    estimate = Estimate("ps", workers, "low", ALL, (why,), coarse=True)
    return Server(found, estimate, 0.0, requests.span_s, work)
