"""Axes: a range of values with readable ticks, which are round numbers in a suitable unit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.present import units

Words = Callable[[float], str]

_TICKS_MAX = 6


def _time(value: float) -> str:
    for scale, unit in ((3600.0, "h"), (60.0, "min")):
        if abs(value) >= scale:
            return f"{_number(value / scale)} {unit}"
    return units.seconds(value, _digits(value)) if value else "0 s"


def _number(value: float) -> str:
    return units.number(value, _digits(value)) if value else "0"


def _size(value: float) -> str:
    return units.size(value).replace(".00", "").replace(".0 ", " ")


def _share(value: float) -> str:
    return f"{_number(100 * value)} %"


def _ratio(value: float) -> str:
    return f"{_number(value)} ×"


WORDS: dict[str, Words] = {
    "time": _time, "size": _size, "number": _number, "share": _share, "ratio": _ratio,
}  # fmt: skip
"""The quantity of an axis: seconds, bytes, anything, shares of one, or multiples."""


@dataclass(frozen=True)
class Axis:
    """A range of values; the first names of categories are at 0, 1, ..."""

    low: float
    high: float
    kind: str = "number"
    """The quantity: see `WORDS`."""

    title: str = ""
    ticks: Sequence[tuple[float, str]] = ()
    """Values within the range, and their texts."""

    is_log: bool = False
    has_grid: bool = True
    names: Sequence[str] = ()
    """Of an axis of categories: their names."""

    def places(self, values: Any) -> NDArray[np.float64]:
        """Where values lie: 0 at the low end, 1 at the high one."""
        given = np.asarray(values, dtype=float)
        if not self.is_log:
            return np.asarray((given - self.low) / (self.high - self.low))
        with np.errstate(divide="ignore", invalid="ignore"):
            powers = np.where(given > 0, np.log10(given), np.nan)
        first, last = math.log10(self.low), math.log10(self.high)
        return np.asarray((powers - first) / (last - first))

    def within(self, value: float) -> float:
        """The value, or the end of the axis that is nearer."""
        return min(max(value, self.low), self.high)

    def text(self, value: float) -> str:
        """A value in words, in three or four digits."""
        if self.names:
            place = round(value)
            return self.names[place] if 0 <= place < len(self.names) else ""
        if self.kind == "time":
            return units.seconds(value)
        if self.kind == "size":
            return units.size(value)
        if self.kind == "share":
            return f"{units.number(100 * value, _figures(100 * value))} %"
        end = " ×" if self.kind == "ratio" else ""
        return units.number(value, _figures(value)) + end


def _figures(value: float) -> int:
    """The number of digits that a value needs; four at most."""
    exact = (n for n in (1, 2, 3) if math.isclose(float(f"{value:.{n - 1}e}"), value))
    return next(exact, 4)


def log(low: float, high: float, kind: str, title: str = "") -> Axis:
    """A logarithmic axis from ``low`` to ``high``, both above 0, with a little room."""
    first, last = math.log10(low), math.log10(max(high, low))
    room = max(0.03 * (last - first), (0.3 - (last - first)) / 2, 0.01)
    ends = 10 ** (first - room), 10 ** (last + room)
    ticks = [(tick, WORDS[kind](tick)) for tick in log_ticks(*ends, kind)]
    return Axis(*ends, kind, title, ticks, is_log=True)


def log_ticks(low: float, high: float, kind: str = "number") -> list[float]:
    """Up to six round numbers within the range: powers of ten, 1 2 5, or evenly spaced ones."""
    found = []
    for digits in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0)):
        ticks = _time_digits(low, high, digits) if kind == "time" else _decades(low, high, digits)
        found.append([tick for tick in ticks if low <= tick <= high])
    if len(found[0]) > _TICKS_MAX:
        return found[0][:: math.ceil(len(found[0]) / _TICKS_MAX)]
    best = max((one for one in found if len(one) <= _TICKS_MAX), key=len)
    return best if len(best) >= 3 else _even_ticks(low, high, _TICKS_MAX)


def _decades(low: float, high: float, digits: Sequence[float]) -> list[float]:
    """These digits at all powers of ten."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [float(f"{digit}e{power}") for power in powers for digit in digits]


