"""Stand-ins for the compiled module's objects, with the attributes that theory and report read."""

from __future__ import annotations

import heapq
import json
import math
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import thinktime as tt


@dataclass(frozen=True)
class Distribution:
    """A mixture of exponentials if ``phases`` is given, else uniform on [low, high]."""

    text: str
    phases: list[tuple[float, float]] | None = None
    low: float = 0.0
    high: float = 0.0

    @property
    def mean(self):
        if self.phases:
            return sum(p * m for p, m in self.phases)
        return (self.low + self.high) / 2

    @property
    def second_moment(self):
        if self.phases:
            return sum(2 * p * m * m for p, m in self.phases)
        return (self.low**2 + self.low * self.high + self.high**2) / 3

    @property
    def cv2(self):
        return self.second_moment / self.mean**2 - 1

    def cdf(self, x):
        if self.phases:
            return sum(p * -math.expm1(-max(x, 0) / m) for p, m in self.phases)
        if self.low == self.high:
            return float(x >= self.low)
        return min(1.0, max(0.0, (x - self.low) / (self.high - self.low)))

    def survival(self, x):
        if self.phases:
            return sum(p * math.exp(-max(x, 0) / m) for p, m in self.phases)
        return 1.0 - self.cdf(x)

    @property
    def discrete(self):
        return not self.phases and self.low == self.high

    @property
    def range(self):
        return self.low, self.high

    def quantile(self, u):
        return self.low + u * (self.high - self.low)

    def __str__(self):
        return self.text


def exp(mean):
    return Distribution(f"exp({1000 * mean:g}ms)", [(1.0, mean)])


def h2(mean, cv2):
    p = (1 + math.sqrt((cv2 - 1) / (cv2 + 1))) / 2
    return mix((p, mean / (2 * p)), (1 - p, mean / (2 * (1 - p))), text=f"h2({mean}, cv2={cv2})")


def mix(*phases, text="mix"):
    return Distribution(text, list(phases))


def uniform(low, high):
    return Distribution(f"uniform({low}, {high})", None, low, high)


def const(value):
    return Distribution(f"const({value})", None, value, value)


@dataclass
class Station:
    demand: Distribution | None
    servers: int = 1
    policy: str = "fcfs"
    name: str = "server"
    preemptive: bool = False
    in_turns: bool = False
    steady: bool = True

    def demand_of(self, request):
        return self.demand


@dataclass
class System:
    stations: list[Station]
    name: str = "one server"
    plain: bool = True
    machines: list[Any] = field(default_factory=list)
    clusters: list[Any] = field(default_factory=list)

    @property
    def tables(self) -> dict[str, Any]:
        """As a real one gives them."""
        real = tt.System("name = 's'\n[[station]]\nname = 'a'\ndemand = '1ms'\n").tables
        (station,) = real["station"]
        given = [
            {"name": one.name, "servers": one.servers, "policy": one.policy,
             "demand": str(one.demand)}
            for one in self.stations
        ]  # fmt: skip
        return real | {"name": self.name, "station": [station | one for one in given]}

    def to_toml(self) -> str:
        """Enough to distinguish systems."""
        return json.dumps(self.tables)


@dataclass
class Population:
    model: str
    clients: int | None
    session_rate: float | None
    request_rate: float | None
    poisson: bool
    think: Distribution | None
    thinks_after: list[Distribution | None]
    request_names: list[str]
    mix: list[float]
    visits: list[float] | None
    name: str = ""
    table: dict[str, Any] = field(default_factory=dict)

    @property
    def steps(self) -> list[float]:
        """The number of visits of sessions to each kind."""
        return self.visits or self.mix


