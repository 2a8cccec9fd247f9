"""Requests as a server sees them: when each came, when it was answered, and whether it was work."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]

STAMP_S = 1e-6
"""The steps of the clock of a result."""


@dataclass(frozen=True, eq=False)
class Visits:
    """Requests by the time of their arrival; times in seconds from any moment."""

    arrival_s: Floats
    done_s: Floats
    """The time at which each was answered, or given up."""

    kind: Numbers
    """Its kind, from 0; -1 for a kind that is left out."""

    over: Mask
    """Whether it was served to its end; a client may have given up before."""

    stamp_s: float
    """The steps of the stamps: an arrival may be later by less than that."""

    step_s: float
    """The steps of the durations."""

    user: Numbers | None = None
    """The user of each, from 0; None if users are not known."""

    def __len__(self) -> int:
        return len(self.arrival_s)

    @property
    def duration_s(self) -> Floats:
        """The duration of each."""
        return self.done_s - self.arrival_s

    @property
    def found(self) -> Numbers:
        """The number of others that each found when it came; an end comes before an arrival."""
        gone = np.searchsorted(np.sort(self.done_s), self.arrival_s, side="right")
        return np.asarray(np.arange(len(self)) - gone)

    @property
    def overtook(self) -> Mask:
        """Whether each left while an earlier one was still there."""
        latest = np.concatenate([[-np.inf], np.maximum.accumulate(self.done_s)[:-1]])
        # Answers that come together are stamped in any order.
        return np.asarray(self.done_s < latest - 1e-4)

    @property
    def of_one_kind(self) -> Visits:
        """The same requests, all of one kind."""
        return replace(self, kind=np.zeros_like(self.kind))

    def part(self, kept: slice | Mask | Numbers) -> Visits:
        """Some of the requests."""
        columns = ["arrival_s", "done_s", "kind", "over", *([] if self.user is None else ["user"])]
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})

    def without(self, network_s: float) -> Visits:
        """The requests as the server saw them, if the network takes this long there and back."""
        if not network_s:
            return self
        arrival_s = self.arrival_s + network_s / 2
        done_s = np.maximum(self.done_s - network_s / 2, arrival_s + STAMP_S)
        return replace(self, arrival_s=arrival_s, done_s=done_s)

    @classmethod
    def served(cls, arrival_s: Floats, done_s: Floats) -> Visits:
        """Requests of one kind, all of which were served to their end."""
        kind, over = np.zeros(len(arrival_s), np.int64), np.ones(len(arrival_s), np.bool_)
        return cls(arrival_s, done_s, kind, over, STAMP_S, STAMP_S)

    @classmethod
    def of_rows(cls, rows: pl.DataFrame | pl.LazyFrame) -> Visits:
        """The answered attempts of the rows of a result, by the time of sending."""
        return cls.of_answered(answered(rows.lazy()))

    @classmethod
    def of_answered(cls, rows: pl.DataFrame) -> Visits:
        """The visits of the columns that `answered` gives."""
        begin_s = rows["begin_ns"].to_numpy() * 1e-9
        # With clocks of different steps, an answer may be stamped before its request.
        return cls.served(begin_s, np.maximum(rows["done_ns"].to_numpy() * 1e-9, begin_s + STAMP_S))


def answered(rows: pl.LazyFrame, most: int | None = None, *columns: str) -> pl.DataFrame:
    """`begin_ns` and `done_ns` of the attempts that were answered, and more of their columns.

    They are in the order of sending; of more than `most`, only the first ones.
    """
    sent = pl.coalesce("sent_ns", "scheduled_ns").alias("begin_ns")
    kept = pl.col("error").is_null() & pl.col("done_ns").is_not_null()
    rows = rows.filter((pl.col("replication") == 0) & kept)
    rows = rows.select(sent, "done_ns", *columns)
    if most is not None:
        begins = rows.select("begin_ns").collect()["begin_ns"].to_numpy()
        if len(begins) > most:
            rows = rows.filter(pl.col("begin_ns") < np.partition(begins, most)[most])
    return rows.sort("begin_ns").collect()
