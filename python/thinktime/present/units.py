"""Numbers in words: three significant digits and a suitable unit.

Terminal, pages and messages take their numbers from here. `crates/core/src/words.rs` does the same
for its own messages; a test compares the two.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime

NOTHING = "—"
_MINUS = "\u2212"

_TIME_UNITS = [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s"), (60.0, "min"), (3600.0, "h")]
_SHORTEST = {"min": 120.0, "h": 7200.0}  # a unit is used from this many seconds on
_SIZE_UNITS = [(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB")]
_DIGITS_MAX = 9  # if two numbers would otherwise look alike
_SHARE_DIGITS_MAX = 7  # of a share that is nearly all

_KEY = re.compile(r"p\d|[a-z]+_")
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:ns|µs|ms|s|min|h|%|B|kB|MB|GB)(?!\w))|(?<=[±≤≥]) ")

# A number in the notation of laws, with a unit of time or without one.
_IN_NOTATION = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?(?:e[-+]?\d+)?)(ns|us|µs|ms|s|min|h)?(?![\w.])")


def seconds(time_s: float | None, digits: int = 3) -> str:
    """A time, as in '4.70 ms'; a dash for None."""
    if time_s is None or not math.isfinite(time_s):
        return NOTHING
    if time_s == 0:
        return "0 s"
    scale, unit = _time_unit(time_s, digits)
    return f"{number(time_s / scale, digits)} {unit}"


def mean(mean_s: float | None, half_s: float | None) -> str:
    """A mean with the half-width of its interval in the same unit, as in '4.70 ms ± 0.12 ms'."""
    if mean_s is None or half_s is None or not mean_s or not math.isfinite(half_s):
        return seconds(mean_s)
    scale, unit = _time_unit(mean_s, 3)
    return f"{seconds(mean_s)} ± {number(half_s / scale, 2)} {unit}"


def _time_unit(time_s: float, digits: int) -> tuple[float, str]:
    rounded = _rounded(abs(time_s), digits)
    scale, unit = _TIME_UNITS[0]
    for larger, name in _TIME_UNITS[1:]:
        if rounded >= _SHORTEST.get(name, larger) * (1 - 1e-9):
            scale, unit = larger, name
    return scale, unit


def times_apart(one_s: float, other_s: float) -> tuple[str, str]:
    """Two times with enough digits to tell them apart, as in '1.001 ms' and '1.000 ms'."""
    texts = ("", "")
    for digits in range(3, _DIGITS_MAX + 1):
        texts = seconds(one_s, digits), seconds(other_s, digits)
        if texts[0] != texts[1]:
            break
    return texts


def times_between(low_s: float, high_s: float, signed: bool = False) -> str:
    """A range of times in one unit, as in '4.1 to 6.3 ms'; with signs '−1.2 to +3.4 ms'."""
    scale, unit = _time_unit(max(abs(low_s), abs(high_s)) or 1.0, 2)
    return f"{numbers_between(low_s / scale, high_s / scale, signed)} {unit}"


def numbers_between(low: float, high: float, signed: bool = False) -> str:
    """A range of numbers in two digits of the larger one, or one number if these are alike."""
    largest = _rounded(max(abs(low), abs(high)), 2)
    decimals = max(0, 1 - math.floor(math.log10(largest) + 1e-9)) if largest else 0
    ends = [_signed(end, _decimals_of(end, decimals), signed) for end in (low, high)]
    return " to ".join(dict.fromkeys(ends))


def _decimals_of(end: float, decimals: int) -> int:
    """The decimals of an end of a range: more if it would look like 0, which it is not."""
    while end and decimals < _DIGITS_MAX and not round(end, decimals):
        decimals += 1
    return decimals


def _signed(value: float, decimals: int, signed: bool) -> str:
    text = f"{abs(value):,.{decimals}f}"
    if not any(digit in text for digit in "123456789"):
        return "0"
    sign = "+" if value > 0 else _MINUS
    return f"{sign}{text}" if signed or value < 0 else text


def rate(per_second: float | None, unit: str = "/s") -> str:
    """A rate, as in '79.9/s', or in a unit such as 'sessions/s'."""
    space = "" if unit.startswith("/") else " "
    return NOTHING if per_second is None else f"{number(per_second)}{space}{unit}"


def amount(value: float, unit: str = "") -> str:
    """A rate or a number of clients in their unit: '83.1 sessions/s', '1 client', '12 clients'."""
    whole = value == int(value) and abs(value) < 1e9
    text = count(int(value)) if whole else number(value)
    if value == 1 and "/" not in unit:
        unit = unit.removesuffix("s")
    return f"{text}{'' if unit.startswith('/') or not unit else ' '}{unit}"


def size(bytes_: float | None) -> str:
    """A size, as in '12.3 kB'."""
    if bytes_ is None or not math.isfinite(bytes_):
        return NOTHING
    fitting = [(scale, unit) for scale, unit in _SIZE_UNITS if _rounded(abs(bytes_), 3) >= scale]
    scale, unit = fitting[-1] if fitting else _SIZE_UNITS[0]
    return f"{number(bytes_ / scale)} {unit}"


def law(notation: str) -> str:
    """A law or a time as in a file, with its numbers in three digits: 'exp(242 ms)'."""

    def shorter(found: re.Match[str]) -> str:
        text, unit = found.groups()
        if unit is not None:
            scale = {"us": 1e-6, **{name: scale for scale, name in _TIME_UNITS}}[unit]
            return seconds(float(text) * scale)
        return text if text.isdigit() or len(text) <= 5 else number(float(text))

    return _IN_NOTATION.sub(shorter, notation)


def load(fraction: float | None) -> str:
    """A load, as in '0.800'."""
    return NOTHING if fraction is None else f"{fraction:.3f}"


def count(whole: int | None) -> str:
    """A whole number with its thousands apart."""
    return NOTHING if whole is None else f"{whole:,}"


def counted(whole: int, noun: str) -> str:
    """As in '1 request' and '4,000 requests'."""
    return f"{count(whole)} {noun}{'' if whole == 1 else 's'}"


def percent(fraction: float, digits: int = 2) -> str:
    """A share, as in '1.5 %', in more digits if it would look like all, which it is not."""
    found = range(digits, _SHARE_DIGITS_MAX + 1)
    less = (one for one in found if fraction >= 1 or _rounded(100 * fraction, one) < 100)
    return f"{number(100 * fraction, next(less, digits))} %"


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


def moment(at: datetime) -> str:
    """A moment to the minute in UTC, as in `2026-11-29 08:04`."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def listed(parts: list[str]) -> str:
    """As in 'a, b and c'."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def unbroken(text: str) -> str:
    """A text whose lines never end between a number and its unit."""
    return _BEFORE_UNIT.sub("\u00a0", text)


def sentence(text: str) -> str:
    """A text with a capital at its start and one full stop at its end; a key keeps its letters."""
    text = text.strip().rstrip(".")
    first = text[:1] if _KEY.match(text) else text[:1].upper()
    return f"{first}{text[1:]}." if text else ""


def number(value: float, digits: int = 3) -> str:
    """A number to `digits` significant digits, without an exponent."""
    if not math.isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    value = _rounded(value, digits)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value)) + 1e-9))
    return f"{value:,.{decimals}f}".replace("-", _MINUS)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


_LISTED_MAX = 8  # of more of them only mean, least and greatest are shown


def listed_loads(values: Sequence[float]) -> str:
    """Loads of cores or servers, as in '0.70, 0.71'; of many as in '0.70 (0.64 to 0.75)'."""
    if not values:
        return NOTHING
    if len(values) <= _LISTED_MAX:
        return ", ".join(f"{value:.2f}" for value in values)
    mean = sum(values) / len(values)
    return f"{mean:.2f} ({min(values):.2f} to {max(values):.2f})"
