"""Limits of changes, as in `p99 > +5%`: which fail, which hold, and which cannot be judged."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Literal

from thinktime import _core
from thinktime.comparison import words
from thinktime.comparison.change import Change
from thinktime.comparison.comparison import Comparison
from thinktime.comparison.estimate import FIGURES, Missing
from thinktime.present import units

Outcome = Literal["held", "broken", "cannot tell"]

_FORM = re.compile(r"\s*([\w.]+)\s*([<>])\s*([+-])\s*(\d+\.?\d*|\.\d+)\s*(%|/s|[a-zµ]+)\s*")
_TIMES_S = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
_LONGEST = 1000.0
"""A run that would have to be this many times as long is not proposed."""


@dataclass(frozen=True)
class Limit:
    """A change that fails: one above or below a value."""

    text: str
    """The limit's text."""

    figure: str
    above: bool
    """Whether changes above the value fail; otherwise those below it."""

    value: float
    """The value in seconds, requests a second or shares of 1."""

    relative: bool
    """Whether the value is a share of the first result's figure."""


@dataclass(frozen=True)
class LimitFinding:
    """A limit, and the verdict of the results on it."""

    limit: Limit
    outcome: Outcome
    words: str
    times_as_long: float | None = None
    """How many times as long both runs would have to be for a verdict, as far as that is known.

    Only the one that lacks the figure, if the other one has it.
    """

    def as_dict(self) -> dict[str, Any]:
        """The verdict as `--json` prints it."""
        return {
            "limit": self.limit.text,
            "outcome": self.outcome,
            "words": self.words,
            "times_as_long": self.times_as_long,
        }


def limit(text: str) -> Limit:
    """Read a limit such as `p99 > +5%`, `mean > +10ms`, `throughput < -5%` or `errors > +1%`.

    A percentage is relative to the first result; that of errors is in points of their share.

    Raises:
        InputError: if it is no limit; the message gives the right form.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        right = "as in 'p99 > +5%', with the sign of the change"
        raise _core.InputError(f"'{text}': write a figure, > or <, and a change, {right}")
    figure, mark, sign, number, unit = found.groups()
    if figure not in FIGURES:
        raise _core.InputError(
            f"'{text}': '{figure}' is no figure here; write one of {units.listed(list(FIGURES))}"
        )
    factor = _factor(figure, unit)
    if factor is None:
        right = {"errors": "%", "throughput": "% or /s"}.get(figure, "%, ns, us, ms, s or min")
        raise _core.InputError(f"'{text}': the unit '{unit}' does not fit {figure}: {right}")
    value = float(f"{sign}{number}") * factor
    if not math.isfinite(value):
        raise _core.InputError(f"'{text[:60]}...': the change is too large")
    if unit == "%" and (value < -1 or (figure == "errors" and value > 1)):
        least = "-100% on: nothing falls by more than all of it"
        right = "-100% to +100%: it is a share of all requests" if figure == "errors" else least
        raise _core.InputError(
            f"'{text}': no change of {figure} is so large: give one from {right}"
        )
    return Limit(text, figure, mark == ">", value, unit == "%" and figure != "errors")


def _factor(figure: str, unit: str) -> float | None:
    if unit == "%":
        return 0.01
    if figure == "errors":
        return None
    if figure == "throughput":
        return 1.0 if unit == "/s" else None
    return _TIMES_S.get(unit)


def judged(limit: Limit, comparison: Comparison) -> LimitFinding:
    """Whether a comparison breaks a limit: only if the whole interval is beyond it."""
    found = comparison.changes[limit.figure]
    if isinstance(found, Missing):
        why = f"{limit.text}: cannot tell: {found.reason}"
        advice = _longer(found.times_as_long, comparison, found.result)
        return LimitFinding(limit, "cannot tell", why + advice, found.times_as_long)
    low, high, middle = _in_its_terms(limit, found)
    sentence = comparison.sentence(found)
    outcome = _outcome(limit, low, high)
    late = found.late / found.before if limit.relative and found.before else found.late
    punctual = _outcome(limit, *(None if one is None else one - late for one in (low, high)))
    if outcome != "cannot tell" and outcome == punctual:
        return LimitFinding(limit, outcome, f"{limit.text}: {outcome}: {sentence}")
    if outcome != "cannot tell":
        why = f"{limit.text}: cannot tell: {sentence}, {words.lateness(found)}"
        return LimitFinding(limit, "cannot tell", why)
    longer = _times_as_long(limit.value, low, middle, high)
    why = f"{limit.text}: cannot tell: {sentence}{_longer(longer, comparison)}"
    return LimitFinding(limit, "cannot tell", why, longer)


def _outcome(limit: Limit, low: float | None, high: float | None) -> Outcome:
    if low is None or high is None:
        return "cannot tell"
    if (low > limit.value) if limit.above else (high < limit.value):
        return "broken"
    return "held" if (high <= limit.value if limit.above else low >= limit.value) else "cannot tell"


def _in_its_terms(limit: Limit, found: Change) -> tuple[float | None, float | None, float]:
    """The interval and the middle of the change, in the limit's unit."""
    if not limit.relative:
        return found.low, found.high, found.value
    middle = found.value / found.before if found.before else 0.0
    return found.ratio_low, found.ratio_high, middle


def _times_as_long(
    value: float, low: float | None, middle: float, high: float | None
) -> float | None:
    """The factor of run time that leaves the value out: intervals shrink with the root of time."""
    end = low if middle > value else high
    if end is None or middle == value:
        return None
    return max(((end - middle) / (value - middle)) ** 2, 1.0)


def _longer(
    factor: float | None, comparison: Comparison, only: Literal["first", "second"] | None = None
) -> str:
    if factor is None or not math.isfinite(factor):
        return ""
    if factor > _LONGEST:
        return "; no run that is 1000 times as long would tell"
    factor = 1.1 * max(factor, 1.0)  # a little more than just enough
    if only is None and comparison.replicated:
        return (
            f"; about {units.factor(factor)} times as many replications would tell, if the "
            "difference stays the same"
        )
    lengths_s = {"first": comparison.before.duration_s, "second": comparison.after.duration_s}
    length_s = max(lengths_s.values()) if only is None else lengths_s[only]
    runs, each = ("runs", " each") if only is None else (f"a {only} run", "")
    length = f" ({units.seconds(factor * length_s, 2)}{each})" if length_s else ""
    return (
        f"; {runs} about {units.factor(factor)} times as long{length} would tell, if the "
        "difference stays the same"
    )