def _time_digits(low: float, high: float, digits: Sequence[float]) -> list[float]:
    """The same for seconds, minutes and hours: 10 s is followed by 1 min, 10 min by 1 h."""
    seconds = _decades(min(low, 1.0), min(high, 50.0), digits)
    minutes = [60.0 * digit * ten for ten in (1.0, 10.0) for digit in digits]
    hours = [3600.0 * one for one in _decades(1.0, max(high / 3600, 1.0), digits)]
    return [
        *(one for one in seconds if one < 60),
        *(one for one in minutes if one < 3600),
        *hours,
    ]


def _even_ticks(low: float, high: float, most: int) -> list[float]:
    """Multiples of 1, 2 or 5 of a power of ten."""
    power = math.floor(math.log10((high - low) / most))
    steps = [digit * 10.0 ** (power + more) for more in (0, 1, 2) for digit in (1, 2, 5)]
    step = next(step for step in steps if high / step - low / step < most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{step * n:.12g}") for n in range(first, last + 1)]


def linear(low: float, high: float, kind: str, title: str = "", most: int = _TICKS_MAX) -> Axis:
    """A linear axis from ``low`` to ``high``, with at most `most` ticks."""
    high = high if high > low else low + 1.0
    round_times = kind == "time" and max(abs(low), abs(high)) > 120
    ticks = _round_times(low, high, most) if round_times else _even_ticks(low, high, most)
    words = _like(ticks, kind)
    return Axis(low, high, kind, title, [(tick, words(tick)) for tick in ticks])


def _like(ticks: Sequence[float], kind: str) -> Words:
    """Words for ticks of one axis; times near one another are in one unit."""
    most = max((abs(one) for one in ticks), default=0.0)
    least = min((abs(one) for one in ticks if one), default=most)
    # Between 0.8 and 1.2 s nobody wants to change from milliseconds to seconds.
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if kind == "time" and 60 > most >= scale and least >= 0.01 * scale:
            return lambda value: f"{_number(float(f'{value / scale:.9g}'))} {unit}"
    return WORDS[kind]


def categories(names: Sequence[str], title: str = "") -> Axis:
    """An axis of names; the first is at its low end, half a place from the edge."""
    ticks = [(float(place), name) for place, name in enumerate(names)]
    ends = -0.5, max(len(names), 1) - 0.5
    return Axis(*ends, "number", title, ticks, has_grid=False, names=tuple(names))


def downward(axis: Axis) -> Axis:
    """The same axis with its low end on top, as lists are read."""
    return replace(axis, low=axis.high, high=axis.low)


def _round_times(low: float, high: float, most: int) -> list[float]:
    """Multiples of a round number of minutes, hours or days."""
    minutes = (1, 2, 5, 10, 20, 30, 60, 120, 360, 720, 1440, 2880, 10080)
    steps = [20, 30, *(60 * n for n in minutes)]
    longest = 10.0 ** math.ceil(math.log10((high - low) / most))
    step: float = next((one for one in steps if (high - low) / one <= most), longest)
    first = math.ceil(low / step - 1e-9)
    return [step * n for n in range(first, math.floor(high / step + 1e-9) + 1)]


def is_wide(values: Sequence[float]) -> bool:
    """Whether values need a logarithmic axis: all above 0, and more than a factor of 20 apart."""
    return bool(values) and min(values) > 0 and max(values) > 20 * min(values)


def _digits(value: float) -> int:
    """The number of digits that a value needs; three at most."""
    exact = (n for n in (1, 2) if abs(float(f"{value:.{n - 1}e}") / value - 1) < 1e-9)
    return next(exact, 3)
