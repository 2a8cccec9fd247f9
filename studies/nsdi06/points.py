"""The points of the study: their simulation, from the base files, and their results."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import exact
from hold import think_for_load

import thinktime as tt

HERE = Path(__file__).resolve().parent
MEAN, AUCTION_MEAN = 10.0, 0.09
KINDS = ("pesjf", "peljf")
REQUESTS = 1_500_000

_FILES = {model: tt.Workload.load(HERE / f"workload-{model}.toml") for model in exact.MODELS}
_SYSTEM = tt.System.load(HERE / "system.toml")
_TWO_KINDS = tt.System.load(HERE / "system-two-kinds.toml")
_AUCTION = tt.System.load(HERE / "system-auction.toml")


@dataclass(frozen=True)
class Point:
    """One simulation: everything that it depends on."""

    model: str
    """`open`, `closed` or `partly-open`."""

    policy: str = "fcfs"
    load: float | None = 0.9
    """The held load; None keeps the think time (closed only)."""

    cv2: float = 8.0
    clients: int = 100
    """The MPL of a closed system."""

    session: float = 4.0
    """The mean number of requests of a session, 1 / (1 - p), of a partly-open system."""

    think: float = 10.0
    """The mean think time in seconds of a partly-open system, or of a closed one without load."""

    auction: bool = False
    """Whether the demands are those of the auction site."""

    @property
    def mean(self) -> float:
        """E[S] in seconds."""
        return AUCTION_MEAN if self.auction else MEAN

    def requests(self, scale: float) -> int:
        """The number of requests for its precision: more near saturation."""
        load = self.load or 0.0
        factor = 1 if load < 0.82 else 2 if load < 0.88 else 3 if load < 0.93 else 6
        if self.model == "closed" and self.clients <= 100:
            factor = min(factor, 2)
        return max(50_000, int(REQUESTS * factor * scale))


@dataclass(frozen=True)
class Answer:
    """The simulated value, and the exact one if theory has it."""

    mean: float
    ci95: float | None
    median: float
    load: float
    """The throughput times the exact E[S]: less noisy than the time that the server was busy."""

    busy: float
    """The share of the time that the server was busy."""

    think: float | None
    exact: float | None
    """The exact mean response time."""

    requests: int
    warnings: tuple[str, ...]


def system(point: Point) -> tt.System:
    """The system of a point."""
    if point.auction:
        return _AUCTION.with_value("station.server.policy", point.policy)
    if point.policy not in KINDS:
        found = _SYSTEM.with_value("station.server.policy", point.policy)
        return found.with_value("station.server.demand", f"h2({MEAN}s, cv2={point.cv2})")
    share = short_share(point.cv2)
    found = _TWO_KINDS.with_value("station.server.policy", point.policy)
    found = found.with_value("station.server.demand.short", f"exp({MEAN / 2 / share!r}s)")
    return found.with_value("station.server.demand.long", f"exp({MEAN / 2 / (1 - share)!r}s)")


def short_share(cv2: float) -> float:
    """The probability of the short phase of a hyperexponential law with balanced means."""
    return (1 + math.sqrt((cv2 - 1) / (cv2 + 1))) / 2


def workload(point: Point, scale: float = 1.0) -> tt.Workload:
    """The workload of a point, at its load."""
    share = short_share(point.cv2)
    found = _FILES[point.model].with_value("request.short.weight", repr(share))
    found = found.with_value("request.long.weight", repr(1 - share))
    if point.model == "partly-open":
        found = found.with_value("session.requests", f"geometric({point.session})")
        found = _with_think(found, point.think)
    if point.model == "closed":
        found = found.with_value("arrivals.clients", str(point.clients))
        return _closed(found, point, scale)
    return found if point.load is None else found.at_load(system(point), point.load)


def _closed(found: tt.Workload, point: Point, scale: float) -> tt.Workload:
    """By exact theory if it gives the think time, else by simulation."""
    if point.load is None:
        return _with_think(found, point.think)
    think = exact.think_time(point, point.load)
    if think is None:
        start = exact.think_time(replace(point, policy="ps"), point.load) or 0.0
        cycle = point.clients * point.mean / point.load
        think = think_for_load(
            lambda think: _with_think(found, think), system(point), cycle, start, scale
        )
    return _with_think(found, think)


def _with_think(found: tt.Workload, think: float) -> tt.Workload:
    return found.with_value("session.think", f"exp({think!r}s)" if think > 0 else "0s")


def simulate(point: Point, scale: float) -> Answer:
    """Simulate a point; `scale` shrinks the number of requests."""
    used, station = workload(point, scale), system(point)
    result = tt.simulate(used, station, requests=point.requests(scale), rows="none")
    summary: dict[str, Any] = result.summary
    times = summary["response_time_s"]
    return Answer(
        mean=times["mean"],
        ci95=times["ci95"],
        median=times["p50"],
        load=summary["throughput"] * point.mean,
        busy=summary["stations"]["server"]["load"],
        think=summary.get("think_time_s"),
        exact=exact.mean_response(point, used, station),
        requests=summary["requests"],
        warnings=tuple(summary["warnings"]),
    )


def opened(point: Point) -> Point:
    """The open point at the same load, policy and demands."""
    return Point("open", point.policy, point.load, point.cv2, auction=point.auction)


def fixed_think(point: Point, think: float) -> Point:
    """The same closed point with its think time given, at any resulting load."""
    return replace(point, load=None, think=think)