@dataclass
class Workload:
    model: str
    clients: int | None = None
    request_rate: float | None = None
    session_rate: float | None = None
    poisson: bool = True
    think: Distribution | None = None
    session_length: Distribution | None = None
    requests_per_session: float = 1.0
    plain: bool = True
    name: str = "shop"
    seed: int = 1
    request_names: list[str] = field(default_factory=lambda: ["item"])
    request_weights: list[float] = field(default_factory=lambda: [1.0])

    @property
    def populations(self) -> list[Population]:
        """The only one."""
        visits = [self.requests_per_session * weight for weight in self.request_weights]
        return [
            Population(
                self.model, self.clients, self.session_rate, self.request_rate, self.poisson,
                self.think, [None] * len(self.request_names), self.request_names,
                self.request_weights, None if self.model == "closed" else visits,
                table=self._table(),
            )
        ]  # fmt: skip

    def _table(self) -> dict[str, Any]:
        """As a real population gives it."""
        real = tt.Workload("name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1\n").populations[0]
        process = "poisson" if self.poisson or self.model == "closed" else "even"
        arrivals = {"model": self.model, "clients": self.clients, "process": process}
        length, think = self.session_length, self.think
        session = {
            "think": None if think is None else think.text,
            "requests": None if length is None else length.text,
        }
        table = real.table
        return table | {
            "arrivals": table["arrivals"] | arrivals, "session": table["session"] | session,
        }  # fmt: skip

    @property
    def tables(self) -> dict[str, Any]:
        """Enough to distinguish workloads."""
        whole = [self.plain, list(self.request_names), str(self.session_length)]
        return {"name": self.name, "whole": whole, "population": [self._table()]}

    def with_seed(self, seed: int) -> tt.Workload:
        """A real one that does the same, for its simulation."""
        lines = [f'name = "stand-in"\nseed = {seed}\n[arrivals]\nmodel = "{self.model}"']
        if self.model == "closed":
            lines.append(f"clients = {self.clients}")
        else:
            lines.append(f"rate = {self.session_rate!r}")
        think = "const(0s)" if self.think is None else self.think.text
        lines += [] if self.model == "open" else [f'[session]\nthink = "{think}"', self._length()]
        return tt.Workload("\n".join(lines) + "\n")

    def _length(self) -> str:
        length = self.session_length
        return "" if length is None else f"requests = {json.dumps(length.text)}\n"


def one(demand, policy="fcfs", servers=1):
    return System([Station(demand, servers, policy)])


def open_(rate, **more):
    return Workload("open", request_rate=rate, session_rate=rate, **more)


def partly_open(rate, length, think, **more):
    """``rate`` is that of requests."""
    more |= {"session_rate": rate / length.mean, "session_length": length, "think": think}
    more["requests_per_session"] = length.mean
    return Workload("partly-open", request_rate=rate, **more)


def closed(clients, think, **more):
    return Workload("closed", clients=clients, think=think, poisson=False, **more)


PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}
NOTHING = dict.fromkeys(["mean", "ci95", "min", "max", *PERCENTILES])


def figures(times_s, ci95=None):
    """A TimeFigures table of a sample."""
    if len(times_s) == 0:
        return dict(NOTHING)
    figures = {"mean": times_s.mean(), "ci95": ci95, "min": times_s.min(), "max": times_s.max()}
    figures |= {name: np.quantile(times_s, p) for name, p in PERCENTILES.items()}
    return {name: None if value is None else float(value) for name, value in figures.items()}


@dataclass
class Result:
    path: Path
    kind: str
    summary: dict[str, Any]
    workload: Workload
    system: System | None
    target: str | None = None
    requests: pl.DataFrame | None = None
    rows_complete: bool = True
    series: pl.DataFrame | None = None
    times_s: np.ndarray = field(default_factory=lambda: np.empty(0))
    run_toml: str = ""
    run: dict[str, Any] = field(default_factory=dict)
    untrusted: str | None = None
    interrupted: bool = False
    schedule: list[dict[str, Any]] = field(default_factory=list)
    pages: pl.DataFrame | None = None
    label: str = "a result"
    labelled: Any = None
    validity: list[Any] = field(default_factory=list)
    objectives: list[Any] = field(default_factory=list)
    made: Any = None
    secrets: list[str] = field(default_factory=list)

    @property
    def populations(self):
        return self.summary.get("by_population", {})

    def __post_init__(self):
        real = real_result(self.kind)
        self.run_toml, self.run = self.run_toml or real.run_toml, self.run or real.run

    def survival(self):
        """The tail at the sample's own times, as a histogram would give it."""
        if len(self.times_s) == 0:
            return np.empty(0), np.empty(0)
        edges = np.geomspace(self.times_s.min(), self.times_s.max(), 3000)
        above = 1 - np.searchsorted(np.sort(self.times_s), edges, side="right") / len(self.times_s)
        return edges, above


@cache
def real_result(kind):
    """A short simulation, or a short run against a server of ours."""
    workload = tt.Workload("name='w'\n[arrivals]\nmodel='open'\nrate='50/s'\n")
    system = tt.System("name='s'\n[[station]]\nname='server'\ndemand='exp(1ms)'\n")
    if kind == "simulate":
        return tt.simulate(workload, system, requests=1000)
    with tt.serve(system) as server:
        return tt.run(workload, server.url, duration=0.3)


