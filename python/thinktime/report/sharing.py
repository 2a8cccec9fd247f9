"""Whether processor sharing would have been good enough: the table and the sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.machine.processor_sharing import (
    REQUESTS_MIN,
    TOLERANCE,
    Comparison,
    Pair,
    TimeComparison,
    compare,
)
from thinktime.present import percentile, units
from thinktime.present.table import Cell, Line

if TYPE_CHECKING:
    from thinktime import Result

HEADINGS = ("mean", "median", "p95")
"""The columns after the request's name; each time is that under processor sharing."""

_WORDS = {"p50": "median", "p95": "p95"}


def lines(found: Comparison) -> list[Line]:
    """Mean, median and p95 of each request name: under the scheduler, below it as shared."""
    return [
        Line(pair.request, _cells(pair), units.counted(pair.requests, "request"))
        for pair in found.pairs
    ]


def _cells(pair: Pair) -> list[Cell]:
    found = []
    for time in ("mean", "p50", "p95"):
        difference = pair.difference(time)
        words = units.NOTHING if difference is None else units.deviation(difference)
        below = f"{percentile.text(time, pair.shared_s.get(time), pair.requests)}, {words}"
        far = difference is not None and abs(difference) > TOLERANCE
        scheduled = percentile.text(time, pair.scheduled_s.get(time), pair.requests)
        found.append(Cell(scheduled, below, "below" if far else ""))
    return found


def sentence(found: Comparison) -> str:
    """The verdict, and the requests with the largest differences and their directions."""
    if found.why_not:
        return f"Not compared with processor sharing: {found.why_not.rstrip('.')}."
    judged = found.judged
    if not judged:
        return f"Not compared with processor sharing: no request name has {REQUESTS_MIN} responses."
    os = " and ".join(found.os)
    within = units.percent(TOLERANCE)
    if found.good_enough:
        return (
            f"Processor sharing would have been good enough in place of {os}: all medians and "
            f"95th percentiles by request name lie within {within} of the scheduler's, the "
            f"furthest at {_at(judged[0])}."
        )
    far: dict[str, str] = {}
    for one in judged:
        if abs(one.difference) > TOLERANCE:
            far.setdefault(one.pair.request, _comparison_words(one))
    phrases = list(far.values())[:3]
    more = len(far) - len(phrases)
    rest = f"; and {more} more request names differ by more than {within}" if more else ""
    return (
        f"Processor sharing would not have been good enough in place of {os}: it gives "
        f"{'; '.join(phrases)}{rest}."
    )


def note(found: Comparison) -> str:
    """The methods of the two sides, for the table's caption."""
    words = (
        "The same requests on the same machines, with processor sharing in place of the "
        "scheduler: all tasks at once, at equal shares of all cores. Each cell: the time under "
        f"{' and '.join(found.os)}, below it that under processor sharing and how much longer "
        "(+) or shorter (\u2212) it is."
    )
    if found.shortened:
        words += (
            f" Both sides were simulated anew with only {units.count(found.requests)} requests, "
            "so that the scheduler's times differ a little from those above."
        )
    return words


def sentence_of(result: Result) -> str | None:
    """The verdict on a result; None if it has no scheduler to compare with."""
    found = compare(result)
    return None if found is None else sentence(found)


def _at(one: TimeComparison) -> str:
    words = f"the {_WORDS[one.time]} of {one.pair.request}"
    return f"{units.deviation(one.difference)} for {words}"


def _comparison_words(one: TimeComparison) -> str:
    """As in 'page a p95 of 40.0 ms instead of 5.00 ms (8.0 times as long)'."""
    shared, scheduled = one.pair.shared_s[one.time], one.pair.scheduled_s[one.time]
    size = f"{units.deviation(one.difference)}"
    if one.factor >= 2:
        long = "as long" if one.difference > 0 else "shorter"
        size = f"{units.factor(one.factor)} times {long}"
    return (
        f"{one.pair.request} a {_WORDS[one.time]} of {units.seconds(shared)} instead of "
        f"{units.seconds(scheduled)} ({size})"
    )
