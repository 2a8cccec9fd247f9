"""A run once more: its own arrivals and CPU times, at a station with its policy.

A prediction from demands measured alone may err in two ways: requests took another time of the core
in this run, or the core did not serve them in the order of the policy's model. With the CPU times
of the run itself only the second is left.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import mixes
import predict
from relay import RoundTrip

import thinktime as tt

CLASSES = {False: "short", True: mixes.LONG}


def replayed(trips: Sequence[RoundTrip], policy: str, warmup_s: float) -> dict[str, float]:
    """Mean times of round trips from the database's door and back, in seconds.

    Those begun in the warm-up are served as well, and do not count. `measured_s` comes from the
    relay, `replayed_s` from the station.
    """
    whole = [one for one in trips if one.answered_s is not None]
    begun_s = min(one.asked_s for one in whole)
    counted = [
        one.answered_s - one.asked_s
        for one in whole
        if one.answered_s is not None and one.asked_s >= begun_s + warmup_s
    ]
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for long, name in CLASSES.items():
            own = [one for one in whole if one.long == long]
            files[name] = _written(Path(folder) / f"{name}.csv", own, begun_s)
        files = {name: file for name, file in files.items() if file is not None}
        done = tt.simulate(_workload(files), _system(files, policy), warmup=warmup_s, rows="none")
    return {
        "measured_s": fmean(counted),
        "replayed_s": done.summary["response_time_s"]["mean"],
    }


def _written(file: Path, trips: Sequence[RoundTrip], begun_s: float) -> Path | None:
    """A table of times in nanoseconds; none of fewer than two, which are not an arrival process."""
    if len(trips) < 2:
        return None
    with file.open("w", encoding="ascii", newline="") as out:
        table = csv.writer(out)
        table.writerow(["asked_ns", "cpu_ns"])
        for one in sorted(trips, key=lambda one: one.asked_s):
            table.writerow([round(1e9 * (one.asked_s - begun_s)), max(round(1e9 * one.cpu_s), 1)])
    return file


def _workload(files: dict[str, Path]) -> dict[str, Any]:
    return {
        "name": "replayed",
        "population": [
            {
                "name": name,
                "arrivals": {
                    "model": "open",
                    "process": f"trace({file}, column=asked_ns, begin=0s)",
                },
                "request": [{"name": name}],
            }
            for name, file in files.items()
        ],
    }


def _system(files: dict[str, Path], policy: str) -> dict[str, Any]:
    laws = {name: f"trace({file}, column=cpu_ns)" for name, file in files.items()}
    return {"name": f"replayed, {policy}", "station": [predict.station(laws, policy)]}
