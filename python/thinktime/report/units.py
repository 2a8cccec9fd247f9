"""Numbers in words: three significant digits and a unit that fits."""

from __future__ import annotations

import math

NOTHING = "—"
_THOUSANDS = "\u202f"  # a narrow space that does not break
_MINUS = "\u2212"

_TIME_UNITS = [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s"), (60.0, "min"), (3600.0, "h")]
_SHORTEST = {"min": 120.0, "h": 7200.0}  # a unit is used from this many seconds on


def seconds(time_s: float | None, digits: int = 3) -> str:
    """A time, as in '4.70 ms'; a dash where there is none."""
    if time_s is None or not math.isfinite(time_s):
        return NOTHING
    if time_s == 0:
        return "0 s"
    rounded = _rounded(abs(time_s), digits)
    scale, unit = _TIME_UNITS[0]
    for larger, name in _TIME_UNITS[1:]:
        if rounded >= _SHORTEST.get(name, larger) * (1 - 1e-9):
            scale, unit = larger, name
    return f"{number(time_s / scale, digits)} {unit}"


def rate(per_second: float | None) -> str:
    """A rate, as in '79.9/s'."""
    return NOTHING if per_second is None else f"{number(per_second)}/s"


def load(fraction: float | None) -> str:
    """A load, as in '0.800'."""
    return NOTHING if fraction is None else f"{fraction:.3f}"


def count(whole: int | None) -> str:
    """A whole number with its thousands apart."""
    return NOTHING if whole is None else f"{whole:,}".replace(",", _THOUSANDS)


def percent(fraction: float, digits: int = 2) -> str:
    """A share, as in '1.5 %'."""
    return f"{number(100 * fraction, digits)} %"


def deviation(fraction: float) -> str:
    """A signed deviation, as in '+1.2 %'."""
    if abs(fraction) < 0.0005:
        return "0.0 %"
    sign = "+" if fraction > 0 else _MINUS
    size = abs(100 * fraction)
    return f"{sign}{number(size) if size >= 100 else f'{size:.1f}'} %"


def factor(ratio: float) -> str:
    """A ratio, as in '97' or '2.8' times."""
    return number(ratio, 2)


def number(value: float, digits: int = 3) -> str:
    """A number to so many significant digits, without an exponent."""
    if not math.isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    value = _rounded(value, digits)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value)) + 1e-9))
    text = f"{value:,.{decimals}f}".replace(",", _THOUSANDS)
    return text.replace("-", _MINUS)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")
