"""After how long clients give up and try again, for a model that is asked about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime._core import Distribution
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime._core import Workload
    from thinktime.results.result import Result

ATTEMPTS = 3


@dataclass(frozen=True)
class Patience:
    """The timeouts of clients, and the share of the requests that has each."""

    shares: tuple[tuple[float | None, float], ...]
    """Timeouts in seconds with their shares; None for requests that wait for ever.

    Of a law it is the mean.
    """

    given: bool
    """Whether the workload sets them; otherwise the timeout is the measured p99."""

    @property
    def words(self) -> str:
        """As in `retries after 250 ms, the timeout`."""
        times = [time for time, _ in self.shares if time is not None]
        if not self.given:
            return f"retries after {units.seconds(times[0])}, the measured p99"
        one = "timeout" if len(times) == 1 else "timeouts"
        first, last = units.seconds(times[0]), units.seconds(times[-1])
        after = first if len(times) == 1 else f"{first} to {last}"
        return f"retries after {after}, the {one}"

    def requests(self) -> list[dict[str, Any]]:
        """The requests of a workload, as tables of its file."""
        retry = {"attempts": ATTEMPTS, "backoff": "const(0s)"}
        return [
            {"name": f"request-{place}", "get": "/", "weight": share}
            | ({} if time_s is None else {"timeout": f"{time_s:.6g}s", "retry": retry})
            for place, (time_s, share) in enumerate(self.shares)
        ]


def patience_of(result: Result, p99_s: float) -> Patience:
    """The timeouts of the workload's requests, as often as these came; else the measured p99."""
    names = _timeouts(result.workload)
    counts = {
        name: float(one.get("requests") or 0)
        for name, one in (result.summary.get("by_request") or {}).items()
    }
    found: dict[float | None, float] = {}
    for name, times in names.items():
        share = counts.get(name, 0.0) if any(counts.values()) else 1.0
        for time_s in times:  # populations may have requests of one name
            found[time_s] = found.get(time_s, 0.0) + share / len(times)
    kept = {time_s: share for time_s, share in found.items() if share > 0}
    if all(time_s is None for time_s in kept):
        return Patience(((p99_s, 1.0),), given=False)
    ordered = sorted(kept.items(), key=lambda one: np.inf if one[0] is None else one[0])
    return Patience(tuple(ordered), given=True)


def _timeouts(workload: Workload) -> dict[str, list[float | None]]:
    """The timeouts in seconds of each kind of request, by its name; None for no timeout."""
    found: dict[str, list[float | None]] = {}
    for population in workload.populations:
        for one in population.table["request"]:
            time_s = None if one["timeout"] is None else _seconds(one["timeout"])
            found.setdefault(one["name"], []).append(time_s)
    return found


def _seconds(said: object) -> float:
    """A time of a workload file that is known to be readable; of a law, its mean."""
    return float(Distribution(str(said)).mean)
