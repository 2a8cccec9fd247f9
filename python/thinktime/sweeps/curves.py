"""A sweep's points in the order in which they are shown: along one key, a curve a value of others.

The first key with numbers is the axis; all others distinguish curves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from thinktime.present import columns, units
from thinktime.present.page import colour
from thinktime.sweeps.grid import Axis

Row = Mapping[str, Any]

_CURVES_MAX = 12


@dataclass(frozen=True)
class Curve:
    """The points that differ in one key only."""

    name: str
    """The values of the other keys, as in 'fcfs, 2 clients'; empty without other keys."""

    place: int
    rows: Sequence[Row]

    @property
    def colour(self) -> str:
        """Its colour in the charts."""
        return colour(self.place)


@dataclass(frozen=True)
class SweepCurves:
    """The points of a sweep, and whether they were measured or simulated."""

    table: pl.DataFrame
    axes: Sequence[Axis]
    measured: bool
    """Whether they are runs against a real server; otherwise they are simulations."""

    objectives: str = ""
    """The objectives of all points in words, as in `p99 ≤ 250 ms`; empty if unknown."""

    workload: str = ""
    """The workload's name."""

    place: str = ""
    """The server's url, or the system's name."""

    moment: str = ""
    """When the points against a server were all there."""

    @property
    def kind(self) -> str:
        """`measured` or `simulated`."""
        return "measured" if self.measured else "simulated"

    @cached_property
    def across(self) -> Axis:
        """The key along the axis."""
        numbers = (axis for axis in self.axes if axis.numbers and len(axis.values) > 1)
        return next(numbers, self.axes[0])

    @cached_property
    def others(self) -> Sequence[Axis]:
        """The keys that distinguish curves."""
        return [axis for axis in self.axes if axis is not self.across]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Keys in sentences: `policy` for `station.server.policy`, if no other key ends like it."""
        return {one.key: self._short(one.key) for one in self.axes}

    def _short(self, key: str) -> str:
        others = [f".{axis.key}" for axis in self.axes if axis.key != key]
        parts = key.split(".")
        ends = (".".join(parts[-count:]) for count in range(1, len(parts)))
        free = (end for end in ends if not any(one.endswith(f".{end}") for one in others))
        return next(free, key)

    @cached_property
    def rows(self) -> Sequence[Row]:
        """All points."""
        return self.table.to_dicts()

    def by_population(self, *figures: str) -> list[str]:
        """The columns of these figures of each population, population by population."""
        known = dict.fromkeys(columns.parts(name)[0] for name in self.table.columns)
        wanted = (columns.of_population(one, f) for one in known if one for f in figures)
        varied = {axis.key for axis in self.axes}
        return [name for name in wanted if name in self.table.columns and name not in varied]

    @cached_property
    def curves(self) -> Sequence[Curve]:
        """The points by curve."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            name = ", ".join(self._name_of(axis, row) for axis in self.others)
            found.setdefault(name, []).append(row)
        return [Curve(name, n, rows) for n, (name, rows) in enumerate(found.items())]

    def _name_of(self, axis: Axis, row: Row) -> str:
        """The value of a key in a curve's name: a bare number is one of its key."""
        value, text = row[axis.key], value_words(axis, row[axis.key])
        bare = isinstance(value, int | float) and not axis.unit
        return f"{self.names[axis.key]} = {text}" if bare else text

    @property
    def drawn(self) -> Sequence[Curve]:
        """The curves, up to the number that can be distinguished."""
        return self.curves[:_CURVES_MAX]

    def point_words(self, row: Row) -> str:
        """The place of a point, as in 'load 0.9, policy fcfs'."""
        return ", ".join(
            f"{self.names[axis.key]} {value_words(axis, row[axis.key])}" for axis in self.axes
        )


def value_words(axis: Axis, value: object) -> str:
    """A value of a key, with its unit."""
    if not isinstance(value, int | float):
        return units.law(str(value))
    if not axis.unit:
        return f"{value:.10g}"
    return f"{value:.10g}{'' if axis.unit[0] in '/%' else ' '}{axis.unit.replace('us', 'µs')}"