def summary(kind, model, times_s, duration_s, **more):
    n = len(times_s)
    base = {
        "kind": kind, "model": model, "seed": 1, "requests": n, "errors": 0, "timeouts": 0,
        "retries": 0, "dropped": 0, "sessions": n, "duration_s": duration_s, "warmup_s": 0.0,
        "offered_rate": n / duration_s if duration_s else 0.0,
        "throughput": n / duration_s if duration_s else 0.0, "think_time_s": 0.0,
        "response_time_s": figures(times_s, ci95=more.pop("ci95", None)),
        "service_time_s": figures(times_s), "lateness_s": dict(NOTHING), "stations": {},
        "by_request": {}, "errors_by_kind": {}, "warnings": [], "independent_requests": float(n),
    }  # fmt: skip
    return base | more


def fcfs_run(workload, demand, n, seed=1, lateness_s=0.0):
    """Scheduled and done times of ``n`` requests at one FCFS server, by Lindley's recursion."""
    rng = np.random.default_rng(seed)
    p, means = np.array(demand.phases).T
    demands = rng.exponential(means[rng.choice(len(p), n, p=p / p.sum())]).tolist()
    if workload.model != "closed":
        scheduled = np.cumsum(rng.exponential(1 / workload.request_rate, n))
        done, free = [], 0.0
        for begin, demand in zip(scheduled.tolist(), demands, strict=True):
            free = max(free, begin + lateness_s) + demand
            done.append(free)
        return scheduled, np.array(done)
    ready = sorted(rng.exponential(workload.think.mean, workload.clients).tolist())
    thinks = rng.exponential(workload.think.mean, n).tolist()
    scheduled, done, free = [], [], 0.0
    for demand, think in zip(demands, thinks, strict=True):
        scheduled.append(ready[0])
        free = max(free, ready[0] + lateness_s) + demand
        done.append(free)
        heapq.heapreplace(ready, free + think)
    return np.array(scheduled), np.array(done)


def result(kind, workload, system, n, seed=1, directory="results", **more):
    """A whole result of one FCFS station, measured ones a little slower than simulated ones."""
    demand = system.stations[0].demand
    lateness = 50e-6 if kind == "run" else 0.0
    scheduled, done = fcfs_run(workload, demand, n, seed, lateness)
    times = done - scheduled
    batches = [batch.mean() for batch in np.array_split(times, 20)] if n >= 20 else [0.0, 0.0]
    numbers = {"seed": seed, "ci95": 2.09 * float(np.std(batches, ddof=1)) / math.sqrt(20)}
    duration = float(done.max()) if n else 0.0
    if kind == "run":
        numbers["lateness_s"] = figures(np.full(n, lateness))
    else:
        load = demand.mean * n / duration if n else 0.0
        numbers["stations"] = {"server": {"load": load}}
    return Result(
        Path(directory), kind, summary(kind, workload.model, times, duration, **numbers | more),
        workload, system, target="http://127.0.0.1:8080" if kind == "run" else None,
        requests=rows(scheduled, done, lateness), series=series(scheduled, done), times_s=times,
    )  # fmt: skip


def rows(scheduled, done, lateness_s=0.0):
    """Requests that were all answered, each sent this much later than scheduled."""

    def nanos(times):
        return (np.asarray(times) * 1e9).astype(np.int64)

    return pl.DataFrame(
        {
            "replication": np.zeros(len(done), dtype=np.int64), "name": ["item"] * len(done),
            "attempt": np.ones(len(done), dtype=np.int64),
            "scheduled_ns": nanos(scheduled), "sent_ns": nanos(scheduled) + round(1e9 * lateness_s),
            "done_ns": nanos(done), "error": pl.Series([None] * len(done), dtype=pl.String),
        }
    )  # fmt: skip


def series(scheduled, done):
    seconds = int(max(done, default=0)) + 1
    edges = np.arange(seconds + 1)
    arrived, left = np.histogram(scheduled, edges)[0], np.histogram(done, edges)[0]
    return pl.DataFrame(
        {
            "start_s": edges[:-1].astype(float), "interval_s": np.ones(seconds),
            "name": ["item"] * seconds, "scheduled": arrived, "completed": left,
            "failed": np.zeros(seconds, dtype=np.int64),
            "response_mean_s": np.zeros(seconds), "response_max_s": np.zeros(seconds),
            "in_system": np.cumsum(arrived - left),
        }
    )  # fmt: skip


BIMODAL = mix((0.999, 0.001), (0.001, 0.1))  # 1 ms or, rarely, 100 ms


def demo_results(n=3000):
    """Three system models at load 0.8, each measured, simulated alike, and simulated long."""
    results = []
    think = exp(0.000275), exp(0.0100643)
    for workload in closed(1, think[0]), closed(10, think[1]), open_(0.8 / BIMODAL.mean):
        results += [
            result("run", workload, one(BIMODAL), n),
            result("simulate", workload, one(BIMODAL), n),
            result("simulate", workload, one(BIMODAL), 10 * n, seed=2),
        ]
    return results
