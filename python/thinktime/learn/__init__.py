"""From access logs to workloads: what traffic is like, which model it follows, a file to run.

>>> from thinktime.learn import learn
>>> learned = learn(["access.log"])  # doctest: +SKIP
>>> learned.advice.model  # doctest: +SKIP
'partly-open'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from thinktime._core import InputError
from thinktime._scipy import import_beside
from thinktime.learn.advice import advise
from thinktime.learn.arrivals import learn_arrivals
from thinktime.learn.fidelity import Fidelity
from thinktime.learn.kinds.kinds import USERS_MIN
from thinktime.learn.learned import Learned
from thinktime.learn.log import OWN, Log, Progress, read
from thinktime.learn.part import Part, learn_part
from thinktime.learn.populations import Populations, tell_apart
from thinktime.learn.session import learn_sessions, values_of
from thinktime.learn.starts import Covered, silences
from thinktime.learn.stopping import Stopping
from thinktime.learn.timeout import USUAL_S, timeout_curve
from thinktime.learn.traffic import traffic_of
from thinktime.learn.whole import kinds_of, stand_in
from thinktime.operations import seconds

__all__ = ["Learned", "learn"]

LOAD_MIN, LOAD_MAX, CV2_MAX = 0.001, 0.95, 100
"""Beyond these the advice would need simulations that are too long."""


def learn(
    logs: Sequence[str | Path],
    *,
    format: str | None = None,
    timeout: float | str | None = None,
    user: str = "agent",
    user_field: str | None = None,
    pages: bool = True,
    crawlers: str = "apart",
    demand_cv2: float | None = None,
    load: float = 0.8,
    least_users: int = USERS_MIN,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    fidelity: bool = True,
    follow: bool = False,
    on: str | None = None,
    progress: Progress | None = None,
    when_read: Callable[[Log], None] | None = None,
) -> Learned:
    """Learn a workload from access logs.

    Args:
        logs: Files, patterns such as ``access.log*``, or ``-`` for standard input.
        format: The logs' format, as `thinktime learn --formats` lists them, or a LogFormat or
            log_format itself; found by itself for each file.
        timeout: A longer gap between a user's requests ends a session, in seconds or with a unit;
            1800 s. "auto" finds it where the number of sessions no longer depends on it.
        user: By what users are told apart: "address", "agent" (address and agent) or "field".
        user_field: The name of the field that tells the user, in the format's own words.
        pages: Whether embedded objects are taken together with their page, in the figures of
            sessions and in the workload file; if not, every request counts as a page.
        crawlers: "apart" tells populations apart, people and programs of several kinds; "with"
            takes all as people.
        demand_cv2: The squared coefficient of variation of the service demands, for the advice;
            by default that of the logged durations, or of the sizes.
        load: The load of the server that the advice is simulated on.
        least_users: A path is named in the workload file only if so many users asked for it; others
            are gathered. Of Thinktime's own results all are named.
        only: Which requests are looked at, as in "path=/shop/*": by path, host, status, method or
            time. Of several of one sort one must hold, of several sorts all of them.
        without: Which requests are left out, likewise: all for which one of these holds.
        fidelity: Whether it is measured how well the workload stands in for the log.
        follow: Whether the last log is still being written: it is read until Ctrl-C.
        on: Read the files on all cores of a Ray cluster, whose nodes all have them: "ray",
            "ray://HOST:PORT" or "auto", as in `run`. What is learned is the same.
        progress: Called about twenty times a second.
        when_read: Called once with the log when it is read, before it is learned from.

    Raises:
        InputError: if a log cannot be read; the message says which and why.
    """
    _check(crawlers, load, demand_cv2, least_users)
    import_beside()  # which reading leaves time for
    log = read(
        logs,
        format=format,
        user=user,
        user_field=user_field,
        only=list(only),
        without=list(without),
        follow=follow,
        on=on,
        progress=progress,
    )
    _say_read(log, progress, when_read)
    told = tell_apart(log.requests, programs=crawlers == "apart")
    return _learned(log, told, timeout, pages, (demand_cv2, load), least_users, fidelity)


def _say_read(log: Log, progress: Progress | None, when_read: Callable[[Log], None] | None) -> None:
    if progress is not None:
        progress(len(log.requests), 1.0, 0)
    if when_read is not None:
        when_read(log)


def _learned(
    log: Log,
    told: Populations,
    timeout: float | str | None,
    pages: bool,
    demand: tuple[float | None, float],
    least_users: int,
    fidelity: bool,
) -> Learned:
    auto = timeout == "auto"
    timeout_s = USUAL_S if auto else _seconds(timeout) or USUAL_S
    labels = told.labels.astype(np.uint8)
    first = told.populations[0]
    known = {"known": first.confidence, "verdict": first.model}
    stopping = Stopping()
    with ThreadPoolExecutor(1) as beside, stopping.if_raised():
        asked = (log, told, least_users, pages, fidelity, stopping)
        learning = None if auto else beside.submit(_parts, timeout_s, *asked)
        traffic = traffic_of(log, timeout_s, labels, 0, pages)
        curve = timeout_curve(traffic)
        if auto and curve.level_from_s is not None:
            traffic = traffic_of(log, curve.level_from_s, labels, 0, pages)
        learning = learning or beside.submit(_parts, traffic.timeout_s, *asked)
        arrivals, sessions = learn_arrivals(traffic), learn_sessions(traffic)
        sizes, durations = values_of(traffic.sizes()), values_of(traffic.durations())
        advice = advise(traffic, arrivals, sessions, demand_cv2=demand[0], load=demand[1], **known)
        parts, found = learning.result()
    return Learned(
        log=log, told=told, parts=parts, traffic=traffic, curve=curve,
        timeout_from="curve" if auto else "given", arrivals=arrivals, sessions=sessions,
        sizes=sizes, durations=durations, advice=advice, fidelity=found,
    )  # fmt: skip


def _parts(
    timeout_s: float,
    log: Log,
    told: Populations,
    least_users: int,
    pages: bool,
    fidelity: bool,
    stopping: Stopping,
) -> tuple[list[Part], Fidelity | None]:
    """What a workload file has of each population, and how well all stand in for the log."""
    times = log.requests.rows["time_ns"].to_numpy()
    begin_ns, span_s = int(times[0]), log.requests.span_s
    covered = Covered(span_s, silences((times - begin_ns) * 1e-9, span_s))
    least = 1 if log.formats == [OWN] else least_users
    parts = []
    for one in told.populations:
        stopping.look()
        requests = log.requests.only(told.of(one.name))
        parts.append(learn_part(one, requests, covered, begin_ns, timeout_s, least, pages))
    if not fidelity:
        return parts, None
    return stand_in(log, kinds_of(log, told.labels, parts), parts, stopping)


def _check(crawlers: str, load: float, demand_cv2: float | None, least_users: int) -> None:
    if least_users < 1:
        raise InputError(f"least_users (--least-users) must be 1 or more, not {least_users}")
    if crawlers not in ("apart", "with"):
        raise InputError(f"`{crawlers}` is not what to do with crawlers: give `apart` or `with`")
    if not LOAD_MIN <= load <= LOAD_MAX:
        raise InputError(f"the load must lie between {LOAD_MIN} and {LOAD_MAX}; it is {load}")
    if demand_cv2 is not None and not 0 <= demand_cv2 <= CV2_MAX:
        raise InputError(f"C² of the demands must lie between 0 and {CV2_MAX}; it is {demand_cv2}")


def _seconds(timeout: float | str | None) -> float | None:
    if timeout is None:
        return None
    value = seconds(timeout)
    if not 0 < value < float("inf"):
        raise InputError(f"the session timeout must be more than 0; it is {timeout}")
    return value
