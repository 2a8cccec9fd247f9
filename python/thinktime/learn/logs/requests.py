"""The requests of a log in columns, the input of all parts of learning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

ROWS = {
    "time_ns": pl.Int64,
    "duration_us": pl.UInt32,
    "user": pl.UInt32,
    "path": pl.UInt32,
    "referrer": pl.UInt32,
    "host": pl.UInt32,
    "bytes": pl.UInt32,
    "status": pl.UInt16,
    "method": pl.UInt8,
}
"""The columns of a log's requests; see `Requests.rows`."""

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "other")
"""The methods by their numbers; the last one stands for all others."""


@dataclass(frozen=True)
class Requests:
    """The requests of one or several logs.

    Users, paths, hosts and agents are numbers from 0, in the order of their first request. Row n of
    a table or series belongs to number n.
    """

    rows: pl.DataFrame
    """A row for each request, by time of arrival. `time_ns` is since 1970; `duration_us` null if it
    is not logged, and 4,294,967,294 for all that is longer; `referrer` the path of the page that
    led here, null for none or for one that was not requested; `bytes` like the duration; `status` 0
    if no response was sent; `method` a place in `METHODS`. For own results also `page`, an id that
    a user's requests of one page share, and `population`, a place in `populations`."""

    paths: pl.DataFrame
    """`path` (without query), and `object`: whether its ending is that of an embedded object."""

    users: pl.DataFrame
    """`address` and `agent`: the numbers of both. If each request or page counts as a user of its
    own: `address` and `user`, the real one."""

    agents: pl.Series
    """The agents' own names."""

    hosts: pl.Series
    """The requested hosts; one empty name if the format has none."""

    resolution_s: float
    """The steps of the stamps; those of the coarsest file."""

    populations: pl.Series | None = None
    """The populations that the log itself names, if it gives that of each request; one empty name
    if there is only one. Users are then sessions, each of whose pages waits for the one before."""

    def __len__(self) -> int:
        return self.rows.height

    @cached_property
    def user_count(self) -> int:
        """The number of users who made these requests."""
        return int(np.count_nonzero(np.bincount(self.rows["user"].to_numpy())))

    @property
    def span_s(self) -> float:
        """From the first request to the last, one step of the stamps included; 0 without any."""
        if not len(self):
            return 0.0
        times = self.rows["time_ns"]
        return float(times[-1] - times[0]) * 1e-9 + self.resolution_s

    @property
    def timed(self) -> bool:
        """Whether durations are logged."""
        return self.rows["duration_us"].null_count() < len(self)

    @property
    def paged(self) -> bool:
        """Whether the log says which requests make a page."""
        return "page" in self.rows.columns

    def only(self, kept: NDArray[np.bool_]) -> Requests:
        """The rows for which ``kept`` is true; numbers stay the same."""
        if kept.all():
            return self
        return replace(self, rows=self.rows.filter(pl.Series(kept)))
