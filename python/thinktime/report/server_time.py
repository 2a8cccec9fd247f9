"""A server's own time, beside the response times that include it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Line
from thinktime.report.figures import TIMES
from thinktime.results import independent_requests

if TYPE_CHECKING:
    from thinktime import Result

WORDS: dict[str, str] = {
    "the server's own time": "How long the server says that a request took it, in the header "
    "`Server-Timing` of the response: the metric `total`, else the sum of all that have a "
    "duration. It is a part of the response time; the server decides whether waiting within it is "
    "included.",
}


def line_of(result: Result) -> Line | None:
    """The line below a run's own; None if no response reported the time.

    It has a cell for the load and the throughput before the times, and for the errors and the
    lateness behind them, all empty.
    """
    times = result.summary.get("server_time_s")
    if not times:
        return None
    many = result.summary["server_timed"]
    found = independent_requests.known(result.summary, times, TIMES, many)
    known = [found.get(name) for name in TIMES]
    response_s = (result.summary.get("response_time_s") or {}).get("mean")
    cells = [Cell(units.seconds(time)) for time in known]
    answered = (result.summary.get("requests") or 0) - (result.summary.get("errors") or 0)
    if response_s and known[0] is not None and many == answered:
        cells[0] = Cell(cells[0].text, f"{units.percent(known[0] / response_s)} of it")
    none = Cell("")
    below = f"as {units.counted(many, 'response')} say"
    return Line("the server's own time", [none, none, *cells, none, none], below)
