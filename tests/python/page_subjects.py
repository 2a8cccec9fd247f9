"""The subjects of the tests' pages: made by hand, so that their figures never change."""

from __future__ import annotations

import math
from pathlib import Path

import fakes
import numpy as np
import polars as pl
from fakes import BIMODAL, exp, one, open_, partly_open

import thinktime as tt
from thinktime.capacity_search.answer import Capacity
from thinktime.capacity_search.probe import Probe
from thinktime.comparison import Estimate, Subject
from thinktime.comparison.estimate import FIGURES
from thinktime.history import HistoryEntry, trends
from thinktime.monitor import live_page
from thinktime.monitor.frames import CheckInputs, WatchedRun
from thinktime.operations.run_progress import Moment
from thinktime.sweeps.curves import SweepCurves
from thinktime.sweeps.grid import Axis

LONG = "a very long name of a workload, as people give them, with many words, before the release"


def results():
    """Measured, simulated, exact; two runs of one workload; names that are long."""
    workload = open_(0.8 / BIMODAL.mean, name=LONG)
    sessions = partly_open(80, fakes.Distribution("geometric(4)", [(1.0, 4.0)]), exp(7))
    found = fakes.demo_results()
    found += [
        fakes.result("run", workload, one(BIMODAL), 2000, seed, directory=directory)
        for seed, directory in ((3, "runs/before deploy"), (4, "runs/after deploy"))
    ]
    found.append(fakes.result("simulate", sessions, one(exp(0.01)), 3000))
    found[0].summary["warnings"] = ["the generator itself was late by 1.20 ms on average"]
    return found


REACHED = {
    "name": "load", "verdict": "fine", "found": "a load of 0.500 was reached", "advice": "",
}  # fmt: skip
UNSURE = {
    "name": "percentiles", "verdict": "doubtful",
    "found": "too few independent requests for p99: p99 is that of about 120 independent ones "
    "(207 at most), and 368 are needed",
    "advice": "run 3.1 times as long, or judge by p95",
}  # fmt: skip


def swept(measured=False):
    """Two keys, two policies; the mean goes with 1 / (1 - load)."""
    axes = [
        Axis("load", ("0.1", "0.5", "0.9")),
        Axis("station.server.policy", ("fcfs", "ps")),
    ]
    rows = [
        {
            "load": load, "station.server.policy": policy, "seed": 1,
            "response_mean_s": mean, "response_ci95_s": 0.03 * mean,
            "response_p50_s": 0.7 * mean, "response_p99_s": 4.6 * mean,
            "exact_response_mean_s": 1.01 * mean if policy == "ps" else None,
            "found_load": load - 0.002, "throughput": 100 * load, "think_time_s": 0.0,
            "requests": 200_000, "errors": 0, "timeouts": 0, "retries": 0,
            "independent_requests": 20_000.0,
            "warnings": "the disk is slow" if load == 0.9 else "",
            "validity": [UNSURE if load == 0.9 else REACHED],
        }
        for load in (0.1, 0.5, 0.9)
        for policy, factor in (("fcfs", 4.5), ("ps", 1.0))
        for mean in [0.010 * (1 + factor * load / (1 - load))]
    ]  # fmt: skip
    return SweepCurves(pl.DataFrame(rows), axes, measured=measured)


def swept_wide():
    """More columns than fit on paper: three populations whose names and keys are long."""
    names = ("visitors-of-the-catalogue", "buyers-of-the-catalogue", "crawlers-and-others")
    axes = [Axis(f"population.{names[1]}.arrivals.clients", ("1", "5", "9"))]
    rows = [
        {
            axes[0].key: clients, "seed": 1,
            "response_mean_s": 0.01, "response_ci95_s": 0.0004, "response_p50_s": 0.007,
            "response_p99_s": 0.046, "exact_response_mean_s": 0.0101, "load": 0.4,
            "throughput": 90.0 + clients, "think_time_s": 0.1 * clients,
            "requests": 20_000 + clients, "errors": clients, "timeouts": clients,
            "independent_requests": 10_000.0,
            **{f"population.{one}.response_mean_s": 0.01 * clients for one in names},
            **{f"population.{one}.response_ci95_s": 0.0003 for one in names},
            **{f"population.{one}.response_p99_s": 0.05 * clients for one in names},
            **{f"population.{one}.requests": 6000 for one in names},
            "slo": "met",
        }
        for clients in (1, 5, 9)
    ]  # fmt: skip
    return SweepCurves(pl.DataFrame(rows), axes, measured=False)


