"""Changes in words, with their units."""

from __future__ import annotations

from thinktime.comparison.change import Change
from thinktime.present import units

NAMES = {"mean": "the mean", "throughput": "throughput", "errors": "the share of errors"}


def name(figure: str) -> str:
    """A figure as the subject of a sentence."""
    return NAMES.get(figure, figure)


def sentence(change: Change, of: str = "") -> str:
    """As in 'p99 rose by 4.1 to 6.3 ms (12 to 19 %)', without a full stop.

    If the second result is of another kind than the first, `of` names it (`simulation` or `run`):
    then one is higher than the other, and nothing rose or fell.
    """
    subject = name(change.figure)
    if of:
        subject = f"the {of}'s {subject.removeprefix('the ')}"
    if change.low == change.high == 0:
        return f"{subject} is the same"
    relative = relative_range(change)
    more = f" ({relative})" if relative else ""
    by = difference_range(change)
    if not change.significant:
        return f"{subject} {'differs' if of else 'changed'} by {by}{more}"
    if of:
        return f"{subject} is {by} {'higher' if change.low > 0 else 'lower'}{more}"
    return f"{subject} {'rose' if change.low > 0 else 'fell'} by {by}{more}"


def late(change: Change) -> str:
    """The difference may be due to this alone: how much later or less late the generator was."""
    certain = not change.significant or change.by_server
    return "" if certain else f", {lateness(change)}"


def lateness(change: Change) -> str:
    """How much later or less late the generator was."""
    word = "more" if change.late > 0 else "less"
    return f"but the generator itself was late by {units.seconds(abs(change.late))} {word}"


def difference_range(change: Change) -> str:
    """The interval of the difference, without its sign if it is the same throughout."""
    return _range(change.figure, *_ends(change.low, change.high, change.significant), False)


def signed_range(change: Change) -> str:
    """The interval of the difference with its signs."""
    return _range(change.figure, change.low, change.high, True)


def relative_range(change: Change) -> str:
    """The interval of the relative difference, in percent; empty if there is none."""
    low, high = change.ratio_low, change.ratio_high
    if low is None or high is None:
        return signed_relative(change)
    ends = _ends(low, high, change.significant)
    return _percents(*ends, signed=not change.significant)


def signed_relative(change: Change) -> str:
    """The interval of the relative difference with its signs; empty if there is none."""
    low, high = change.ratio_low, change.ratio_high
    if low is not None and high is not None:
        return _percents(low, high, signed=True)
    if low is not None:
        return f"at least {_percents(low, low, signed=True)}"
    return "" if high is None else f"at most {_percents(high, high, signed=True)}"


def value(figure: str, amount: float) -> str:
    """A figure's own value."""
    if figure == "errors":
        return units.percent(amount)
    return units.rate(amount) if figure == "throughput" else units.seconds(amount)


def _range(figure: str, low: float, high: float, signed: bool) -> str:
    signed = signed or low < 0
    if figure == "errors":
        return f"{units.numbers_between(100 * low, 100 * high, signed)} percentage points"
    if figure == "throughput":
        return f"{units.numbers_between(low, high, signed)}/s"
    return units.times_between(low, high, signed)


def _percents(low: float, high: float, *, signed: bool) -> str:
    return f"{units.numbers_between(100 * low, 100 * high, signed)} %"


def _ends(low: float, high: float, certain: bool) -> tuple[float, float]:
    """Both ends; if a word gives the sign, their sizes, the smaller first."""
    return (-high, -low) if certain and high < 0 else (low, high)
