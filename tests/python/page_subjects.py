"""What the pages of the tests show: made by hand, so that their figures never change."""

from __future__ import annotations

import math

import fakes
import polars as pl
from fakes import BIMODAL, exp, one, open_, partly_open

from thinktime.capacity.answer import Capacity
from thinktime.sweep.grid import Axis
from thinktime.sweep.swept import Swept

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
            "warnings": "the disk is slow" if load == 0.9 else "",
        }
        for load in (0.1, 0.5, 0.9)
        for policy, factor in (("fcfs", 4.5), ("ps", 1.0))
        for mean in [0.010 * (1 + factor * load / (1 - load))]
    ]  # fmt: skip
    return Swept(pl.DataFrame(rows), axes, measured=measured)


def capacity(verdict="found"):
    """Five probes around 83 requests a second."""
    values = (100.0, 50.0, 75.0, 87.5, 82.0)
    rows = [
        {
            "value": value, "passed": value < 83, "margin": math.log(value / 83),
            "standard_error": 0.02, "requests": 200_000, "error_share": 0.0, "throughput": value,
            "response_mean_s": 0.001 * value, "response_p99_s": 0.003 * value,
            "lateness_p99_s": None, "generator": False,
            "why": f"p99 is {3 * value:.3g} ms, the limit is 249 ms",
        }
        for value in values
    ]  # fmt: skip
    rows.append(rows[0] | {"value": 200.0, "margin": None, "why": "every request failed"})
    probes = pl.DataFrame(rows, infer_schema_length=None)
    words = "83/s, 95 % interval 81.5 to 84.4, by 6 probes"
    return Capacity("rate", "/s", 83.0, 81.5, 84.4, verdict, words, probes)