def stored(means, workload="shop"):
    """Results with these means, one a day."""
    found = []
    for number, value in enumerate(means):
        one = Estimate(value, 0.99 * value, 1.01 * value)
        subject = Subject(
            f"run {number}", "run", workload, "http://a<b>", number, "", 30.0, 1000,
            dict.fromkeys(FIGURES, one) | {"throughput": Estimate(50.0, 49.0, 51.0)}, [],
        )  # fmt: skip
        made_at = f"2026-11-{number + 1:02}T12:00:00+00:00"
        found.append(HistoryEntry(str(number), subject, f"c{number}", "main", made_at, ""))
    return found


def history():
    """Twelve results of one workload, the last six of which are slower."""
    steady = [0.010, 0.0101, 0.0099, 0.0102, 0.01, 0.0098]
    return list(trends(stored([*steady, *(1.2 * one for one in steady)], LONG)))


def capacity(verdict="found"):
    """Five probes around 83 requests a second."""
    values = (100.0, 50.0, 75.0, 87.5, 82.0)
    probes = [Probe(value, value < 83, math.log(value / 83), 0.02) for value in values]
    rows = [
        {
            "value": (value := one.value), "passed": one.passed, "slo": one.slo,
            "margin": one.margin, "standard_error": one.error, "requests": 200_000,
            "error_share": 0.0, "throughput": value,
            "independent_requests": 20_000.0,
            "response_mean_s": 0.001 * value, "response_p99_s": 0.003 * value,
            "lateness_p99_s": None, "generator": False,
            "untrusted": None, "validity": [UNSURE if value > 83 else REACHED],
            "why": f"p99 is {3 * value:.3g} ms, the limit is 249 ms",
        }
        for one in probes
    ]  # fmt: skip
    rows.append(rows[0] | {"value": 200.0, "margin": None, "why": "every request failed"})
    probes = pl.DataFrame(rows, infer_schema_length=None)
    words = "83/s, 95 % interval 81.5 to 84.4, by 6 probes"
    return Capacity("rate", "/s", 83.0, 81.5, 84.4, verdict, words, probes)


NAMES, POPULATIONS = ("item", "search"), ("visitors", "crawlers")


def rows(seconds=20, rate=100):
    """Attempts of two names and two populations. From the eighth to the twelfth second they are
    sent 200 ms late; in the last quarter every fifth one times out, and every seventh gets a 404;
    one never ends."""
    n = seconds * rate
    number = np.arange(n)
    scheduled = (number * (1e9 / rate)).astype(np.int64)
    late = np.where((number >= 8 * rate) & (number < 12 * rate), 200_000_000, 50_000)
    took = (2 + number % 13) * 1_000_000
    last = number >= 3 * n // 4
    error = [
        "timeout" if at_end and one % 5 == 0 else "status" if at_end and one % 7 == 0 else None
        for one, at_end in zip(number.tolist(), last.tolist(), strict=True)
    ]
    ended = (scheduled + late + took).tolist()
    done = [None if one == 10 else value for one, value in enumerate(ended)]
    status = [None if one == "timeout" else 404 if one else 200 for one in error]
    return pl.DataFrame(
        {
            "session": number, "request": np.zeros(n, dtype=np.int64),
            "replication": np.zeros(n, dtype=np.int64), "attempt": np.ones(n, dtype=np.int64),
            "name": [NAMES[one % 3 == 0] for one in range(n)],
            "population": [POPULATIONS[one % 4 == 0] for one in range(n)],
            "scheduled_ns": scheduled, "sent_ns": scheduled + late,
            "done_ns": pl.Series(done, dtype=pl.Int64),
            "status": pl.Series(status, dtype=pl.UInt16),
            "error": pl.Series(error, dtype=pl.String),
        }
    )  # fmt: skip


