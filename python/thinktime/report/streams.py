"""The events of streamed responses, below the response times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.present.table import Cell, Line
from thinktime.report.figures import TIMES
from thinktime.results import independent_requests

if TYPE_CHECKING:
    from thinktime import Result

WORDS: dict[str, str] = {
    "first event": "From the scheduled time of a request to the first event of its streamed "
    "response: the time to first token (TTFT) of a server of language models.",
    "between events": "The times between two successive events of a response, of all responses "
    "together: those between tokens (ITL), if each event brings one.",
    "goodput": "The rate, and the share, of requests that succeed within the limits of all "
    "objectives of times.",
}


def lines_of(result: Result) -> list[Line]:
    """The lines below a run's own, with a cell for each column there; none without events."""
    summary = result.summary
    if summary.get("events") is None:
        return []
    streamed = [one for one in summary["by_request"].values() if one.get("events") is not None]
    many = sum(one["requests"] for one in streamed)
    events = units.counted(summary["events"], "event")
    tokens = summary.get("output_tokens")
    if tokens is not None:
        events += f", {units.counted(tokens, 'token')}"
    lines = [
        _line(result, "first event", "first_event_s", many, units.counted(many, "stream")),
        _line(result, "between events", "event_gap_s", many, events),
    ]
    goodput = summary.get("goodput")
    if goodput is not None:
        rate = Cell(units.rate(goodput["rate"]), units.percent(goodput["share"]))
        below = f"{units.counted(goodput['requests'], 'request')} within all limits"
        lines.append(Line("goodput", [Cell(""), rate, *[Cell("")] * (len(TIMES) + 2)], below))
    return lines


def _line(result: Result, name: str, key: str, many: int, below: str) -> Line:
    # The key of a typed dictionary is a variable here.
    times: Mapping[str, Any] = result.summary.get(key) or {}  # type: ignore[assignment]
    # Events of one response are not independent: their percentiles rest on the responses.
    found = independent_requests.known(result.summary, times, TIMES, many)
    cells = [Cell(units.seconds(found.get(time))) for time in TIMES]
    none = Cell("")
    return Line(name, [none, none, *cells, none, none], below)
