"""The parts of a figure: curves of points, drawn as SVG and kept as numbers."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import Lab
from points import Answer, Point

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from chart import LineChart

POLICY_NAMES = {
    "fcfs": "FCFS",
    "ps": "PS",
    "psjf": "PSJF",
    "srpt": "SRPT",
    "pesjf": "PESJF",
    "peljf": "PELJF",
}
POLICY_STYLES = {"fcfs": 0, "ps": 1, "psjf": 2, "pesjf": 2, "srpt": 3, "peljf": 4}


@dataclass(frozen=True)
class Curve:
    """A line of a figure."""

    name: str
    style: int
    points: list[tuple[float, Point]]


@dataclass(frozen=True)
class Figure:
    """A figure of the paper, or one panel of it."""

    number: str
    title: str
    x_label: str
    curves: list[Curve]
    shown: str = "mean"
    """`mean` or `busy`: the quantity of the vertical axis."""

    x_log: bool = False
    y_log: bool = False

    @property
    def points(self) -> list[Point]:
        """All points to simulate for it."""
        return [point for curve in self.curves for _, point in curve.points]

    def draw(self, lab: Lab, folder: Path) -> None:
        """Write `figure-NUMBER.svg`."""
        mean = self.shown == "mean"
        label = "mean response time (s)" if mean else "load"
        limits = None if mean else (0.0, 1.0)
        chart = LineChart(
            f"Figure {self.number[0]}({self.number[1]}): {self.title}",
            self.x_label,
            label,
            x_log=self.x_log,
            y_log=self.y_log,
            y_limits=limits,
        )
        for curve in self.curves:
            xs = [x for x, _ in curve.points]
            found = [lab[point] for _, point in curve.points]
            errors = [answer.ci95 or 0.0 for answer in found] if mean else None
            chart.line(curve.name, xs, self._ys(found), errors=errors, style=curve.style)
        if mean:
            self._draw_exact(lab, chart)
        chart.save(folder / f"figure-{self.number}.svg")

    def _ys(self, found: list[Answer]) -> list[float]:
        return [answer.mean if self.shown == "mean" else answer.busy for answer in found]

    def _draw_exact(self, lab: Lab, chart: LineChart) -> None:
        name = "exact theory"
        for curve in self.curves:
            exact = [(x, lab[point].exact) for x, point in curve.points]
            known = [(x, value) for x, value in exact if value is not None]
            if len(known) > 1:
                xs, ys = zip(*known, strict=True)
                chart.line(name, xs, ys, dashed=True, style=6, marks=False)
                name = ""

    def numbers(self, lab: Lab) -> dict[str, Any]:
        """All of it as numbers."""
        return {
            "title": self.title,
            "x_label": self.x_label,
            "curves": [
                {"name": curve.name, "points": [_row(x, lab[point]) for x, point in curve.points]}
                for curve in self.curves
            ],
        }


def _row(x: float, answer: Answer) -> dict[str, Any]:
    return {
        "x": x,
        "mean_response_s": answer.mean,
        "ci95_s": answer.ci95,
        "exact_mean_response_s": answer.exact,
        "load": answer.load,
        "busy": answer.busy,
        "think_time_s": answer.think,
        "requests": answer.requests,
        "warnings": list(answer.warnings),
    }


def policy_curves(policies: list[str], points: dict[str, list[tuple[float, Point]]]) -> list[Curve]:
    """A curve for each scheduling policy, each in its colour of all figures."""
    return [Curve(POLICY_NAMES[one], POLICY_STYLES[one], points[one]) for one in policies]
