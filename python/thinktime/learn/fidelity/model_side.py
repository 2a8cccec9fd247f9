"""The learned side: the workload simulated without waiting, as a stretch of requests.

The simulated system delays each request by a duration of the log's, so that sessions proceed as
they did in the log. Its arrivals are then fed to the same queues as the log's requests.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from thinktime import _core
from thinktime.candidates.candidate import station
from thinktime.inputs.files import system_of
from thinktime.inputs.options import options_json
from thinktime.learn.fidelity.log_side import LogSide
from thinktime.learn.fidelity.stream import FloatArray, IntArray, Stream, dealt_by_kind, spread
from thinktime.learn.temporary_folder import temporary_folder
from thinktime.results.files import write_table

LEAD_S = 1800.0
"""The least time from the beginning of the simulation to the stretch: earlier sessions reach into
it."""

LEAD_SESSIONS = 4.0
"""The same time as a multiple of the mean length of a session."""

DELAYS = 40
"""The number of equal parts of the log's durations, by which a kind of request is delayed."""

SESSIONS = 2**48
"""The numbers of a population's sessions begin at its place times this: docs/results.md."""

UNITS_S = {"_ms": 1e-3, "_us": 1e-6, "_ns": 1e-9}
TRACE = re.compile(r"trace\(\s*([^,()]+?\.(?:parquet|csv))\s*(?:,\s*(.*))?\)")
RATES = re.compile(r"rates\(\s*([^,()]+?\.(?:parquet|csv))\s*,\s*(.*)\)")
COLUMN = re.compile(r"column\s*=\s*([\w-]+)")
EVERY = re.compile(r"every\s*=\s*([\d.]+)(s|min|h)\b")
EVERY_S = {"s": 1.0, "min": 60.0, "h": 3600.0}
EPOCH_S = 1e8
"""Times beyond this are since 1970, others since the log's first request."""

CONSTANT = "constant"
NONE = 1e-12
"""The rate of a population of which no session begins."""

WORKERS = 1_000_000
"""More than there are requests at one time."""

MARGIN = 5.0
"""A simulation ends at this multiple of the log's requests, whatever the workload."""


@dataclass(frozen=True)
class Population:
    """How sessions of a population begin: at the times or the rates of a file, or by a model."""

    key: str
    """The prefix of its keys, as in `population.visitors.`; empty for the only one."""

    closed: bool
    """Whether it is a fixed number of clients, whose sessions do not begin by themselves."""

    changes: bool
    """Whether its rate changes without a file."""

    starts_s: FloatArray | None
    """The beginnings of sessions before and in the stretch, in seconds since its beginning."""

    rates: FloatArray | None
    """The rates of sessions in intervals of `step_s` from the log's beginning, relative to their
    mean."""

    step_s: float


