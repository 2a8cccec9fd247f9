"""Axes with readable ticks: round numbers in a suitable unit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from thinktime.present import units

Words = Callable[[float], str]

_TICKS_MAX = 6
_SI_UPTO_S = 1000.0  # larger times are easier to read in minutes and hours than in kiloseconds


def _time(value: float) -> str:
    for scale, unit in ((3600.0, "h"), (60.0, "min")):
        if value >= scale:
            return f"{_number(value / scale)} {unit}"
    return units.seconds(value, _digits(value))


def _number(value: float) -> str:
    return units.number(value, _digits(value)) if value else "0"


def _size(value: float) -> str:
    return units.size(value).replace(".00", "").replace(".0 ", " ")


def _share(value: float) -> str:
    return f"{100 * value:.4g} %"


WORDS: dict[str, Words] = {"time": _time, "size": _size, "number": _number, "share": _share}
"""The quantity of an axis: seconds, bytes, anything, or shares of one."""


def log(low: float, high: float, kind: str, title: str = "") -> dict[str, Any]:
    """A logarithmic axis from ``low`` to ``high``, both above 0, with a little room."""
    first, last = math.log10(low), math.log10(max(high, low))
    room = max(0.03 * (last - first), (0.3 - (last - first)) / 2, 0.01)
    ticks = log_ticks(10 ** (first - room), 10 ** (last + room), kind)
    return {
        "type": "log",
        "range": [first - room, last + room],
        "tickvals": ticks,
        "ticktext": [WORDS[kind](tick) for tick in ticks],
        "automargin": True,
        **_titled(title),
    }


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


def linear(low: float, high: float, kind: str, title: str = "") -> dict[str, Any]:
    """A linear axis from ``low`` to ``high``. Ticks follow a zoom where plotly can write them."""
    axis: dict[str, Any] = {
        "type": "linear", "range": [low, high], "nticks": _TICKS_MAX, "automargin": True,
        **_titled(title),
    }  # fmt: skip
    if kind == "time" and max(abs(low), abs(high)) <= _SI_UPTO_S:
        return axis | {"tickformat": "~s", "ticksuffix": "s"}
    if kind == "time":
        ticks = _round_times(low, high)
        return axis | {
            "tickvals": ticks,
            "ticktext": [_time(tick) if tick else "0 s" for tick in ticks],
        }
    if kind == "share":
        return axis | {"tickformat": "~%"}
    return axis | {"separatethousands": True, "exponentformat": "none"}


def _titled(title: str) -> dict[str, Any]:
    """The title below an axis; plotly keeps room for an empty title."""
    return {"title": {"text": title}} if title else {}


def _round_times(low: float, high: float) -> list[float]:
    """Multiples of a round number of minutes, hours or days."""
    steps = [60 * n for n in (1, 2, 5, 10, 20, 30, 60, 120, 360, 720, 1440, 2880, 10080)]
    longest = 10.0 ** math.ceil(math.log10((high - low) / _TICKS_MAX))
    step: float = next((one for one in steps if (high - low) / one <= _TICKS_MAX), longest)
    first = math.ceil(low / step)
    return [step * n for n in range(first, math.floor(high / step) + 1)]


def is_wide(values: Sequence[float]) -> bool:
    """Whether values need a logarithmic axis: all above 0, and more than a factor of 20 apart."""
    return bool(values) and min(values) > 0 and max(values) > 20 * min(values)


def _digits(value: float) -> int:
    """The number of digits that a value needs; three at most."""
    exact = (n for n in (1, 2) if abs(float(f"{value:.{n - 1}e}") / value - 1) < 1e-9)
    return next(exact, 3)
