"""The ways in which benchmarks ask a server of tokens, each at the same throughput."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import thinktime as tt

HERE = Path(__file__).resolve().parent
SYSTEM = HERE / "system.toml"
PLACES = 64
"""The places of the server's batch."""

REQUEST = {
    "name": "ask",
    "post": "/v1/chat/completions",
    "stream": "sse",
    "tokens": {"prompt": "lognormal(mu=5.5, sigma=0.9)", "output": "geometric(200)"},
}
QUESTIONS = 4
"""The mean number of questions of a conversation."""

LOADS = (0.6, 0.8, 0.9, 0.95)
"""Shares of the server's capacity."""

RESERVE = 0.97
"""A limit of those in flight must let the rate through, or the line before it has no end."""


@dataclass(frozen=True)
class Seen:
    """The figures that a way reports, and those from when the requests were due; in seconds."""

    way: str
    load: float
    limit: int | None
    """The clients, or the most in flight."""

    throughput: float
    first_mean: float
    first_p99: float
    gap_p99: float
    response_mean: float
    response_p99: float
    line_mean: float
    """The mean wait before the sending, which the way does not report."""


def workload(arrivals: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A workload of the same questions."""
    return {"name": "questions", "arrivals": arrivals, "request": [REQUEST]} | more


def closed(clients: int) -> dict[str, Any]:
    """Clients who ask again at once."""
    return workload({"model": "closed", "clients": clients}, session={"think": "const(0s)"})


def open_model(rate: float, most: int | None = None) -> dict[str, Any]:
    """Requests that come by themselves, of which at most `most` are in flight."""
    limit = {} if most is None else {"clients": {"concurrency": most}}
    return workload({"model": "open", "rate": rate}, **limit)


def partly_open(rate: float, think: str = "exp(10s)") -> dict[str, Any]:
    """Conversations that begin by themselves, of several questions with pauses for thought."""
    session = {"requests": f"geometric({QUESTIONS})", "think": think}
    return workload({"model": "partly-open", "rate": rate / QUESTIONS}, session=session)


def ways(requests: int, loads: tuple[float, ...] = LOADS) -> Iterator[Seen]:
    """All ways at all loads, from simulations of this many requests each."""

    def throughput(clients: int) -> float:
        return float(_simulation(closed(clients), requests).summary["throughput"])

    capacity = throughput(PLACES)
    for load in loads:
        rate = load * capacity
        clients = fewest(rate, PLACES, throughput)
        most = fewest(rate / RESERVE, PLACES, throughput)
        yield seen("closed", load, clients, _rows(closed(clients), requests))
        capped = _rows(open_model(rate, most), requests)
        yield seen("rate and limit, as reported", load, most, capped, from_sending=True)
        yield seen("rate and limit, from due", load, most, capped)
        yield seen("open", load, None, _rows(open_model(rate), requests))
        yield seen("partly open", load, None, _rows(partly_open(rate), requests))


def fewest(rate: float, places: int, throughput: Callable[[int], float]) -> int:
    """The fewest closed clients with this throughput, or as many as the server has places.

    More clients never have less done.
    """
    least, most = 1, places
    while least < most:
        middle = (least + most) // 2
        enough = throughput(middle) >= rate
        least, most = (least, middle) if enough else (middle + 1, most)
    return least


def _simulation(given: dict[str, Any], requests: int) -> tt.Result:
    return tt.simulate(given, SYSTEM, requests=requests, rows="all", seed=7)


def _rows(given: dict[str, Any], requests: int) -> pl.DataFrame:
    result = _simulation(given, requests)
    assert result.untrusted is None, result.untrusted
    return rows_of(result)


def rows_of(result: tt.Result) -> pl.DataFrame:
    """The requests that count and were answered, in seconds; the last ones may have had no time.

    The gap is the mean time between the tokens of a response: a real server may send more events
    than tokens.
    """
    counted = pl.col("scheduled_ns") >= result.summary["warmup_s"] * 1e9
    rows = pl.DataFrame(result.requests).filter(counted, pl.col("first_event_s").is_not_null())
    response = (pl.col("done_ns") - pl.col("scheduled_ns")) / 1e9
    gaps = pl.col("output_tokens").cast(pl.Int64) - 1
    return rows.select(
        line=(pl.col("sent_ns") - pl.col("scheduled_ns")) / 1e9,
        first=pl.col("first_event_s"),
        gap=pl.when(gaps > 0).then((response - pl.col("first_event_s")) / gaps),
        response=response,
        done=pl.col("done_ns") / 1e9,
    )


def seen(
    way: str, load: float, limit: int | None, rows: pl.DataFrame, *, from_sending: bool = False
) -> Seen:
    """The figures of a way; `from_sending` leaves out the wait before it."""
    line = pl.col("line") if from_sending else pl.lit(0.0)
    rows = rows.with_columns(first=pl.col("first") - line, response=pl.col("response") - line)
    span_s = float(rows["done"].max() - rows["done"].min())  # type: ignore[operator] # numbers

    def p99(name: str) -> float:
        return float(rows[name].quantile(0.99, "higher") or 0.0)

    def mean(name: str) -> float:
        return float(rows[name].mean() or 0.0)  # type: ignore[arg-type] # numbers

    return Seen(
        way, load, limit, len(rows) / span_s, mean("first"), p99("first"), p99("gap"),
        mean("response"), p99("response"), mean("line"),
    )  # fmt: skip
