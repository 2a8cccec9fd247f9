"""Figures 9 and 10 of the paper, simulated, and LARD by its thresholds."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping
from pathlib import Path

import plan
from cells import MANY, PUBLISHED, Cell
from order import half_width, ratio
from tables import TITLES

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from chart import LineChart

Found = Mapping[str, Mapping[str, list[float]]]

NAMES = {"cap": "CAP", PUBLISHED: "LARD", "hash": "hash"}
SPREADS = {plan.ONE: "one program", MANY: "10,000 documents"}
LABELS = {
    "p90_ms": "90th percentile of page response time (ms)",
    "megabits": "throughput (Mb/s)",
}


def draw(folder: Path, found: Found) -> None:
    """Draw all figures."""
    for system in TITLES:
        _figure(folder / f"figure-9-{system}.svg", found, system, "p90_ms")
        _figure(folder / f"figure-10-{system}.svg", found, system, "megabits")
    _thresholds(folder / "thresholds.svg", found)


def _figure(path: Path, found: Found, system: str, figure: str) -> None:
    chart = LineChart(
        f"{TITLES[system]}, 7 servers", "sessions a second", LABELS[figure],
        y_log=figure == "p90_ms",
    )  # fmt: skip
    spreads = (MANY,) if system == "static" else (plan.ONE, MANY)
    for programs in spreads:
        for at, dispatch in enumerate(plan.policies(system)):
            cells = [Cell(system, dispatch, rate, programs) for rate in plan.RATES[system]]
            values = [found[cell.key][figure] for cell in cells]
            chart.line(
                NAMES[dispatch] + (f", {SPREADS[programs]}" if len(spreads) > 1 else ""),
                [float(cell.rate) for cell in cells],
                [statistics.fmean(one) for one in values],
                errors=[half_width(one) for one in values],
                dashed=programs == MANY and len(spreads) > 1,
                style=at,
            )
    chart.save(path)


def _thresholds(path: Path, found: Found) -> None:
    """The excess of LARD's p90 over CAP's, by its upper threshold."""
    chart = LineChart(
        "LARD's thresholds, at a load of 0.9", "upper threshold (requests)",
        "p90 of LARD divided by that of CAP", x_log=True, y_log=True,
    )  # fmt: skip
    xs = [float(high) for _, high in plan.THRESHOLDS]
    for system in ("cpu", "disk"):
        for programs in (plan.ONE, MANY):
            cap = found[plan.at_load(system, "cap", 0.9, programs).key]["p90_ms"]
            ratios = []
            for one in plan.THRESHOLDS:
                cell = plan.at_load(system, plan.lard(one), 0.9, programs)
                ratios.append(ratio(found[cell.key]["p90_ms"], cap))
            bound = "CPU" if system == "cpu" else "disk"
            chart.line(
                f"{bound}-bound, {SPREADS[programs]}",
                xs,
                [one.value for one in ratios],
                errors=[(one.high - one.low) / 2 for one in ratios],
                dashed=programs == MANY,
                style=0 if system == "cpu" else 1,
            )
    chart.line("", [xs[0], xs[-1]], [1.0, 1.0], dashed=True, style=6, marks=False)
    chart.save(path)
