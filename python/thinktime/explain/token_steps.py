"""The responses of a server of tokens, and the times of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime.explain.visits import answered, network_s

if TYPE_CHECKING:
    from thinktime.results.result import Result

GAPS_MIN = 5
"""The mean of fewer gaps says little of steps."""

ROUNDS = 5
"""The times of steps say how many there were of each length, and these say the times anew."""

Numbers = NDArray[np.float64]
Times = tuple[float, float, float]
"""Of a step, of each request in it, and of each token of a prompt that it reads; in seconds."""


@dataclass(frozen=True)
class Responses:
    """The answered requests of a result, in the order of their sending. Times are in seconds."""

    rows: pl.DataFrame

    def column(self, name: str) -> Numbers:
        return self.known[name].cast(pl.Float64).to_numpy()

    @cached_property
    def known(self) -> pl.DataFrame:
        """Those whose tokens are known."""
        return self.rows.drop_nulls()

    def _levels(self, begin: str) -> tuple[Numbers, Numbers]:
        """The times at which a response began or ended, and how many were under way from then."""
        first, last = self.column(begin), self.column("last")
        at = np.concatenate([first, last])
        change = np.concatenate([np.ones(len(first)), -np.ones(len(last))])
        order = np.lexsort((change, at))
        return at[order], np.cumsum(change[order])

    def running_max(self, begin: str) -> int:
        """The most that were there together, each from its column `begin` on."""
        return max(1, int(self._levels(begin)[1].max()))

    def running_mean(self, times: Times | None = None) -> Numbers:
        """The mean number of responses under way, from the first token of each to its last.

        It is over time, or over the steps in it, if the times of steps are known.
        """
        at, level = self._levels("first")
        rate = np.where(level > 0, 1.0, 0.0) if times is None else _steps_a_second(level, times)
        first, last = self.column("first"), self.column("last")
        ends = np.sort(first)
        # The step that reads a prompt is longer by that, and is one step all the same.
        longer = np.zeros(len(ends)) if times is None else times[2] * self.column("prompt")
        longer = longer[np.argsort(first)]
        place = np.maximum(np.searchsorted(at, ends) - 1, 0)

        def between(each: Numbers) -> Numbers:
            """The sum over the steps of what each has, by its level."""
            area = np.concatenate([[0.0], np.cumsum((each * rate)[:-1] * np.diff(at))])
            lost = np.concatenate([[0.0], np.cumsum(longer * (each * rate)[place])])

            def until(time: Numbers) -> Numbers:
                now = np.searchsorted(at, time, side="right") - 1
                before = np.searchsorted(ends, time, side="right")
                return np.asarray(area[now] + (each * rate)[now] * (time - at[now]) - lost[before])

            return until(last) - until(first)

        steps = between(np.ones(len(level)))
        mean = between(level) / np.maximum(steps, 1e-12)
        return np.clip(mean, 1.0, level.max())

    def prompts_meanwhile(self) -> Numbers:
        """The tokens of prompts that were read between the first token of each and its last."""
        order = np.argsort(self.column("first"))
        first = self.column("first")[order]
        total = np.concatenate([[0.0], np.cumsum(self.column("prompt")[order])])

        def until(time: Numbers) -> Numbers:
            return total[np.searchsorted(first, time, side="right")]

        return until(self.column("last")) - until(self.column("first"))


def rows_of(result: Result, most: int) -> pl.DataFrame:
    """The times and the tokens of the answered requests, as the server saw them, in seconds."""
    columns = ("name", "scheduled_ns", "first_event_s", "prompt_tokens", "output_tokens")
    rows = answered(result, most, *columns)
    way_s = network_s(result) / 2
    return rows.select(
        name=pl.col("name"),
        sent=pl.col("begin_ns") * 1e-9 + way_s,
        first=pl.col("scheduled_ns") * 1e-9 + pl.col("first_event_s") - way_s,
        last=pl.col("done_ns") * 1e-9 - way_s,
        prompt=pl.col("prompt_tokens"),
        output=pl.col("output_tokens"),
    )


def _steps_a_second(level: Numbers, times: Times) -> Numbers:
    """The rate of steps that read no prompts, by the number of responses under way."""
    return np.where(level > 0, 1 / np.maximum(times[0] + times[1] * level, 1e-9), 0.0)


def step_times(responses: Responses) -> Times:
    """Of a step, of each request in it, and of each token of a prompt that it reads."""
    from scipy.optimize import nnls

    gaps = responses.column("output") - 1
    use = gaps >= GAPS_MIN
    gaps = gaps[use]
    mean = (responses.column("last") - responses.column("first"))[use] / gaps
    prompts = responses.prompts_meanwhile()[use] / gaps
    # A mean of more gaps is known better.
    weight = np.sqrt(gaps)
    times: Times | None = None
    for _ in range(1 + ROUNDS):
        causes = np.column_stack([np.ones_like(gaps), responses.running_mean(times)[use], prompts])
        found, _ = nnls(causes * weight[:, None], mean * weight)
        times = (float(found[0]), float(found[1]), float(found[2]))
    assert times is not None
    return times
