"""The axes of a chart: which range they show, where their ticks lie, and how numbers look."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Axis:
    """Maps values to places between two ends of the picture."""

    label: str
    log: bool
    low: float = 0.0
    high: float = 1.0
    ticks: list[float] = field(default_factory=list)
    minor: list[float] = field(default_factory=list)

    def fit(self, values: Iterable[float], limits: tuple[float, float] | None) -> None:
        """Choose the range and the ticks that show all values, or what the limits say."""
        shown = [v for v in values if math.isfinite(v) and (v > 0 or not self.log)]
        low, high = limits or ((min(shown), max(shown)) if shown else (1.0, 10.0))
        if self.log:
            self._fit_log(low, high, given=limits is not None)
        else:
            self._fit_even(low, high, given=limits is not None)

    def _fit_log(self, low: float, high: float, given: bool) -> None:
        decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
        every = [10.0**decade * digit for decade in decades for digit in range(1, 10)]
        span = math.log10(high / low) if high > low else 0.0
        labelled = (1, 2, 5) if span < 2.2 else (1,)
        if given:
            self.low, self.high = low, high
        else:
            self.low = max(v for v in every if v <= low * 1.000001)
            self.high = min(v for v in every if v >= high * 0.999999 and v > self.low)
        inside = [v for v in every if self.low * 0.999999 <= v <= self.high * 1.000001]
        self.ticks = [v for v in inside if round(v / 10 ** math.floor(math.log10(v))) in labelled]
        self.minor = [v for v in inside if v not in self.ticks]

    def _fit_even(self, low: float, high: float, given: bool) -> None:
        if not given and 0 < low < 0.4 * high:
            low = 0.0
        span = (high - low) or abs(high) or 1.0
        rough = span / 6
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * digit for digit in (1, 2, 2.5, 5, 10) if power * digit >= rough)
        self.low = low if given else math.floor(low / step + 1e-9) * step
        self.high = high if given else math.ceil(high / step - 1e-9) * step
        first = math.ceil(self.low / step - 1e-9)
        self.ticks = [n * step for n in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def share(self, value: float) -> float:
        """How far along the axis a value lies, from 0 to 1."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def shows(self, value: float) -> bool:
        """Whether a value has a place on the axis."""
        if not math.isfinite(value) or (self.log and value <= 0):
            return False
        return -1e-6 <= self.share(value) <= 1 + 1e-6


def number(value: float) -> str:
    """A value as an axis shows it: 0.02, 5, 1,000, 10⁶."""
    size = abs(value)
    if size >= 1e6 or 0 < size < 1e-4:
        power = math.floor(math.log10(size) + 1e-9)
        digits = f"{value / 10**power:.3g}"
        raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"10{raised}" if digits == "1" else f"{digits}·10{raised}"
    return f"{value:,.0f}" if size >= 1000 else f"{value:.4g}"
