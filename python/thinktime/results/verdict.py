"""What a result comes to: how its objectives were met, one sentence, and one exit status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal, Protocol

Met = Literal["met", "not met", "cannot tell"]
"""Of an objective: on which side of the limit the 95 % interval of its figure lies."""


class Exit(IntEnum):
    """Exit statuses."""

    DONE = 0
    SLO_NOT_MET = 1
    INPUT_WRONG = 2
    UNDECIDED = 3
    """Nothing can be decided: it failed, was interrupted, is not to be trusted, or too short."""


@dataclass(frozen=True)
class Objective:
    """One objective of a workload, and what a result says of it."""

    name: str
    """Its key in the workload file, as in `p99`, `page_p99`, `errors` or `checks`."""

    of: str | None
    """The population, request or check that it is about; None where it is about all."""

    limit: float
    """The largest time in seconds or share that fails; the least share of checks that pass."""

    value: float | None
    """What was found, in the same unit; None where nothing was."""

    interval: tuple[float, float] | None
    """The 95 % confidence interval of the value; None where the data cannot bound it."""

    verdict: Met

    words: str
    """All of that, as in `p99 is 312 ms (298 ms to 330 ms), wanted 250 ms or less`."""

    @classmethod
    def of_summary(cls, found: Mapping[str, Any]) -> Objective:
        """As it stands in `summary.json`."""
        interval = found["interval"]
        return cls(**{**found, "interval": None if interval is None else tuple(interval)})


@dataclass(frozen=True)
class Verdict:
    """What a result comes to."""

    status: Literal["done", "met", "not met", "cannot tell", "not to be trusted"]
    """`done` where there is no objective and nothing is wrong."""

    sentence: str
    """What was found, and why; empty where the status is `done`."""

    doubt: str = ""
    """Why the result is not to be trusted, if it is not."""

    @property
    def exit_status(self) -> Exit:
        """The status with which a command ends that gave the result."""
        if self.status in ("done", "met"):
            return Exit.DONE
        return Exit.SLO_NOT_MET if self.status == "not met" else Exit.UNDECIDED


class VerdictInput(Protocol):
    """What a verdict is made of."""

    @property
    def objectives(self) -> Sequence[Objective]:
        """How each objective was met."""

    @property
    def untrusted(self) -> str | None:
        """Why it is not to be trusted; None if it is."""

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped before its end."""


def verdict_of(result: VerdictInput, unwritten: str | None = None) -> Verdict:
    """The verdict of a result; `unwritten` says why it could not be written, if it could not."""
    lost = _words(result.objectives, "not met")
    unclear = _words(result.objectives, "cannot tell")
    missed = f"the SLO is not met: {lost}" if lost else ""
    doubt = _doubt(result, unwritten)
    if doubt:
        # What was found stands beside the doubt, and the status is that of the doubt.
        return Verdict("not to be trusted", "; ".join(filter(None, [doubt, missed])), doubt)
    if missed:
        return Verdict("not met", missed)
    if unclear:
        return Verdict("cannot tell", f"it cannot be told whether the SLO is met: {unclear}")
    if result.objectives:
        return Verdict("met", f"the SLO is met: {_words(result.objectives, 'met')}")
    return Verdict("done", "")


def _doubt(result: VerdictInput, unwritten: str | None) -> str:
    if unwritten is not None:
        return f"the result could not be written: {unwritten}"
    if result.interrupted:
        return "interrupted: the result is that up to then"
    return "" if result.untrusted is None else f"not to be trusted: {result.untrusted}"


def _words(objectives: Iterable[Objective], verdict: Met) -> str:
    return "; ".join(one.words for one in objectives if one.verdict == verdict)
