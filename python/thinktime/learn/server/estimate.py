"""What a log shows of a server's policy and number of workers, how surely, and what it hides."""

from __future__ import annotations

from dataclasses import dataclass, replace

from thinktime.candidates.policies import Timeline
from thinktime.candidates.visits import Visits
from thinktime.learn.server.choice import Choice
from thinktime.present import units

COARSE = 0.5
"""Stamps in steps longer than this part of the mean duration do not show which request was
alone."""

LEVELS = ("low", "fair", "high")
"""How surely something is known, from the least on."""

ALL = ("policy", "servers", "demands")
"""The parts of a model that may be guesses."""


@dataclass(frozen=True)
class Estimate:
    """The policy and the workers, as far as the log shows them."""

    policy: str
    """The policy's name in a system file."""

    workers: int
    confidence: str
    """One of `LEVELS`."""

    guesses: tuple[str, ...]
    """The parts of `ALL` that the log does not show."""

    reasons: tuple[str, ...]
    """The source of policy and workers, and the unknowns, in sentences."""

    choice: Choice | None = None
    """The policies that explain the durations; None if the log does not show any."""

    coarse: bool = False
    """Whether finer stamps, or durations, would show more."""

    def doubted(self, why: str) -> Estimate:
        """The estimate with a low confidence, for this reason."""
        return replace(self, confidence="low", reasons=(why, *self.reasons))

    def beside(self, other: str) -> Estimate:
        """The estimate if another server explains the log as well, in words."""
        guesses = tuple(one for one in ALL if one in {*self.guesses, "policy", "servers"})
        why = f"Another server explains the log as well: {other}. {self.reasons[0]}"
        level = least(self.confidence, "fair")
        return replace(self, confidence=level, guesses=guesses, reasons=(why, *self.reasons[1:]))


def coarse(log: Visits) -> bool:
    """Whether stamps are too coarse to show which requests were served at once."""
    return log.stamp_s > COARSE * float(log.duration_s.mean())


def estimate_of(log: Visits, choice: Choice | None) -> Estimate:
    """The estimate from a log, given the policy that explains it best."""
    if choice is None:
        rough = coarse(log)
        why = (
            f"Stamps in steps of {log.stamp_s:g} s do not show which requests were served at once."
            if rough
            else "Too few requests found others at the server, or too few found it idle."
        )
        also = (
            "Policy, servers and demands are guesses: each request has a worker for itself, and "
            "its demand is its duration, with the waiting in it."
        )
        most = int(Timeline.of(log).present.max())
        return Estimate("ps", most, "low", ALL, (why, also), coarse=rough)
    policy, (low, high) = choice.policy, choice.workers_range
    if policy.name == "idle":
        why = (
            f"Durations do not grow with the number of requests, up to {policy.workers}: there are "
            "at least this many workers, or the time is not spent at this server."
        )
        return Estimate("ps", policy.workers, "fair", ("policy", "servers"), (why,), choice)
    best = f"{policy.name} with {units.counted(policy.workers, 'worker')}"
    if not choice.explains:
        why = (
            f"No policy explains the durations; {best} is the nearest, "
            f"{units.percent(choice.distance)} off."
        )
        return Estimate(policy.name, policy.workers, "low", ALL, (why,), choice)
    why = (
        f"Under {best}, requests that found many others have the demands of those that found few "
        f"or no others, within {units.percent(choice.distance)} of {choice.compared:,} requests; "
        f"the next best, {choice.other}."
    )
    why += f" {low} to {high} workers explain it as well." if low < high else ""
    why += "" if choice.exact else " That is more than chance: the server is only similar."
    sure = choice.exact and {one.name for one in choice.alike} == {policy.name}
    guesses = (() if sure else ("policy",)) + (() if sure and low == high else ("servers",))
    level = "fair" if guesses else "high"
    return Estimate(policy.name, policy.workers, level, guesses, (why,), choice)


def least(*levels: str) -> str:
    """The least of several levels of confidence."""
    return min(levels, key=LEVELS.index)
