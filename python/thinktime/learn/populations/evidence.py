"""The input of the rules: the columns of a log, and the rows without a population."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import stable_order
from thinktime.learn.populations import agents
from thinktime.learn.populations.streams import Flags, Floats, Ints, Streams

BUNCHED_FROM = 2.0
"""Stamps are in bunches if they are never closer than this many of their steps."""


class Evidence:
    """A log in the form for the rules. Times are in seconds since its first request."""

    def __init__(self, requests: Requests) -> None:
        rows = requests.rows
        self.requests = requests
        self.free: Flags = np.ones(rows.height, dtype=bool)
        """Whether each row has no population yet. A claimed row stays claimed."""
        self._left: tuple[int, Ints] | None = None

        self.user: Ints = rows["user"].to_numpy().astype(np.int64)
        self.path: Ints = rows["path"].to_numpy()
        self.status = rows["status"].to_numpy()
        nanoseconds = rows["time_ns"].to_numpy()
        begin = nanoseconds[0] if len(nanoseconds) else 0
        self.time: Floats = (nanoseconds - begin) * 1e-9
        self.span_s = requests.span_s
        self.duration = self._durations() if requests.timed else None
        self.referred: Flags = rows["referrer"].is_not_null().to_numpy()
        self.resolution_s = max(requests.resolution_s, self.bunch_s)

    def _durations(self) -> Floats:
        taken = self.requests.rows["duration_us"].fill_null(0).to_numpy()
        return taken.astype(np.float64) * 1e-6

    def __len__(self) -> int:
        return len(self.time)

    @cached_property
    def users(self) -> int:
        return self.requests.users.height

    @cached_property
    def agent_kind(self) -> NDArray[np.uint8]:
        """The kind of each user's agent; see `agents`."""
        found = agents.kinds_of(self.requests.agents)
        return np.asarray(found[self.requests.users["agent"].to_numpy()])

    @cached_property
    def agents_logged(self) -> bool:
        """Whether any agent is logged."""
        return bool((self.agent_kind != agents.UNKNOWN).any())

    @cached_property
    def is_object(self) -> Flags:
        """Whether each path is an embedded object."""
        return self.requests.paths["object"].to_numpy()

    @cached_property
    def bunch_s(self) -> float:
        """The distance of bunches of stamps, if they come in bunches; otherwise 0."""
        later = np.flatnonzero(self.time[1:] > self.time[:-1]) + 1
        moments = self.time[np.append([0], later)] if len(self) else self.time
        crowded = len(self) > 2 * len(moments)
        if len(moments) < 20 or not crowded:
            return 0.0
        distances = np.diff(moments)
        least = float(np.quantile(distances, 0.02))
        apart = least >= BUNCHED_FROM * self.requests.resolution_s and least >= 1.0
        whole = np.abs(distances / least - np.round(distances / least)).max() < 0.02
        known = max(self.requests.resolution_s, 0.0)
        return least if apart and whole and least > known else 0.0

    @cached_property
    def referrers(self) -> float:
        """The share of browsers' requests with a referrer."""
        return self.referred_by(self.agent_kind == agents.BROWSER)

    @cached_property
    def requests_of(self) -> Ints:
        """The number of requests of each user."""
        return np.bincount(self.user, minlength=self.users)

    @property
    def left(self) -> Ints:
        """The number of each user's requests without a population."""
        # Claimed rows stay claimed: the number of rows identifies the rows left.
        free = int(np.count_nonzero(self.free))
        if free == len(self):
            return self.requests_of
        if self._left is None or self._left[0] != free:
            self._left = free, np.bincount(self.user[self.free], minlength=self.users)
        return self._left[1]

    def share_of_users(self, of_rows: Flags) -> Floats:
        """The share of each user's requests for which the flag is set."""
        count = np.bincount(self.user[of_rows], minlength=self.users)
        return np.asarray(count / np.maximum(self.requests_of, 1))

    @cached_property
    def referred_of(self) -> Ints:
        """The number of requests of each user with a referrer."""
        return np.bincount(self.user[self.referred], minlength=self.users)

    @cached_property
    def referred_share(self) -> Floats:
        return np.asarray(self.referred_of / np.maximum(self.requests_of, 1))

    def referred_by(self, users: Flags) -> float:
        """The share of these users' requests with a referrer; 0 without any."""
        return float(self.referred_of[users].sum() / max(int(self.requests_of[users].sum()), 1))

    def rows_of(self, users: Flags) -> Ints:
        """The rows that are left of these users."""
        if not users.any():
            return np.empty(0, np.int64)
        return np.flatnonzero(users[self.user] & self.free)

    @cached_property
    def requests_for(self) -> Ints:
        """The number of requests for each path."""
        return np.bincount(self.path, minlength=self.requests.paths.height)

    @cached_property
    def order_by_user(self) -> Ints:
        """All rows, user by user, each by time."""
        return stable_order(self.user).astype(np.int64)

    def streams(self, rows: Ints, keys: NDArray[np.uint64]) -> Streams:
        """Streams of some rows, those with the same key in one."""
        _, ids = np.unique(keys, return_inverse=True)
        order = stable_order(ids)
        return Streams(rows[order], ids[order], self.time, self.duration, self.resolution_s)

    def users_of(self, rows: Ints) -> int:
        """The number of users who made these requests."""
        if len(rows) == len(self):
            return int(np.count_nonzero(self.requests_of))
        there = np.zeros(self.users, dtype=bool)
        there[self.user[rows]] = True
        return int(there.sum())

    def by_user(self, rows: Ints) -> tuple[Streams, Ints]:
        """A stream of each user with one of these rows; and the users."""
        if len(rows) < len(self) // 20:
            rows = rows[stable_order(self.user[rows])]
        elif len(rows) == len(self):
            users = np.flatnonzero(self.requests_of)
            counts = self.requests_of[users]
            ids = np.repeat(np.arange(len(users)), counts)
            return Streams(
                self.order_by_user, ids, self.time, self.duration, self.resolution_s, counts
            ), users
        else:
            wanted = np.zeros(len(self), dtype=bool)
            wanted[rows] = True
            rows = self.order_by_user[wanted[self.order_by_user]]
        users = self.user[rows]
        first = np.ones(len(users), dtype=bool)
        np.not_equal(users[1:], users[:-1], out=first[1:])
        begins = np.flatnonzero(first)
        ids = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(users)))
        return Streams(rows, ids, self.time, self.duration, self.resolution_s), users[begins]

    def streams_of_users(self, least: int) -> tuple[Streams, Ints]:
        """A stream of each user with at least this many requests left; and the users."""
        return self.by_user(self.rows_of(self.left >= least))

    def templates(self, paths: Ints, first_part: bool = False) -> pl.Series:
        """Paths with `#` for numbers and for long names of letters and digits.

        Of paths, or of the first parts of them alone.
        """
        texts = self.requests.paths["path"][paths]
        if first_part:
            texts = texts.str.extract("^(/[^/]*)").fill_null("")
        texts = texts.str.replace_all(r"[0-9a-fA-F]{8}-?[0-9a-fA-F-]{9,}", "#")
        return texts.str.replace_all(r"\d+", "#")


def among(numbers: NDArray[np.uint16], *some: int) -> Flags:
    """Whether each of the numbers is among some."""
    known: Flags = np.zeros(1 << 16, dtype=bool)
    known[list(some)] = True
    return known[numbers]
