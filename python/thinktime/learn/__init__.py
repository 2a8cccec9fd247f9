"""From access logs to workloads: what traffic is like, which model it follows, a file to run.

>>> from thinktime.learn import learn
>>> learned = learn(["access.log"])  # doctest: +SKIP
>>> learned.advice.model  # doctest: +SKIP
'partly-open'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinktime._core import InputError, Workload
from thinktime.capacity import seconds
from thinktime.learn.advice import Advice, advise
from thinktime.learn.arrivals import Arrivals, learn_arrivals
from thinktime.learn.mix import Mix, learn_mix
from thinktime.learn.session import SessionLaws, Values, learn_sessions, values_of
from thinktime.learn.summary import summary_of
from thinktime.learn.timeout import USUAL_S, TimeoutCurve, timeout_curve
from thinktime.learn.traffic import BadLines, Progress, Traffic, read
from thinktime.learn.workload_file import workload_text

__all__ = ["Learned", "learn"]

LOAD_MAX, CV2_MAX = 0.95, 100
"""Beyond these the advice would need simulations that are too long."""


@dataclass(frozen=True)
class Learned:
    """All that was learned of one or several logs."""

    traffic: Traffic
    curve: TimeoutCurve
    timeout_from: str
    """"given" or "curve"."""

    arrivals: Arrivals
    sessions: SessionLaws
    sizes: Values
    durations: Values
    mix: Mix
    advice: Advice

    @property
    def workload_text(self) -> str:
        """The workload file: comments say where each number comes from."""
        name = "learned"
        parts = (self.traffic, self.arrivals, self.sessions, self.mix, self.advice)
        return workload_text(name, *parts)

    def workload(self) -> Workload:
        """The workload, ready for `thinktime.simulate` and `thinktime.run`."""
        return Workload(self.workload_text)

    def to_dict(self) -> dict[str, Any]:
        """What `thinktime learn --json` prints."""
        return summary_of(self)

    @property
    def bad_lines(self) -> list[BadLines]:
        """What could not be read."""
        return self.traffic.bad_lines


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
    follow: bool = False,
    progress: Progress | None = None,
) -> Learned:
    """Learn a workload from access logs.

    Args:
        logs: Files, patterns such as ``access.log*``, or ``-`` for standard input.
        format: The logs' format, as `thinktime learn --formats` lists them, or a LogFormat or
            log_format itself; found by itself for each file.
        timeout: A longer gap between a user's requests ends a session, in seconds or with a unit;
            1800 s. "auto" finds it where the number of sessions no longer depends on it; the logs
            are then read twice.
        user: By what users are told apart: "address", "agent" (address and agent) or "field".
        user_field: The name of the field that tells the user, in the format's own words.
        pages: Whether embedded objects are taken together with their page.
        crawlers: "apart" leaves out programs that are no persons, "with" takes them along.
        demand_cv2: The squared coefficient of variation of the service demands, for the advice;
            by default that of the logged durations, or of the sizes.
        load: The load of the server that the advice is simulated on.
        follow: Whether the last log is still being written: it is read until Ctrl-C.
        progress: Called about twenty times a second.

    Raises:
        InputError: if a log cannot be read; the message says which and why.
    """
    _check(crawlers, load, demand_cv2)
    if timeout == "auto":
        _readable_again(logs)
    how: dict[str, Any] = {
        "format": format,
        "user": user,
        "user_field": user_field,
        "pages": pages,
        "crawlers_apart": crawlers == "apart",
        "progress": progress,
    }
    wanted = None if timeout == "auto" else _seconds(timeout)
    traffic = read(logs, wanted or USUAL_S, follow=follow, **how)
    curve = timeout_curve(traffic)
    if timeout == "auto" and curve.level_from_s is not None:
        traffic = read(logs, curve.level_from_s, **how)
    return _learned(traffic, curve, "curve" if timeout == "auto" else "given", demand_cv2, load)


def _learned(
    traffic: Traffic, curve: TimeoutCurve, timeout_from: str, cv2: float | None, load: float
) -> Learned:
    arrivals, sessions = learn_arrivals(traffic), learn_sessions(traffic)
    return Learned(
        traffic=traffic,
        curve=curve,
        timeout_from=timeout_from,
        arrivals=arrivals,
        sessions=sessions,
        sizes=values_of(traffic.sizes()),
        durations=values_of(traffic.durations()),
        mix=learn_mix(traffic),
        advice=advise(traffic, arrivals, sessions, demand_cv2=cv2, load=load),
    )


def _check(crawlers: str, load: float, demand_cv2: float | None) -> None:
    if crawlers not in ("apart", "with"):
        raise InputError(f"`{crawlers}` is not what to do with crawlers: give `apart` or `with`")
    if not 0 < load <= LOAD_MAX:
        raise InputError(f"the load must lie between 0 and {LOAD_MAX}; it is {load}")
    if demand_cv2 is not None and not 0 <= demand_cv2 <= CV2_MAX:
        raise InputError(f"C² of the demands must lie between 0 and {CV2_MAX}; it is {demand_cv2}")


def _seconds(timeout: float | str | None) -> float | None:
    if timeout is None:
        return None
    value = seconds(timeout)
    if not 0 < value < float("inf"):
        raise InputError(f"the session timeout must be more than 0; it is {timeout}")
    return value


def _readable_again(logs: Sequence[str | Path]) -> None:
    if "-" in map(str, logs):
        raise InputError("a timeout that is found needs logs that can be read twice: give files")
