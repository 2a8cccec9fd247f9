"""The values of a sweep's keys, and the points that they make."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from thinktime import _core
from thinktime.inputs.dicts import IN_SWEEPS, plain

_RANGE = re.compile(r"^(?P<from>\S+?)\.\.(?P<to>.+)/(?P<steps>\d+)(?P<log>log)?$")
_STEPLESS = re.compile(r"^(?P<from>\S+?)\.\.(?P<to>\S+)$")
_QUANTITY = re.compile(r"^(?P<number>[-+]?[0-9.]+(?:e[-+]?\d+)?)(?P<unit>[a-zA-Z%/]*)$")
_POINTS_MAX = 100_000

Point = dict[str, str]
"""A value for each varied key, as in a file."""


@dataclass(frozen=True)
class Axis:
    """A key and its values."""

    key: str
    values: tuple[str, ...]

    @cached_property
    def numbers(self) -> list[float] | None:
        """The values without their unit, if they are numbers in one unit; `500m` is 0.5 cores."""
        found = [_QUANTITY.match(_cores(value)) for value in self.values]
        units = {match["unit"] for match in found if match}
        if any(match is None for match in found) or len(units) > 1:
            return None
        return [float(match["number"]) for match in found if match]

    @cached_property
    def unit(self) -> str:
        """The unit of `numbers`; empty without one."""
        if self.numbers and self.key.rpartition(".")[2] == "cpu_limit":
            return "cores"
        match = _QUANTITY.match(_cores(self.values[0]))
        return match["unit"] if match and self.numbers else ""


def _cores(value: str) -> str:
    """A value in thousandths of a core, the only ones with the unit `m`, in cores."""
    match = _QUANTITY.match(value)
    return f"{float(match['number']) / 1000:.10g}" if match and match["unit"] == "m" else value


def parse(text: str) -> Axis:
    """An axis from `KEY=FROM..TO/STEPS`, `KEY=FROM..TO/STEPSlog` or `KEY=A,B,C`.

    A range has STEPS values, both ends included: evenly spaced, or with `log` in equal ratios.
    Commas inside brackets belong to a value.

    Raises InputError if the text has none of these forms.
    """
    key, equals, values = text.partition("=")
    key = key.strip()
    if not equals or not key or not values.strip():
        raise _core.InputError(
            f"vary = {text}: does not say what to vary: write KEY=FROM..TO/STEPS or KEY=A,B,C, as "
            "in load=0.1..0.9/9 or station.server.policy=fcfs,ps,srpt"
        )
    match = _RANGE.match(values.strip())
    return Axis(key, _range(text, match) if match else _list(text, values))


def axes_of(vary: Mapping[str, str | Sequence[object]] | Sequence[str | Axis]) -> list[Axis]:
    """The axes of texts as of `parse`, of axes, or of a dict of keys with their values.

    Raises InputError if `parse` cannot read a text, or if a list is empty, has a value twice, or
    has a value that is neither a text nor a number nor true or false.
    """
    if isinstance(vary, Mapping):
        return [_axis(str(key), values) for key, values in vary.items()]
    if isinstance(vary, str):
        raise _core.InputError(f'`vary` is a list or a dict: write ["{vary}"]')
    listed = isinstance(vary, Iterable) and all(isinstance(one, str | Axis) for one in vary)
    if not listed:
        raise _core.InputError('`vary` is a list of texts or a dict: write ["load=0.5,0.8"]')
    return [parse(one) if isinstance(one, str) else one for one in vary]


def _axis(key: str, values: str | Sequence[object]) -> Axis:
    """A key with a text as after `KEY=`, or with its values."""
    if isinstance(values, str):
        return parse(f"{key}={values}")
    if not isinstance(values, Iterable):
        raise _core.InputError(f"`{key}`: its values are a list, or a text such as 0.1..0.9/9")
    written = tuple(
        one.strip() if isinstance(one, str) else plain(one, key, IN_SWEEPS) for one in values
    )
    if not key.strip() or not written or not all(written):
        raise _core.InputError(f"`{key}`: a key and at least one value are needed, none of them ''")
    if len(set(written)) < len(written):
        raise _core.InputError(f"`{key}`: a value is given twice")
    return Axis(key.strip(), written)


def _range(text: str, match: re.Match[str]) -> tuple[str, ...]:
    ends = [_QUANTITY.match(match[name].strip()) for name in ("from", "to")]
    first, last = ends
    if first is None or last is None:
        raise _core.InputError(f"`{text}`: the ends of a range are numbers, as in 5ms..50ms/10")
    unit = last["unit"]
    if first["unit"] not in ("", unit):
        raise _core.InputError(f"`{text}`: both ends of a range have the same unit")
    steps = int(match["steps"])
    if not 1 <= steps <= _POINTS_MAX:
        raise _core.InputError(f"`{text}`: a range has from 1 to {_POINTS_MAX} steps")
    low, high = float(first["number"]), float(last["number"])
    if match["log"] and not (low > 0 and high > 0):
        raise _core.InputError(f"`{text}`: the ends of a range in equal ratios are above 0")
    shares = [step / max(steps - 1, 1) for step in range(steps)]
    if match["log"]:
        numbers = [low * math.exp(share * math.log(high / low)) for share in shares]
    else:
        numbers = [low + share * (high - low) for share in shares]
    return tuple(f"{number:.10g}{unit}" for number in numbers)


def _list(text: str, values: str) -> tuple[str, ...]:
    parts, depth, current = [], 0, ""
    for letter in values:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    parts.append(current.strip())
    ends = _STEPLESS.match(parts[0]) if len(parts) == 1 else None
    if ends is not None and all(_QUANTITY.match(ends[name]) for name in ("from", "to")):
        raise _core.InputError(
            f"`{text}` does not say in how many steps: write {text.strip()}/5 for five values"
        )
    if not all(parts):
        raise _core.InputError(f"`{text}`: a value is missing between two commas")
    if len(set(parts)) < len(parts):
        raise _core.InputError(f"`{text}`: a value is given twice")
    return tuple(parts)


def points(axes: Sequence[Axis]) -> list[Point]:
    """All points of the grid; the last axis changes fastest.

    Raises InputError if a key is given twice, or there are too many points.
    """
    keys = [axis.key for axis in axes]
    if len(set(keys)) < len(keys):
        raise _core.InputError("a key can be varied once only")
    count = math.prod(len(axis.values) for axis in axes)
    if count > _POINTS_MAX:
        raise _core.InputError(f"{count} points are too many: at most {_POINTS_MAX}")
    products = itertools.product(*(axis.values for axis in axes))
    return [dict(zip(keys, values, strict=True)) for values in products]
