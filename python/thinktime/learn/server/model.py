"""A model of the server that wrote a log: the demand of each kind of request, and the policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thinktime._core import Distribution
from thinktime.learn.logs.requests import Requests
from thinktime.learn.server.choice import Choice, choose_coarse, choose_policy, neighbours
from thinktime.learn.server.comparison import haunted
from thinktime.learn.server.idle import alone, idle_share
from thinktime.learn.server.laws import Law, law_of, unknown
from thinktime.learn.server.policies import Timeline
from thinktime.learn.server.survival import Survival, survival
from thinktime.learn.server.visits import Mask, Numbers, ServerVisits, server_visits

FEW = 100
"""With fewer demands of a kind its mean is not known well."""

MISSING_MAX = 0.1
"""If more than this share of demands is unseen, the largest ones, the others say too little."""

SURE, FAIR = 0.02, 0.05
"""Relative standard errors of a mean, up to which it is known well, or fairly."""

COARSE = 0.5
"""Stamps in steps longer than this part of the mean duration do not show which request was
alone."""


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
    """`all` (the demands of all requests follow from the policy), `idle` (of those that found the
    server idle), `quiet` (durations in the quietest times: the demand may be less) or `given`."""

    confidence: str
    """`high`, `fair` or `low`."""


@dataclass(frozen=True)
class Server:
    """A model of the server."""

    demands: tuple[Demand, ...]
    choice: Choice | None
    """The policy that explains the durations; None if the log does not show one."""

    policy: str
    """The policy's name in a system file."""

    workers: int
    idle_share: float
    """The share of the time without any request."""

    span_s: float
    work_s: float
    """The demands of all requests together, in seconds."""

    reasons: tuple[str, ...]
    """The source of policy and workers, and the unknowns, in sentences."""

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
    alone_laws = alone(log, len(names))
    coarse = log.stamp_s > COARSE * float(log.duration_s.mean())
    choice = choose_coarse(log, len(names)) if coarse else choose_policy(log, alone_laws)
    laws, source = _laws(log, alone_laws, choice, len(names), coarse)
    counts = np.bincount(log.kind[log.kind >= 0], minlength=len(names))
    work = sum(float(count) * law.mean for count, law in zip(counts, laws, strict=True))
    known_count = sum(float(count) for count, law in zip(counts, laws, strict=True) if law.seen)
    found = tuple(
        _demand(names[n], int(counts[n]), laws[n], source[n], log.step_s, work)
        if laws[n].seen
        else _unseen(names[n], int(counts[n]), work / known_count if known_count else 0.0)
        for n in range(len(names))
    )
    workers, policy, reasons = _verdict(log, choice, coarse)
    return Server(
        demands=found,
        choice=choice,
        policy=policy,
        workers=workers,
        idle_share=idle_share(log),
        span_s=requests.span_s,
        work_s=sum(one.requests * one.mean_s for one in found),
        reasons=reasons,
    )


def _laws(
    log: ServerVisits, alone_laws: list[Survival], choice: Choice | None, kinds: int, coarse: bool
) -> tuple[list[Survival], list[str]]:
    if choice is not None and choice.explains:
        values, clean = Timeline.of(log).demands(choice.policy), ~haunted(log)
        return [
            survival(values[clean & (log.kind == n)], log.over[clean & (log.kind == n)])
            for n in range(kinds)
        ], ["all"] * kinds
    quiet = _quiet(log)
    laws, source = [], []
    for n, one in enumerate(alone_laws):
        enough = one.seen >= FEW and one.missing < MISSING_MAX
        own = log.kind == n
        own = own & quiet if (own & quiet).sum() >= 5 else own
        laws.append(one if enough else survival(log.duration_s[own], log.over[own]))
        source.append("idle" if enough else "quiet")
    return laws, source


def _quiet(log: ServerVisits) -> Mask:
    """The tenth of the requests with the fewest others about the time of their arrival."""
    others = neighbours(log)
    return np.asarray(others <= np.quantile(others, 0.1))


def _demand(
    name: str, requests: int, law: Survival, source: str, step_s: float, work_s: float
) -> Demand:
    error = law.standard_error
    relative = error / law.mean if law.mean > 0 else np.inf
    if source == "quiet" or law.seen < FEW or relative > FAIR or law.missing > FAIR:
        confidence = "low"
    else:
        confidence = "high" if relative <= SURE else "fair"
    notation = law_of(law, step_s, requests * law.mean / work_s if work_s > 0 else 0.0)
    return Demand(name, requests, law.mean, error, law.seen, notation, source, confidence)


def _unseen(name: str, requests: int, mean_s: float) -> Demand:
    """A kind without any request served to its end: it has the demand of the others."""
    law = unknown(mean_s, "none was seen to its end: the mean of the others")
    return Demand(name, requests, mean_s, np.inf, 0, law, "quiet", "low")


def _verdict(
    log: ServerVisits, choice: Choice | None, coarse: bool
) -> tuple[int, str, tuple[str, ...]]:
    """Workers, policy and their source."""
    if choice is None:
        why = (
            f"Stamps in steps of {log.stamp_s:g} s do not show which requests were served at once."
            if coarse
            else "Too few requests found others at the server, or too few found it idle."
        )
        return 1, "ps", (why, "Policy and number of workers are not known: these are guesses.")
    low, high = choice.workers_range
    if choice.policy.name == "idle":
        return (
            choice.policy.workers,
            "ps",
            (
                "Durations do not grow with the number of requests, up to "
                f"{choice.policy.workers}: there are at least this many workers, or the time is "
                "not spent at this server.",
            ),
        )
    best = f"{choice.policy.name} with {choice.policy.workers}"
    if not choice.explains:
        why = f"No policy explains the durations; {best} is the nearest, {choice.distance:.1%} off."
        return choice.policy.workers, choice.policy.name, (why,)
    why = (
        f"Under {best} requests that found many others have the demands of those that found few or "
        f"no others, within {choice.distance:.1%} of {choice.compared:,} requests"
    )
    why += f"; the next best, {choice.other}." if choice.other else "."
    if low < high:
        why += f" {low} to {high} workers explain it as well."
    return choice.policy.workers, choice.policy.name, (why,)


def _given(requests: Requests, kind: Numbers, names: Sequence[str], demand: str) -> Server:
    mean = Distribution(demand).mean
    law = Law(demand, "given")
    counts = np.bincount(kind[kind >= 0], minlength=len(names))
    found = tuple(
        Demand(name, int(count), mean, 0.0, 0, law, "given", "low")
        for name, count in zip(names, counts, strict=True)
    )
    work = float(counts.sum() * mean)
    why = "The log has no durations: the demand was given, policy and workers are guesses."
    return Server(found, None, "ps", 1, 0.0, requests.span_s, work, (why,))
