"""A bookstore's database under closed, partly open and open users, scheduled by class.

    .venv/bin/python studies/bookstore/study.py [--quick] [--mix MIX] [--loads L,L] [--to DIR]

It starts PostgreSQL on a core of its own, fills it, measures what each interaction demands, runs
all cells, simulates them, and writes results.json, tables.md and figures: see README.md. Needs
Debian's package postgresql and two cores; and root for scheduling classes: who is not root gets the
cells of the default scheduling. A quarter of an hour.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any

import demands
import mixes
import predict
import relay
import store
import tables

import thinktime as tt

sys.path.insert(0, str(mixes.HERE.parent))

from sample_path import at_load

WARMUP_S, SECONDS, USERS, ASKED, LONG_RUN = 15.0, 30.0, 50, 60, 200_000
"""How long runs are, how many closed users there are, how often a demand is measured, and how many
requests the simulation has that says what comes in the long run.
New connections plan their statements: at a load of 0.9 the queue that builds up meanwhile needs ten
times as long to go, and the warm-up is for that."""

QUICK = (0.5, 1.0, 10, 10, 5000)
"""The same of the quick study."""

LOWER = 0.3
"""Of a run at the highest load, so much is enough at a lower one, where queues soon end."""

PILOT, PILOTS, NEAR = 0.8, 3, 0.05
"""The load of the runs that say what demands are when others are there, how many there are at most,
and how near to that load is near enough."""


@dataclass(frozen=True)
class Cell:
    """One run: who the users are, how the backends are scheduled, and the load asked for."""

    model: str
    policy: str
    load: float
    part: float = 1.0
    """Of the length of a run."""

    pools: bool = False
    """Whether each class has a pool of connections of its own."""


class CoreClock:
    """Which share of its time a core is busy, with whatever: the kernel's work as well."""

    def __init__(self, core: int) -> None:
        """It runs from now on."""
        self.core = core
        self.mark()

    def mark(self) -> None:
        """Count from now on."""
        self.since = self._now()

    def busy(self) -> float:
        """The share since the mark."""
        idle, whole = (now - then for now, then in zip(self._now(), self.since, strict=True))
        return 1 - idle / max(whole, 1)

    def _now(self) -> tuple[int, int]:
        """Ticks without work, and all ticks."""
        for line in Path("/proc/stat").read_text("ascii").splitlines():
            name, *ticks = line.split()
            if name == f"cpu{self.core}":
                counts = [int(one) for one in ticks[:8]]  # what guests had is in the others
                return counts[3] + counts[4], sum(counts)
        raise SystemExit(f"/proc/stat does not know core {self.core}")


@dataclass(frozen=True)
class Bench:
    """What all cells have in common."""

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
    demands: dict[str, demands.Demand]

    def workload(self, model: str) -> dict[str, Any]:
        """The workload of a model, whose load is still to be set."""
        return mixes.workload_of(
            model, self.mix, self.size.books, self.store.customers, users=self.users
        )

    def run(self, workload: Any, policy: str, whole_s: float) -> dict[str, Any]:
        """Let it run; what came of it, and what CPU time the backends had."""
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
            "backends_load": self.relay.used_s() / (whole_s - self.warmup_s),
            "cpu_load": busy,
            "switches": self.relay.switches,
        }


def cells(loads: list[float], quick: bool) -> Iterator[Cell]:
    """All cells that this user may run; of the quick study three."""
    may = relay.permitted()
    if quick:
        policy = "PESJF" if "PESJF" in may else may[0]
        yield from (Cell(model, policy, loads[0]) for model in mixes.MODELS)
        return
    yield from (cell for cell in _every(loads) if cell.policy in may)


def _every(loads: list[float]) -> Iterator[Cell]:
    for load in loads:
        for model in ("open", "closed"):
            for policy in ("default", "PESJF", "PELJF"):
                yield Cell(model, policy, load, 1.0 if load == loads[-1] else LOWER)
    yield from (Cell("partly open", p, loads[-1]) for p in ("default", "PESJF", "PELJF"))
    yield from (Cell("open", p, loads[-1]) for p in ("PESJF, idle", "PESJF, nice", "PESJF, group"))
    yield Cell("open", "PESJF", loads[-1], pools=True)


def main() -> int:
    """Do all of it; returns the exit status."""
    options = _options()
    why = _missing()
    if why is not None:
        print(f"the bookstore cannot open: {why}", file=sys.stderr)
        return 2
    left_out = [policy for policy in relay.POLICIES if policy not in relay.permitted()]
    if left_out:
        print(f"left out, as only root may schedule so: {'; '.join(left_out)}", file=sys.stderr)
    # Ended so, it ends PostgreSQL, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    size = store.SMALL if options.quick else store.Size(options.books, options.customers)
    cores = sorted(os.sched_getaffinity(0))
    print("filling the database", file=sys.stderr)
    with store.filled(size, cores[0]) as filled:
        os.sched_setaffinity(0, {cores[-1]})
        with relay.relaying(filled.database.socket) as between:
            found = _measured(options, size, filled, between, cores[0])
    options.to.mkdir(parents=True, exist_ok=True)
    (options.to / "results.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    tables.write(options.to, found)
    print(options.to / "tables.md")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="three cells of a small store")
    parser.add_argument("--mix", choices=mixes.MIXES, default="browsing")
    parser.add_argument("--loads", default="0.5,0.7,0.9", help="loads of the database's core")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="length of each run")
    parser.add_argument("--books", type=int, default=store.Size.books)
    parser.add_argument("--customers", type=int, default=store.Size.customers)
    parser.add_argument("--to", type=Path, default=mixes.HERE, help="where to write")
    return parser.parse_args()


