"""How much a dispatch policy's figures differ from another's, in words."""

from __future__ import annotations

from thinktime.comparison import Change
from thinktime.present import units

_TIMES_MAX = 100
"""A ratio that may be larger than this counts as unknown."""


def figure_words(figure: str) -> str:
    """A figure as the subject of a sentence: 'the mean page response time'."""
    name = figure.removeprefix("page ")
    pages = figure != name
    if name == "errors":
        return "the share of failed pages" if pages else "the share of errors"
    return f"the {name} {'page ' if pages else ''}response time"


def more_words(found: Change) -> str:
    """As in '12 to 19 % more', or that there is no difference."""
    low, high = found.ratio_low, found.ratio_high
    if not found.significant:
        return f"not different beyond chance ({less_to_more(found)})"
    word = "more" if found.low > 0 else "less"
    if low is None or high is None:
        return word
    low, high = (low, high) if found.low > 0 else (-high, -low)
    if high >= _TIMES_MAX:
        return f"at least {units.numbers_between(100 * low, 100 * low)} % {word}"
    return f"{units.numbers_between(100 * low, 100 * high)} % {word}"


def less_to_more(found: Change) -> str:
    """As in '24 % less to 560 % more'."""
    low, high = found.ratio_low, found.ratio_high
    if low is None or high is None:
        return "not known"
    if low > 0 or high < 0:
        return more_words(found)
    far = f"{_percent(high)} more"
    if high >= _TIMES_MAX:
        far = f"more than {_TIMES_MAX} times as much"
    return f"{_percent(low)} less to {far}"


def _percent(share: float) -> str:
    return units.percent(abs(share), 2)
