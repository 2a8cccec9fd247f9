"""The requests of a log in columns: what every part of learning looks at."""

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

    Users, paths, hosts and agents are numbers that count from 0 in the order in which they came
    first. What a table or series has at place n is of number n.
    """

    rows: pl.DataFrame
    """One row for each request, by time of arrival. `time_ns` is since 1970; `duration_us` null
    where it is not logged, and 4,294,967,294 for all that is longer; `referrer` the path of the
    page that led here, null for none or for one that nobody asked for; `bytes` like the duration;
    `status` 0 where no response was sent; `method` a place in `METHODS`. Of our own results also
    `page`, what a user's requests of one page have in common, and `population`, a place in
    `populations`."""

    paths: pl.DataFrame
    """`path` (without query), and `object`: whether pages embed such things, by its ending."""

    users: pl.DataFrame
    """`address` and `agent`: the numbers of both. Where each request or page is taken for a user of
    its own, `address` and `user`, whose it is."""

    agents: pl.Series
    """What clients call themselves."""

    hosts: pl.Series
    """The hosts that were asked; one empty name where the format has none."""

    resolution_s: float
    """The steps of the stamps; the coarsest file's."""

    share: float = 1.0
    """The share of the users whose requests are here: of a very large log a sample is kept."""

    populations: pl.Series | None = None
    """The populations that the log itself names, where it says of which each request is; one empty
    name where there is only one. Users are then sessions, each of whose pages waits for the one
    before."""

    def __len__(self) -> int:
        return self.rows.height

    @cached_property
    def user_count(self) -> int:
        """How many users made these requests."""
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
        """Those rows for which ``kept`` is true; numbers stay what they are."""
        if kept.all():
            return self
        return replace(self, rows=self.rows.filter(pl.Series(kept)))
