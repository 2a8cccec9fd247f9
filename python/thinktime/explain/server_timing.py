"""What a server says of its own time in each response, by `Server-Timing`, as service demands.

The time is one within the server: it has the waiting there in it, so that it is the demand only of
those requests that found the server idle, and until another one came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinktime.explain.visits import STAMP_S, Floats, Visits, answered, network_s
from thinktime.learn.server.idle import found_idle
from thinktime.learn.server.model import COARSE, FEW
from thinktime.learn.server.visits import ServerVisits, coarsest_step_us
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.results.result import Result

UNTOLD_MAX = 0.01
"""With more responses than this share without a time, the others need not be like them."""

LONGER_MAX = 0.01
"""With more times than this share that are longer than the whole response, they are no times of the
server: durations that overlap are summed."""

TOLD_LEAST = 0.8
"""Where requests that found the server idle spend a smaller share of their time in what it names,
that is a part of it; and where it names a smaller share of what requests that found others take
longer, they wait elsewhere."""

WAITED_LEAST = 0.1
"""Where those take longer by no more than this share of a response time, nobody waits."""


class UnusableTimesError(Exception):
    """The server told times, which are no demands: why, in words."""


def has_times(result: Result) -> bool:
    """Whether any response told the server's own time."""
    return bool(result.summary.get("server_timed"))


def served_by_itself(result: Result, most: int) -> ServerVisits:
    """The requests as the server says that it had them: each in the middle of its response time.

    Those of which it says nothing, which are few, were there as long as the client waited.

    Raises:
        UnusableTimesError: if too many have no time, or one that is longer than the response; or
            the times are coarse, have no waiting in them, or are a part only of what the server
            did.
        InputError: if the rows were not kept.
    """
    began_s, ended_s, reported_s = _columns(result, most)
    has_time = np.isfinite(reported_s)
    if not has_time.any() or 1 - has_time.mean() > UNTOLD_MAX:
        raise UnusableTimesError(f"{units.percent(1 - has_time.mean())} of the responses have none")
    took_s = ended_s - began_s
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
    _check_that_waiting_is_in_it(Visits(began_s, ended_s), reported_s)
    inside_s = np.where(has_time, np.minimum(reported_s, took_s), took_s)
    arrival_s = began_s + (took_s - inside_s) / 2
    order = np.argsort(arrival_s, kind="stable")
    kind = np.zeros(len(order), dtype=np.int64)
    log = ServerVisits(arrival_s, arrival_s + inside_s, kind, has_time, STAMP_S, step_s).part(order)
    _check_that_it_is_the_whole(log, took_s[order] - network_s(result))
    return log


def _columns(result: Result, most: int) -> tuple[Floats, Floats, Floats]:
    """When requests were sent and answered, and what the server says: of the first ones."""
    rows = answered(result, most, "server_time_s")
    visits = Visits.of_answered(rows)
    return visits.begin_s, visits.end_s, rows["server_time_s"].fill_null(np.nan).to_numpy()


def _check_that_waiting_is_in_it(seen: Visits, reported_s: Floats) -> None:
    """Requests that found others wait: longer, by what the server says, too.

    A worker that looks at its clock when it takes a request out of a queue does not know how long
    that stood there. Who found others is told by the client, so that it hangs on nothing told.
    """
    has_time = np.isfinite(reported_s)
    idle, busy = has_time & (seen.found == 0), has_time & (seen.found > 0)
    if min(np.count_nonzero(idle), np.count_nonzero(busy)) < FEW:
        return
    longer_s = float(seen.took_s[busy].mean() - seen.took_s[idle].mean())
    own_s = float(reported_s[busy].mean() - reported_s[idle].mean())
    # A time that is half of the whole has half of the waiting in it: that is looked at below.
    part = min(float(reported_s[idle].mean() / seen.took_s[idle].mean()), 1.0)
    waits = longer_s > WAITED_LEAST * float(seen.took_s.mean())
    if not waits or own_s >= TOLD_LEAST * part * longer_s:
        return
    named = f"{units.seconds(own_s)} of that" if own_s > 0 else "none of that"
    raise UnusableTimesError(
        f"requests that found others took {units.seconds(longer_s)} longer on average, and it "
        f"names {named}: waiting is not in it, as where it is measured behind a queue"
    )


def _check_that_it_is_the_whole(log: ServerVisits, took_s: Floats) -> None:
    """Of those that found nobody, all that the network does not take is the server's."""
    idle = found_idle(log) & log.over
    if not idle.any():
        return
    own_s, took = float(log.duration_s[idle].mean()), float(took_s[idle].mean())
    if own_s < TOLD_LEAST * took:
        raise UnusableTimesError(
            f"requests that found the server idle took {units.seconds(took)} on average, of "
            f"which it names {units.seconds(own_s)}: the rest is the network's, or of what it does "
            "not name"
        )
