"""The verdict on a result: its objectives, one sentence, and one exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol

from thinktime.present import units
from thinktime.results.objective_words import SHARES

if TYPE_CHECKING:
    from thinktime._core_types import Summary

Met = Literal["met", "not met", "cannot tell"]
"""The verdict on an objective: the side of the limit on which the 95 % interval of its figure
lies."""


UNJUDGED = "nothing is judged: the workload sets no objective, [slo]"
"""Said of a result whose status is `done`."""

EVERY_FAILED = "every request failed"
"""The core's doubt of a run without a success."""


class Exit(IntEnum):
    """Exit statuses."""

    DONE = 0
    SLO_NOT_MET = 1
    INPUT_WRONG = 2
    UNDECIDED = 3
    """Nothing can be decided: it failed, was interrupted, is not to be trusted, or too short."""


@dataclass(frozen=True)
class Objective:
    """One objective of a workload, and a result's verdict on it."""

    name: str
    """Its key in the workload file, as in `p99`, `page_p99`, `errors` or `checks`."""

    of: str | None
    """The population, request or check that it is about; None if it is about all."""

    limit: float
    """The largest time in seconds or share that fails; the least share of checks that pass."""

    value: float | None
    """The found value, in the same unit; None without one."""

    interval: tuple[float, float] | None
    """The 95 % confidence interval of the value; None if the data cannot bound it."""

    verdict: Met

    words: str
    """All of that, as in `p99 is 312 ms (298 ms to 330 ms), wanted 250 ms or less`."""

    @classmethod
    def of_summary(cls, found: Mapping[str, Any]) -> Objective:
        """In the form of `summary.json`."""
        interval = found["interval"]
        return cls(**{**found, "interval": None if interval is None else tuple(interval)})


@dataclass(frozen=True)
class Verdict:
    """The verdict on a result."""

    status: Literal["done", "met", "not met", "cannot tell", "not to be trusted"]
    """`done` if it has no objective and nothing is wrong."""

    sentence: str
    """The finding, and its reasons; empty if the status is `done`."""

    doubt: str = ""
    """Why the result is not to be trusted, if it is not."""

    reason: str = ""
    """The finding beneath the status, without the words that say the status again."""

    besides: str = ""
    """What was found besides."""

    @property
    def exit_status(self) -> Exit:
        """The exit status of the command that made the result."""
        if self.status in ("done", "met"):
            return Exit.DONE
        return Exit.SLO_NOT_MET if self.status == "not met" else Exit.UNDECIDED

    def unwritten(self, why: str | None) -> Verdict:
        """The verdict on a result that could not be written, and why; itself if it could.

        The finding stands beside the doubt, and the status is that of the doubt.
        """
        if not why:
            return self
        doubt = f"the result could not be written: {why}"
        return Verdict("not to be trusted", _joined(doubt, self.sentence), doubt)

    def interrupted(self) -> Verdict:
        """The verdict on a whole result, if Ctrl-C came before all of it was shown.

        The finding stands beside it.
        """
        doubt = "interrupted after the end: the result is whole"
        return Verdict("not to be trusted", _joined(doubt, self.sentence), doubt)


class VerdictInput(Protocol):
    """The evidence of a verdict."""

    @property
    def summary(self) -> Summary:
        """The figures."""

    @property
    def objectives(self) -> Sequence[Objective]:
        """The verdict on each objective."""

    @property
    def untrusted(self) -> str | None:
        """Why it is not to be trusted; None if it is."""

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped before its end."""


def verdict_of(result: VerdictInput) -> Verdict:
    """The verdict on a result."""
    lost = _words(result.objectives, "not met")
    unclear = _words(result.objectives, "cannot tell")
    missed = f"the SLO is not met: {lost}" if lost else ""
    doubt = _doubt(result)
    if doubt:
        # The finding stands beside the doubt, and the status is that of the doubt.
        reason = doubt if result.untrusted is None or result.interrupted else result.untrusted
        return Verdict("not to be trusted", _joined(doubt, missed), doubt, reason, missed)
    few = survivors(result.summary)
    if missed:
        return Verdict("not met", _joined(missed, few), reason=lost, besides=few)
    if unclear:
        words = f"it cannot be told whether the SLO is met: {unclear}"
        return Verdict("cannot tell", _joined(words, few), reason=unclear, besides=few)
    if result.objectives:
        met = _words(result.objectives, "met")
        return Verdict("met", _joined(f"the SLO is met: {met}", few), reason=met, besides=few)
    return Verdict("done", few)


def survivors(summary: Summary) -> str:
    """That most requests failed, and whose times are shown; empty if most succeeded."""
    requests, failed = summary.get("requests") or 0, summary.get("errors") or 0
    if 2 * failed <= requests:
        return ""
    words = f"{units.count(failed)} of {units.count(requests)} requests failed"
    if failed == requests:
        return words
    left = units.counted(requests - failed, "request")
    return f"{words}, so every time is one of the {left} that survived"


def with_causes(doubt: str | None, summary: Summary) -> str | None:
    """A doubt, with the most frequent cause if it is that every request failed."""
    if doubt != EVERY_FAILED:
        return doubt
    causes: Counter[str] = Counter()
    for one in (summary.get("by_request") or {}).values():
        causes.update(one.get("causes") or {})
    if not causes:
        return doubt
    (first, _), *others = causes.most_common(2)
    return f"{doubt}: {'mostly ' if others else ''}{first}"


def _doubt(result: VerdictInput) -> str:
    if result.interrupted:
        return "interrupted: the result is that up to then"
    return "" if result.untrusted is None else f"not to be trusted: {result.untrusted}"


def _joined(*words: str) -> str:
    return "; ".join(filter(None, words))


def _words(objectives: Iterable[Objective], verdict: Met) -> str:
    """Times first: a share that nothing threatens says less."""
    found = (one for one in objectives if one.verdict == verdict)
    return "; ".join(one.words for one in sorted(found, key=lambda one: one.name in SHARES))
