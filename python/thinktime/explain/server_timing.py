"""What a server says of its own time in each response, by `Server-Timing`, as service demands.

The time is one within the server: it has the waiting there in it, so that it is the demand only of
those requests that found the server idle, and until another one came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinktime.explain.visits import STAMP_S, Floats, Visits, answered, network_s
from thinktime.learn.server.alone import found_idle
from thinktime.learn.server.learning import COARSE
from thinktime.learn.server.served import Served, coarsest_step_us
from thinktime.report import units

if TYPE_CHECKING:
    from thinktime.result import Result

UNTOLD_MAX = 0.01
"""With more responses than this share without a time, the others need not be like them."""

LONGER_MAX = 0.01
"""With more times than this share that are longer than the whole response, they are no times of the
server: durations that overlap are summed."""

TOLD_LEAST = 0.8
"""Where requests that found the server idle spend a smaller share of their time in what it names,
that is a part of it."""


class UnusableTimesError(Exception):
    """The server told times, which are no demands: why, in words."""


def has_times(result: Result) -> bool:
    """Whether any response told the server's own time."""
    return bool(result.summary.get("server_timed"))


def served_by_itself(result: Result, most: int) -> Served:
    """The requests as the server says that it had them: each in the middle of its response time.

    Those of which it says nothing, which are few, were there as long as the client waited.

    Raises:
        UnusableTimesError: if too many have no time, or one that is longer than the response; or
            the times are coarse, or a part only of what the server did.
        InputError: if the rows were not kept.
    """
    began_s, ended_s, told_s = _columns(result, most)
    told = np.isfinite(told_s)
    if not told.any() or 1 - told.mean() > UNTOLD_MAX:
        raise UnusableTimesError(f"{units.percent(1 - told.mean())} of the responses have none")
    took_s = ended_s - began_s
    step_s = 1e-6 * coarsest_step_us(np.round(1e6 * told_s[told]).astype(np.int64))
    usual_s = float(told_s[told].mean())
    if step_s > COARSE * usual_s:
        raise UnusableTimesError(
            f"they are in steps of {units.seconds(step_s)}, and {units.seconds(usual_s)} on average"
        )
    longer = float((told_s[told] > took_s[told] + step_s + STAMP_S).mean())
    if longer > LONGER_MAX:
        raise UnusableTimesError(
            f"{units.percent(longer)} are longer than the whole response: durations that overlap "
            "are summed; let the server send one that is named `total`"
        )
    inside_s = np.where(told, np.minimum(told_s, took_s), took_s)
    arrival_s = began_s + (took_s - inside_s) / 2
    order = np.argsort(arrival_s, kind="stable")
    kind = np.zeros(len(order), dtype=np.int64)
    log = Served(arrival_s, arrival_s + inside_s, kind, told, STAMP_S, step_s).part(order)
    _check_that_it_is_the_whole(log, took_s[order] - network_s(result))
    return log


def _columns(result: Result, most: int) -> tuple[Floats, Floats, Floats]:
    """When requests were sent and answered, and what the server says: of the first ones."""
    rows = answered(result, most, "server_time_s")
    visits = Visits.of_answered(rows)
    return visits.begin_s, visits.end_s, rows["server_time_s"].fill_null(np.nan).to_numpy()


def _check_that_it_is_the_whole(log: Served, took_s: Floats) -> None:
    """Of those that found nobody, all that the network does not take is the server's."""
    idle = found_idle(log) & log.over
    if not idle.any():
        return
    told, took = float(log.duration_s[idle].mean()), float(took_s[idle].mean())
    if told < TOLD_LEAST * took:
        raise UnusableTimesError(
            f"requests that found the server idle took {units.seconds(took)} on average, of "
            f"which it names {units.seconds(told)}: the rest is the network's, or of what it does "
            "not name"
        )
