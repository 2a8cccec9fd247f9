"""The server's own time in each response, by `Server-Timing`, as service demands.

The time is one within the server and includes waiting. It is the demand only of requests that found
the server idle, and only until another request came.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thinktime.candidates.idle import found_idle
from thinktime.candidates.visits import STAMP_S, Floats, Visits
from thinktime.explain.visits import answered, network_s
from thinktime.learn.server.estimate import COARSE
from thinktime.learn.server.model import FEW
from thinktime.learn.server.visits import coarsest_step_us
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.results.result import Result

UNTOLD_MAX = 0.01
"""If more responses than this share have no time, the others need not be like them."""

LONGER_MAX = 0.01
"""If more times than this share exceed the whole response, they are not the server's time:
durations that overlap were summed."""

TOLD_LEAST = 0.8
"""If requests that found the server idle spend a smaller share of their time in the reported time,
it covers only a part of their demand. If it covers a smaller share of the extra time of requests
that found others, these wait elsewhere."""

WAITED_LEAST = 0.1
"""If those take longer by no more than this share of a response time, no request waits."""


class UnusableTimesError(Exception):
    """The server's times are not usable as demands; the message says why."""


def has_times(result: Result) -> bool:
    """Whether any response reports the server's own time."""
    return bool(result.summary.get("server_timed"))


def served_by_itself(result: Result, most: int) -> Visits:
    """The requests by the server's own times: each in the middle of its response time.

    The few without a time count for as long as the client waited.

    Raises:
        UnusableTimesError: if too many have no time, or one that is longer than the response; or
            the times are coarse, do not include waiting, or cover only a part of the server's work.
        InputError: if the rows were not kept.
    """
    rows = answered(result, most, "server_time_s")
    seen, reported_s = Visits.of_answered(rows), rows["server_time_s"].fill_null(np.nan).to_numpy()
    has_time = np.isfinite(reported_s)
    if not has_time.any() or 1 - has_time.mean() > UNTOLD_MAX:
        raise UnusableTimesError(f"{units.percent(1 - has_time.mean())} of the responses have none")
    took_s = seen.duration_s
    step_s = 1e-6 * coarsest_step_us(np.round(1e6 * reported_s[has_time]).astype(np.int64))
    usual_s = float(reported_s[has_time].mean())
    if step_s > COARSE * usual_s:
        raise UnusableTimesError(
            f"they are in steps of {units.seconds(step_s)}, and {units.seconds(usual_s)} on average"
        )
    longer = float((reported_s[has_time] > took_s[has_time] + step_s + STAMP_S).mean())
    if longer > LONGER_MAX:
        raise UnusableTimesError(
            f"{units.percent(longer)} are longer than the whole response: durations that overlap "
            "are summed; let the server send one that is named `total`"
        )
    _check_that_waiting_is_in_it(seen, reported_s)
    inside_s = np.where(has_time, np.minimum(reported_s, took_s), took_s)
    arrival_s = seen.arrival_s + (took_s - inside_s) / 2
    order = np.argsort(arrival_s, kind="stable")
    inside = Visits.served(arrival_s, arrival_s + inside_s)
    log = replace(inside, over=has_time, step_s=step_s).part(order)
    _check_that_it_is_the_whole(log, took_s[order] - network_s(result))
    return log


def _check_that_waiting_is_in_it(seen: Visits, reported_s: Floats) -> None:
    """Check that the server's times include the waiting of requests that found others.

    A worker that looks at its clock when it takes a request out of a queue does not know how long
    the request was there. The client's times decide which requests found others, so that this does
    not depend on the reported times.
    """
    has_time = np.isfinite(reported_s)
    idle, busy = has_time & (seen.found == 0), has_time & (seen.found > 0)
    if min(np.count_nonzero(idle), np.count_nonzero(busy)) < FEW:
        return
    longer_s = float(seen.duration_s[busy].mean() - seen.duration_s[idle].mean())
    own_s = float(reported_s[busy].mean() - reported_s[idle].mean())
    # A time that covers half of the whole includes half of the waiting: that is checked below.
    part = min(float(reported_s[idle].mean() / seen.duration_s[idle].mean()), 1.0)
    waits = longer_s > WAITED_LEAST * float(seen.duration_s.mean())
    if not waits or own_s >= TOLD_LEAST * part * longer_s:
        return
    named = f"{units.seconds(own_s)} of that" if own_s > 0 else "none of that"
    raise UnusableTimesError(
        f"requests that found others took {units.seconds(longer_s)} longer on average, and it "
        f"names {named}: it leaves out waiting, as if it is measured behind a queue"
    )


def _check_that_it_is_the_whole(log: Visits, took_s: Floats) -> None:
    """For requests that found no other, all time outside the network is the server's."""
    idle = found_idle(log) & log.over
    if not idle.any():
        return
    own_s, took = float(log.duration_s[idle].mean()), float(took_s[idle].mean())
    if own_s < TOLD_LEAST * took:
        raise UnusableTimesError(
            f"requests that found the server idle took {units.seconds(took)} on average, of which "
            f"it names {units.seconds(own_s)}: the rest is the network's, or unnamed"
        )