def measured():
    """A real run of those, against an unknown server."""
    table = rows()
    well = table.filter(pl.col("error").is_null() & pl.col("done_ns").is_not_null())
    times = ((well["done_ns"] - well["scheduled_ns"]) / 1e9).to_numpy()
    late = ((table["sent_ns"] - table["scheduled_ns"]) / 1e9).to_numpy()
    workload = open_(100, name="shop", request_names=list(NAMES), request_weights=[2.0, 1.0])
    causes = {"timeout": 100, "status": 57}
    more = {
        "lateness_s": fakes.figures(late), "errors_by_kind": causes, "ci95": 0.001,
        "errors": sum(causes.values()),
        "by_population": {name: {"requests": 1000, "errors": 0} for name in POPULATIONS},
    }  # fmt: skip
    scheduled = table["scheduled_ns"].to_numpy() / 1e9
    return fakes.Result(
        Path("results"), "run", fakes.summary("run", "open", times, 20.0, **more), workload, None,
        target="http://127.0.0.1:8080", requests=table,
        series=fakes.series(scheduled, scheduled + 0.01), times_s=times,
    )  # fmt: skip


def watched():
    """The live page's state of a run after 40 s, in which the generator is late from 30 s on."""
    asked = CheckInputs("open", 100.0, dispersion=1.0)
    title = "Running shop against http://127.0.0.1:8080"
    begun = WatchedRun("run", title, "shop", None, 60.0, checks=asked)
    subject = live_page.Subject(begun)
    counts, total_s = {}, 0.0
    for second in range(1, 41):
        for number in range(100):
            place = -100 + (number * 7) % 40 + (30 if second > 30 else 0)
            counts[place] = counts.get(place, 0) + 1
            total_s += 2.0 ** (place / 16)
        lateness = 0.5 if second > 30 else 50e-6
        moment = Moment(
            float(second), 3, 100 * second, 100 * second, 0.02, 0.06, lateness, {"timeout": 3},
            response_sum_s=total_s, response_buckets=tuple(sorted(counts.items())),
        )  # fmt: skip
        subject.take(("moment", (moment, 9)))
    return subject


def simulated():
    """A simulation with two names, at a load of 0.6, and its exact values."""
    workload = tt.Workload(
        'name = "shop"\n[arrivals]\nmodel = "open"\nrate = "60/s"\n'
        '[[request]]\nname = "item"\nweight = 3\n[[request]]\nname = "search"\n'
    )
    system = tt.System(
        'name = "s"\n[[station]]\nname = "server"\npolicy = "ps"\ndemand = "exp(10ms)"\n'
    )
    return tt.simulate(workload, system, requests=3000, seed=7, rows="all")


def failing():
    """A run as on a bad day: 3 % of its requests are refused, it misses what it should meet, and
    all checks look at it. A simulation stands for it, whose rows are those of a run."""
    workload = tt.Workload(
        'name = "shop"\n[arrivals]\nmodel = "open"\nrate = "120/s"\n'
        '[[request]]\nname = "item"\nweight = 3\n[[request]]\nname = "search"\n'
        '[slo]\np99 = "250ms"\nerrors = "1%"\n'
    )
    system = tt.System(
        'name = "s"\n[[station]]\nname = "server"\nqueue_limit = 8\ndemand = "exp(7ms)"\n'
    )
    found = tt.simulate(workload, system, requests=2400, seed=11, rows="all")
    summary = found.summary | {"kind": "run", "stations": {}}
    return fakes.Result(
        Path("results"), "run", summary, workload, None, target="http://127.0.0.1:8080",
        requests=found.requests, series=found.series, times_s=found.response_times(),
        validity=found.validity, objectives=found.objectives,
    )  # fmt: skip
