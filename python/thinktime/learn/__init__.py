"""From access logs to workloads: the traffic's figures, its model, and a file to run.

>>> from thinktime.learn import learn
>>> learned = learn(["access.log"])  # doctest: +SKIP
>>> learned.advice.population.model  # doctest: +SKIP
'partly-open'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from thinktime._core import InputError
from thinktime.inputs.arguments import Time
from thinktime.learn.bounds import CV2_MAX, LOAD_MAX, LOAD_MIN, USERS_MIN, USUAL_S
from thinktime.learn.logs.reader import Progress, read
from thinktime.learn.stop_signal import StopSignal

if TYPE_CHECKING:
    from thinktime.learn.logs.log import Log
    from thinktime.learn.outcome import Learned

__all__ = ["Learned", "learn"]


def learn(
    logs: Sequence[str | Path],
    *,
    format: str | None = None,
    timeout: Time | None = f"{USUAL_S:.0f}s",
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
    stopping: StopSignal | None = None,
) -> Learned:
    """Learn a workload from access logs.

    Args:
        logs: Files, patterns such as ``access.log*``, or ``-`` for standard input.
        format: The logs' format or its definition (--formats lists them); by default it is found
            from the first lines. A definition is that of LogFormat or log_format itself; it is
            found for each file.
        timeout: The longest gap within a session; `auto` finds it. A longer one between a user's
            requests begins another session: seconds, or a text with a unit. "auto" finds it where
            the number of sessions no longer depends on it.
        user: Know users by `address`, `agent` (address and agent) or `field`.
        user_field: The field that identifies the user, as the format calls it.
        pages: Take objects with their page; otherwise each request is a page. It holds for the
            figures of sessions and for the workload file.
        crawlers: Keep programs `apart` from people, or take all `with` them. Apart are populations,
            people and programs of several kinds.
        demand_cv2: C² of the service demands, for the advice; learned by default. It is the squared
            coefficient of variation, by default of the logged durations, or of the sizes.
        load: The load at which the advice is simulated.
        least_users: Least number of users of a path that the workload file names. Others are
            gathered. For Thinktime's own results all are named.
        only: Learn only from these requests: path=/shop/*, host=, status=5xx, method= or
            time=FROM..UNTIL. Of several conditions of one sort one must hold, of several sorts all
            of them.
        without: Leave out these requests, likewise. All for which one condition holds are left out.
        fidelity: Measure how well the workload stands in for the log.
        follow: Follow the growing last log until Ctrl-C.
        on: Read the files on all cores of a Ray cluster: ray for one on this machine,
            ray://HOST:PORT or auto for a running one; each node needs the files. The result is the
            same.
        progress: Called about twenty times a second.
        when_read: Called once with the log when it is read, before learning begins.
        stopping: It says when the fidelity is no longer wanted: it is then left out.

    Raises:
        InputError: if there is no log, or one cannot be read; the message says which and why.
    """
    if not logs:
        raise InputError("logs: give one at least")
    _check(crawlers, load, demand_cv2, least_users)
    # Libraries take half a second to import: the threads that read do not wait for them.
    Thread(target=import_module, args=("thinktime.learn.learner",), daemon=True).start()
    done = read(
        logs, format=format, user=user, user_field=user_field, only=list(only),
        without=list(without), follow=follow, on=on, progress=progress,
    )  # fmt: skip
    from thinktime.learn import learner

    return learner.learn_from(
        done, timeout=timeout, pages=pages, programs=crawlers == "apart", demand_cv2=demand_cv2,
        load=load, least_users=least_users, fidelity=fidelity, progress=progress,
        when_read=when_read, stopping=stopping or StopSignal(),
    )  # fmt: skip


def _check(crawlers: str, load: float, demand_cv2: float | None, least_users: int) -> None:
    if least_users < 1:
        raise InputError(f"least_users (--least-users) must be 1 or more, not {least_users}")
    if crawlers not in ("apart", "with"):
        raise InputError(f"`{crawlers}` is not what to do with crawlers: give `apart` or `with`")
    if not LOAD_MIN <= load <= LOAD_MAX:
        raise InputError(f"the load must lie between {LOAD_MIN} and {LOAD_MAX}; it is {load}")
    if demand_cv2 is not None and not 0 <= demand_cv2 <= CV2_MAX:
        raise InputError(f"C² of the demands must lie between 0 and {CV2_MAX}; it is {demand_cv2}")


def __getattr__(name: str) -> Any:
    """`Learned`, whose libraries are imported on demand."""
    if name == "Learned":
        from thinktime.learn.outcome import Learned

        return Learned
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
