"""The runs of a cell, each beside its prediction."""

from __future__ import annotations

import sys
import threading
from dataclasses import asdict, dataclass
from typing import Any

import demands
import mixes
import predict
import relay
import store
from core_clock import CoreClock
from replay import replayed
from store_cells import Cell

import thinktime as tt

sys.path.insert(0, str(mixes.HERE.parent))

from sample_path import at_load

FAR = 1.25
"""The greatest factor by which the demands change from one run to the next."""


@dataclass(frozen=True)
class Bench:
    """The common data of all cells."""

    store: store.Store
    size: store.Size
    relay: relay.Relay
    core: int
    """PostgreSQL's core."""
    mix: str
    warmup_s: float
    duration_s: float
    users: int
    long_run: int
    """The number of requests that shows the long run."""
    demands: dict[str, demands.Demand]

    def workload(self, model: str) -> dict[str, Any]:
        """The workload of a model, whose load is still to be set."""
        return mixes.workload_of(
            model, self.mix, self.size.books, self.store.customers, users=self.users
        )

    def run(self, workload: Any, policy: str, whole_s: float) -> dict[str, Any]:
        """Run it; returns the result, and the CPU time of the backends."""
        self.relay.reset(policy)
        core = CoreClock(self.core)
        marking = [threading.Timer(self.warmup_s, one) for one in (self.relay.mark, core.mark)]
        for one in marking:
            one.start()
        result = tt.run(
            workload, self.store.url(self.relay.port), duration=whole_s,
            warmup=self.warmup_s, drain=20, rows="none",
        )  # fmt: skip
        summary, busy = result.summary, core.busy()
        for one in marking:
            one.join()
        return predict.figures(summary) | {
            "requests": summary["requests"],
            "errors": summary["errors"],
            "throughput": summary["throughput"],
            "lateness_p99_s": (summary["lateness_s"] or {}).get("p99"),
            "waiting_s": (summary.get("waiting_s") or {}).get("mean", 0.0),
            "backends_load": self.relay.used_s() / (whole_s - self.warmup_s),
            "cpu_load": busy,
            "switches": self.relay.switches,
            "replay": replayed(self.relay.trips, policy, self.warmup_s),
        }


def cell(bench: Bench, asked: Cell, scale: float) -> tuple[dict[str, Any], float]:
    """A cell's runs, first the nearest one to the requested load.

    Each run uses the demands that the one before it showed. Also returns the demands for the next
    cell; they are multiples of those measured alone, as `scale` is.
    """
    found = []
    for _ in range(asked.times):
        found.append(_run(bench, asked, scale))
        scale = found[-1].pop("better")
    nearest = min(found, key=lambda one: abs(one["measured"]["cpu_load"] - asked.load))
    kept = ("cpu_load", "mean_s", "short_s", "long_s", "waiting_s", "replay")
    runs = [
        {key: one["measured"][key] for key in kept}
        | {key: one[key]["mean_s"] for key in ("predicted", "predicted_seen")}
        for one in found
    ]
    return asdict(asked) | nearest | {"runs": runs}, scale


def _run(bench: Bench, asked: Cell, scale: float) -> dict[str, Any]:
    """One run, measured and simulated on the same sample path."""
    whole_s = bench.warmup_s + asked.part * bench.duration_s
    model = predict.system(bench.demands, scale, "default", False)
    workload = at_load(bench.workload(asked.model), model, predict.CORE, asked.load, whole_s)
    real: Any = workload
    if asked.pools:
        books, customers = bench.size.books, bench.store.customers
        real = mixes.by_class(bench.mix, books, customers, workload.request_rate)
    measured = bench.run(real, asked.policy, whole_s)
    # A load that is off by more has another cause than the machine's speed.
    better = scale * min(max(measured["cpu_load"] / asked.load, 1 / FAR), FAR)
    ends = {"duration": whole_s, "warmup": bench.warmup_s}
    row: dict[str, Any] = {"scale": scale, "measured": measured, "better": better}
    row["predicted"] = simulated(bench, asked.policy, workload, scale, ends)
    row["predicted_seen"] = simulated(bench, asked.policy, workload, better, ends)
    long_run = {"requests": bench.long_run, "warmup": 10}
    row["long_run"] = simulated(bench, asked.policy, workload, scale, long_run)
    if asked.policy in ("default", *predict.LIGHT):
        row["kernel"] = simulated(bench, asked.policy, workload, scale, ends, kernel=True)
    return row


def simulated(
    bench: Bench, policy: str, workload: Any, scale: float, ends: dict[str, Any],
    *, kernel: bool = False,
) -> dict[str, float]:  # fmt: skip
    """The simulation's figures for a workload, or for one that is still to be held at a `load`."""
    model = predict.system(bench.demands, scale, policy, kernel)
    summary = tt.simulate(workload, model, rows="none", **ends).summary
    busy = sum(one["load"] for one in summary["stations"].values())
    return predict.figures(summary) | {"cpu_load": busy}


CURVE = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.96]
"""The loads of the predicted curves."""

QUICK_CURVE = [0.5, 0.9]
"""Those of the quick study: for each load, the search of closed users takes seconds of
simulation."""


def curves(
    bench: Bench, scale: float, policies: tuple[str, ...], loads: list[float]
) -> dict[str, Any]:
    """Mean response times in the long run over loads, by model and policy.

    None for a load to which the users cannot bring the database: on a busy machine the path between
    them may take that long.
    """

    def mean_s(model: str, policy: str, load: float) -> float | None:
        ends = {"requests": bench.long_run, "warmup": 10, "load": load}
        try:
            return simulated(bench, policy, bench.workload(model), scale, ends)["mean_s"]
        except tt.InputError as error:
            print(f"{model}, {policy}, at a load of {load}: {error}", file=sys.stderr)
            return None

    return {
        model: {policy: [mean_s(model, policy, load) for load in loads] for policy in policies}
        for model in mixes.MODELS
    } | {"loads": loads}