def _missing() -> str | None:
    """What is not there, if anything."""
    if not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        return "PostgreSQL is not installed (Debian's package postgresql)"
    if len(os.sched_getaffinity(0)) < 2:
        return "it needs two cores, one for PostgreSQL alone"
    return None


def _measured(
    options: argparse.Namespace,
    size: store.Size,
    filled: store.Store,
    between: relay.Relay,
    core: int,
) -> dict[str, Any]:
    """Demands, then a pilot run, then all cells with their predictions."""
    print("measuring demands", file=sys.stderr)
    usual = (WARMUP_S, options.seconds, USERS, ASKED, LONG_RUN)
    warmup_s, seconds, users, asked, long_run = QUICK if options.quick else usual
    each = demands.measured(filled, between, size, asked)
    bench = Bench(
        filled, size, between, core, options.mix, warmup_s, seconds, users, long_run, each
    )
    scale = _piloted(bench)
    mean_s, cv2 = demands.moments(each, mixes.shares(options.mix))
    chosen = list(cells([float(load) for load in options.loads.split(",")], options.quick))
    rows: list[dict[str, Any]] = []
    for _, group in groupby(chosen, lambda cell: (cell.model, cell.load)):
        more = []
        for cell in group:
            print(
                f"{len(rows) + 1} of {len(chosen)}: {cell.model}, {cell.policy}, {cell.load}",
                file=sys.stderr,
            )
            rows.append(_cell(bench, cell, scale))
            more.append(rows[-1]["measured"]["backends_load"] / rows[-1]["predicted"]["cpu_load"])
        # A machine that others share is not as fast at all times: the next ones go by these.
        scale *= fmean(more)
    return {
        "mix": options.mix,
        "size": asdict(size) | {"bytes": filled.bytes()},
        "demands": {name: one.figures() for name, one in each.items()},
        "mean_s": scale * mean_s, "cv2": cv2, "scale": scale, "seconds": seconds,
        "left_out": [policy for policy in relay.POLICIES if policy not in relay.permitted()],
        "cells": rows,
    }  # fmt: skip


def _piloted(bench: Bench) -> float:
    """How much larger demands are under load than alone, by runs until one has the load asked."""
    scale, whole_s = 1.0, bench.warmup_s + bench.duration_s
    for _ in range(PILOTS):
        model = predict.system(bench.demands, scale, "default", False)
        pilot = at_load(bench.workload("open"), model, predict.CORE, PILOT, whole_s)
        off = bench.run(pilot, "default", whole_s)["backends_load"] / PILOT
        scale *= off
        if abs(off - 1) < NEAR:
            break
    return scale


def _cell(bench: Bench, cell: Cell, scale: float) -> dict[str, Any]:
    """A cell, measured and simulated on the same sample path."""
    whole_s = bench.warmup_s + cell.part * bench.duration_s
    model = predict.system(bench.demands, scale, "default", False)
    workload = at_load(bench.workload(cell.model), model, predict.CORE, cell.load, whole_s)
    real: Any = workload
    if cell.pools:
        rate = workload.request_rate
        real = mixes.by_class(bench.mix, bench.size.books, bench.store.customers, rate)
    row: dict[str, Any] = asdict(cell) | {
        "scale": scale,
        "measured": bench.run(real, cell.policy, whole_s),
    }
    ends = {"duration": whole_s, "warmup": bench.warmup_s}
    row["predicted"] = _simulated(bench, cell, workload, scale, ends)
    # Backends that meet others take longer, and the kernel has work on their core, too.
    more = row["measured"]["cpu_load"] / row["predicted"]["cpu_load"]
    row["predicted_seen"] = _simulated(bench, cell, workload, scale * more, ends)
    long_run = {"requests": bench.long_run, "warmup": 10}
    row["long_run"] = _simulated(bench, cell, workload, scale, long_run)
    if cell.policy in ("default", *predict.LIGHT):
        row["kernel"] = _simulated(bench, cell, workload, scale, ends, kernel=True)
    return row


def _simulated(
    bench: Bench, cell: Cell, workload: tt.Workload, scale: float, ends: dict[str, Any],
    *, kernel: bool = False,
) -> dict[str, float]:  # fmt: skip
    model = predict.system(bench.demands, scale, cell.policy, kernel)
    summary = tt.simulate(workload, model, rows="none", **ends).summary
    busy = sum(one["load"] for one in summary["stations"].values())
    return predict.figures(summary) | {"cpu_load": busy}


if __name__ == "__main__":
    sys.exit(main())
