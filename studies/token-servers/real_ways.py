"""The ways of benchmarks on a real server of tokens, measured, and predicted by a fitted model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import ways

import thinktime as tt
from thinktime.explain.token_server import TokenServerFit, token_server_of

PLACES = 8
"""The places of the server's batch."""

PROMPT, OUTPUT = "lognormal(mu=3.6, sigma=0.7)", "truncated(geometric(60), hi=600)"
REQUEST = {
    "name": "ask",
    "post": "/v1/completions",
    "json": {
        "model": "random",
        "prompt": f"{{words(truncated({PROMPT}, hi=1000))}}",
        "max_tokens": f"{{{OUTPUT}}}",
        "stream": True,
        "stream_options": {"include_usage": True},
        "ignore_eos": True,
        "cache_prompt": False,
    },
    "stream": "sse",
    "timeout": "60s",
    "tokens": {"prompt": f"truncated({PROMPT}, hi=1000)", "output": OUTPUT},
}
"""Prompts that no other begins alike, and responses of a given length."""

CLOSED, REPORTED, DUE = "closed", "rate and limit, as reported", "rate and limit, from due"
OPEN, PARTLY_OPEN = "open", "partly open"
WAYS = (CLOSED, REPORTED, DUE, OPEN, PARTLY_OPEN)
TOKENS = ("prompt", "output")

Ask = Callable[[dict[str, Any], int], tt.Result]
"""Ask the server with a workload and a seed."""


@dataclass(frozen=True)
class Round:
    """All ways, measured one after another, and the model that was fitted to the open one."""

    fit: TokenServerFit
    seed: int
    results: dict[str, tt.Result]


@dataclass(frozen=True)
class Plan:
    """The load at which the ways are compared."""

    load: float
    """The share of the throughput with all places taken."""

    rate: float
    """The requests a second."""

    clients: int
    most: int
    """The limit of those in flight."""

    @property
    def workloads(self) -> dict[str, dict[str, Any]]:
        """The workload of each way that asks by itself."""
        return {
            OPEN: asked(ways.open_model(self.rate)),
            CLOSED: asked(ways.closed(self.clients)),
            REPORTED: asked(ways.open_model(self.rate, self.most)),
            PARTLY_OPEN: asked(ways.partly_open(self.rate, think="exp(1s)")),
        }


def asked(workload: dict[str, Any]) -> dict[str, Any]:
    """The workload with requests for the real server.

    Each has a connection of its own: llama.cpp's server closes some that it said it would keep.
    """
    clients = workload.get("clients", {}) | {"connections": "per-request"}
    return workload | {"request": [REQUEST], "clients": clients}


def planned(load: float, ask: Ask, simulated: Callable[[TokenServerFit], Ask]) -> Plan:
    """The rate of a load, by a run with all places taken, and the clients, by a model of it."""
    full = ask(asked(ways.closed(PLACES)), 0)
    rate = load * full.summary["throughput"]
    model = simulated(fitted(ask(asked(ways.open_model(rate)), 0)))

    def throughput(clients: int) -> float:
        return float(model(asked(ways.closed(clients)), 1).summary["throughput"])

    clients = ways.fewest(rate, PLACES, throughput)
    return Plan(load, rate, clients, ways.fewest(rate / ways.RESERVE, PLACES, throughput))


def measured(plan: Plan, ask: Ask, seed: int) -> Round:
    """Ask in all ways, and fit the model to the open one."""
    results = {way: ask(workload, seed) for way, workload in plan.workloads.items()}
    return Round(fitted(results[OPEN]), seed, results)


def fitted(result: tt.Result) -> TokenServerFit:
    """The model whose steps fit; its places, and that it reads whole prompts, are known."""
    return replace(token_server_of(result), max_batch=PLACES, prefill_chunk=None)


def repeated(plan: Plan, one: Round, simulated: Ask, folder: Path) -> dict[str, tt.Result]:
    """The ways of single requests on the model, at the times and of the tokens that were measured.

    The same seed has the same arrivals, and its tokens come from the rows.
    """
    found = {}
    for way in (OPEN, REPORTED):
        rows = pl.DataFrame(one.results[way].requests).sort("session")
        trace = folder / "rows.csv"
        rows.select(pl.col(f"{name}_tokens").fill_null(1) for name in TOKENS).write_csv(trace)
        tokens = {name: f"trace({trace}, column={name}_tokens)" for name in TOKENS}
        workload = plan.workloads[way] | {"request": [REQUEST | {"tokens": tokens}]}
        found[way] = simulated(workload, one.seed)
    return found


def seen(plan: Plan, results: dict[str, tt.Result]) -> dict[str, ways.Seen]:
    """The figures of each way in these results."""
    limits = {CLOSED: plan.clients, REPORTED: plan.most, DUE: plan.most}
    found = {}
    for way in WAYS:
        result = results.get(REPORTED if way == DUE else way)
        if result is not None:
            rows, sending = ways.rows_of(result), way == REPORTED
            found[way] = ways.seen(way, plan.load, limits.get(way), rows, from_sending=sending)
    return found
