"""Whether a simulated server that was learned from a log is known at the rate of a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from thinktime.present import units

if TYPE_CHECKING:
    from thinktime._core import System, Workload
    from thinktime._core_types import Summary

BEYOND = 0.05
"""A rate that is higher by no more than this part may be higher by chance."""


class Simulated(Protocol):
    """A result, or its evidence."""

    @property
    def kind(self) -> str:
        """`simulate` or `run`."""

    @property
    def system(self) -> System | None:
        """The simulated system."""

    @property
    def workload(self) -> Workload:
        """The workload."""

    @property
    def summary(self) -> Summary:
        """The summary."""


def words_of(system: System | None) -> str:
    """Whence the server is known, and how far; empty if it was not learned from a log."""
    learned = None if system is None else system.learned
    if learned is None:
        return ""
    words = f"the server was learned from {learned['from'] or 'a log'}"
    if learned["confirmed"]:
        return f"{words}, and confirmed"
    guesses = f" (guessed: {', '.join(learned['guesses'])})" if learned["guesses"] else ""
    up_to = learned["up_to"]
    if up_to is not None:
        return f"{words}{guesses}, which shows it up to {units.rate(up_to, 'requests/s')}"
    known = (
        "which does not show it at any rate" if learned["confidence"] == "low" else "which shows it"
    )
    return f"{words}{guesses}, {known}"


def doubt_of(one: Simulated) -> str | None:
    """Why a simulation is not to be trusted; None if it is, or the server was not learned."""
    # Populations of clients have no rate of their own.
    rate = one.workload.request_rate or float(one.summary.get("offered_rate") or 0.0)
    return doubt_at(one.system, rate) if one.kind == "simulate" else None


def doubt_at(system: System | None, rate: float) -> str | None:
    """Why a system is not known at this rate of requests a second; None if it is."""
    learned = None if system is None else system.learned
    if learned is None or learned["confirmed"]:
        return None
    up_to = learned["up_to"]
    if up_to is None:
        return words_of(system) + _why(learned) if learned["confidence"] == "low" else None
    if rate <= up_to * (1 + BEYOND):
        return None
    return f"{words_of(system)}, and here are more{_why(learned)}"


def _why(learned: Mapping[str, Any]) -> str:
    """The reason in the file, as a further part of a sentence."""
    reason = (learned["reason"] or "").rstrip(".")
    return f": {reason[0].lower()}{reason[1:]}" if reason and learned["guesses"] else ""