class ModelSide:
    """A learned workload that is simulated repeatedly in the stretch of a log."""

    def __init__(
        self, text: str, folder: Path, names: list[str], log: LogSide, zero_ns: int
    ) -> None:
        """Read the workload.

        Args:
            text: The workload file.
            folder: The folder of the files that it names.
            names: The names of the log's kinds of request, by their numbers.
            log: The log's stretch.
            zero_ns: The time of the log's first request, since 1970.
        """
        self._log = log
        self._workload = _core.Workload(text, str(folder / "workload.toml"))
        self._folder = folder
        self._zero_ns = zero_ns
        tables = tomllib.loads(text)
        several = tables.get("population")
        those = [
            (f"population.{one['name']}." if several else "", one.get("arrivals", {}))
            for one in several or [tables]
        ]
        longest = max(map(lasts_s, self._workload.populations), default=0.0)
        self.lead_s = max(LEAD_S, min(LEAD_SESSIONS * longest, log.begin_s))
        self._populations = [self._population(*one) for one in those]
        # If a rate changes, its values before the stretch are not known: all of the time before is
        # simulated.
        if any(one.changes for one in self._populations):
            self.lead_s = log.begin_s
            self._populations = [self._population(*one) for one in those]
        self._kinds = self._kinds_of(names)
        self._system = system_of(self._delays(names))

    def stream(self, seed: int) -> Stream:
        """The requests of the stretch under a seed."""
        with temporary_folder() as folder:
            workload = self._workload
            for place, one in enumerate(self._populations):
                workload = self._cut(workload, one, folder / f"{place}.parquet")
            steps = [one.step_s for one in self._populations]
            steps += [
                float(np.ptp(one.starts_s)) / max(len(one.starts_s) - 1, 1)
                for one in self._populations
                if one.starts_s is not None and len(one.starts_s)
            ]
            duration = self.lead_s + self._log.stream.length_s + max(steps) + 1.0
            expected = len(self._log.stream) * duration / self._log.stream.length_s
            most = int(MARGIN * expected) + 1000
            given = {"duration": duration, "warmup": 0.0, "requests": most}
            options = options_json("simulate", given)
            workload = workload.with_seed(seed)
            rows = pl.DataFrame(_core.requests_of(workload, self._system, options))
        return self._read(rows, workload, seed)

    def _population(self, key: str, arrivals: dict[str, Any]) -> Population:
        closed, profile = arrivals.get("model") == "closed", str(arrivals.get("profile", CONSTANT))
        starts, rates = TRACE.fullmatch(str(arrivals.get("process", ""))), RATES.fullmatch(profile)
        starts_s = self._starts(self._column(starts[1], starts[2] or "")) if starts else None
        every = EVERY.search(rates[2]) if rates else None
        if rates is None or every is None:
            return Population(key, closed, profile != CONSTANT, starts_s, None, 0.0)
        values = self._column(rates[1], rates[2]).to_numpy().astype(np.float64)
        values /= max(float(values.mean()), 1e-300)
        step_s = float(every[1]) * EVERY_S[every[2]]
        return Population(key, closed, False, starts_s, values, step_s)

    def _starts(self, times: pl.Series) -> FloatArray:
        """The beginnings of sessions before and in the stretch, in seconds since its beginning."""
        unit_s, zero_s = UNITS_S.get(times.name[-3:], 1.0), self._log.begin_s
        if len(times) and float(times[len(times) // 2]) * unit_s > EPOCH_S:
            zero_s += self._zero_ns * 1e-9
        # A million sessions would take megabytes: only the few in the stretch are kept.
        low, high = (
            (bound_s + zero_s) / unit_s for bound_s in (-self.lead_s, self._log.stream.length_s)
        )
        inside = times.filter(times.is_between(low, high, closed="left")).sort()
        kept = np.asarray(inside.to_numpy() * unit_s - zero_s, np.float64)
        if len(kept) and kept[0] == kept[-1]:  # a trace has two times: one after the stretch
            kept = np.append(kept, self._log.stream.length_s + 1.0)
        return kept

    def _column(self, file: str, options: str) -> pl.Series:
        """A column of a file: the named one, or the first; it may end in nulls."""
        path, named = self._folder / file, COLUMN.search(options)
        table = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)
        series = (table[named[1]] if named else table.to_series(0)).drop_nulls()
        return series if series.dtype.is_integer() else series.cast(pl.Float64)

    def _cut(self, workload: _core.Workload, one: Population, file: Path) -> _core.Workload:
        """The workload with a population's sessions from the time before the stretch on."""
        key = f"{one.key}arrivals"
        if one.rates is not None:
            end = int((self._log.begin_s + self._log.stream.length_s) // one.step_s) + 2
            kept = one.rates[self._first_step(one.step_s) : end]
            mean = float(kept.mean()) if len(kept) else 0.0
            if mean > 0:
                rates = file.with_suffix(".rates.parquet")
                write_table(rates, pl.DataFrame({"rate": kept}))
                profile = f"rates({rates}, every={one.step_s}s)"
                workload = workload.with_value(f"{key}.profile", profile)
            named = one.key.removeprefix("population.").removesuffix(".")
            of = next(each for each in self._workload.populations if each.name == named)
            rate = float(of.session_rate or 0.0) * mean
            workload = workload.with_value(f"{key}.rate", repr(max(rate, NONE)))
        if one.starts_s is None:
            return workload
        if len(one.starts_s) == 0:
            # The rate first: with a trace it may be present, and without one it must be.
            return workload.with_value(f"{key}.rate", f"{NONE}").with_value(
                f"{key}.process", "even"
            )
        write_table(file, pl.DataFrame({"start_s": one.starts_s - one.starts_s[0]}))
        return workload.with_value(f"{key}.process", f"trace({file})")

    def _first_step(self, step_s: float) -> int:
        """The interval of a table of rates in which the time before the stretch begins."""
        return max(0, int((self._log.begin_s - self.lead_s) // step_s))

    def _kinds_of(self, names: list[str]) -> IntArray:
        """The number of each of the workload's kinds of request among the log's names.

        Kinds that the log does not have get one more than the last number.
        """
        numbers = {name: number for number, name in enumerate(names)}
        of = self._workload.populations
        found = [numbers.get(name, len(names)) for one in of for name in one.request_names]
        return np.array(found, np.int64)

    def _delays(self, names: list[str]) -> dict[str, Any]:
        """A system in which each kind of request is delayed by the durations of the log."""
        laws = dict.fromkeys(self._workload.request_names, "0s")
        all_s = np.concatenate(self._log.durations_s or [np.empty(0)])
        durations = dict(zip(names, self._log.durations_s, strict=False))
        for name in laws:
            values = durations.get(name, all_s)
            values = values if len(values) else all_s
            if len(values):
                parts = np.quantile(values, (np.arange(DELAYS) + 0.5) / DELAYS)
                parts *= values.mean() / parts.mean() if parts.mean() > 0 else 0.0
                terms = ", ".join(f"{1 / DELAYS}: {value:.9f}s" for value in parts)
                laws[name] = f"discrete({terms})"
        return {"name": "no waiting", "station": [station("delay", "ps", WORKERS, laws)]}

    def _read(self, rows: pl.DataFrame, workload: _core.Workload, seed: int) -> Stream:
        times = rows["scheduled_ns"].to_numpy() * 1e-9
        session, number = rows["session"].to_numpy(), rows["request"].to_numpy()
        place = (session // SESSIONS).astype(np.int64)
        shift = np.full(len(self._populations), -self.lead_s)
        for population, one in enumerate(self._populations):
            if one.rates is not None:
                shift[population] = self._first_step(one.step_s) * one.step_s - self._log.begin_s
            first = np.flatnonzero((session == population * SESSIONS) & (number == 0))
            if one.starts_s is not None and len(one.starts_s) and len(first):
                shift[population] = one.starts_s[0] - times[first[0]]
        times = times + shift[place]
        inside = np.flatnonzero((times >= 0) & (times < self._log.stream.length_s))
        inside = inside[np.argsort(times[inside], kind="stable")]
        return self._stretch(rows[inside], times[inside], workload, seed)

    def _stretch(
        self, rows: pl.DataFrame, times: FloatArray, workload: _core.Workload, seed: int
    ) -> Stream:
        log, draw = self._log.stream, np.random.default_rng(seed)
        kind = self._kinds[rows["kind"].to_numpy()]
        asked = rows.select("kind", "session", "request")
        wanted = pl.DataFrame(_core.asked_for(workload, asked))
        size = wanted["size"].cast(pl.Float64).to_numpy()
        demand = dealt_by_kind(kind, log, draw)
        if self._log.demands.source == "sizes":
            demand = np.where(np.isnan(size), demand, size * self._log.demands.scale)
        target = np.unique(wanted["target"].to_numpy(), return_inverse=True)[1]
        arrival = np.clip(spread(times, self._log.step_s, draw), 0, log.length_s)
        of = (rows["session"].to_numpy() // SESSIONS).astype(np.int64)
        by_themselves = ~np.array([one.closed for one in self._populations])[of]
        return Stream(
            log.length_s, arrival, kind, demand, target.astype(np.int64),
            _bytes(size, kind, log), (rows["request"].to_numpy() == 0) & by_themselves,
        )  # fmt: skip


def lasts_s(one: _core.Population) -> float:
    """The mean sum of a session's think times; 0 for a closed population."""
    if one.session_rate is None:
        return 0.0
    usual = 0.0 if one.think is None else one.think.mean
    thinks = [usual if law is None else law.mean for law in one.thinks_after]
    return float(np.dot(one.steps, thinks))


def _bytes(size: FloatArray, kind: IntArray, log: Stream) -> IntArray:
    """Sizes of targets; if the workload has none, the mean of the log's kind."""
    kinds = int(max(kind.max(initial=0), log.kind.max(initial=0))) + 1
    counts = np.bincount(log.kind, minlength=kinds)
    means = np.bincount(log.kind, log.bytes, minlength=kinds) / np.maximum(counts, 1)
    overall = float(log.bytes.mean()) if len(log) else 1.0
    means = np.where(counts > 0, means, overall)
    return np.maximum(np.where(np.isnan(size), means[kind], size), 1).astype(np.int64)
