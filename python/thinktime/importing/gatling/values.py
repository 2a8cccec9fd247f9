"""Values of expressions of a simulation of Gatling, as far as they are known without running it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from thinktime.importing.gatling.syntax import Call, Function, Source
from thinktime.importing.notes import Notes

DEPTH_MAX = 30
TEXT_MAX = 100_000
_UNITS_S = {"ms": 0.001, "milli": 0.001, "millis": 0.001, "millisecond": 0.001, "second": 1.0,
            "minute": 60.0, "hour": 3600.0, "day": 86400.0}  # fmt: skip
_USUAL = ("getProperty", "getInteger", "getLong", "getOrElse", "getOrDefault")
"""Calls whose second argument is a default."""

_SAME = ("parseInt", "parseDouble", "valueOf", "toInt", "toDouble", "toLong", "toString",
         "StringBody", "PebbleStringBody", "Integer", "Double")  # fmt: skip
"""Calls whose value is that of what they are given."""


_PAIRS = ("->", "to", "entry")


@dataclass
class Names:
    """The names of a simulation, and those of the functions that are being followed."""

    source: Source
    notes: Notes
    frames: list[dict[str, Any]] = field(default_factory=list)

    def function(self, name: str) -> Function | None:
        """What a name stands for, if the simulation says it."""
        if self.frames and name in self.frames[-1]:
            return Function([], self.frames[-1][name])
        return self.source.names.get(name)

    @contextmanager
    def following(self, function: Function, call: Call) -> Iterator[bool]:
        """Bind the parameters of a function to values; False if it is followed too deeply."""
        held = [self.value(one) for one in call.given]
        given = [one if value is None else value
                 for one, value in zip(call.given, held, strict=True)]  # fmt: skip
        is_deep = len(self.frames) >= DEPTH_MAX
        self.frames.append(dict(zip(function.parameters, given, strict=False)))
        try:
            yield not is_deep
        finally:
            self.frames.pop()

    def value(self, given: Any) -> Any:
        """A text, a number, or a table; None if it is not known."""
        if not isinstance(given, Call):
            return given if isinstance(given, str | int | float) else None
        if given.name == "+":
            return self._sum(given)
        if given.name == "concat" and given.on is not None and given.given:
            return self._sum(Call("+", given.on, given.given, given.line))
        if given.name in ("Map", "of", "mapOf", "ofEntries"):
            return self._table(given)
        if given.name in _USUAL and len(given.given) == 2:
            text = f"`{self.value(given.given[0])}` of the environment has its default here"
            self.notes.add(f"line {given.line}", text)
            return self.value(given.given[1])
        if given.name in _SAME:
            held = self.value(given.given[0] if given.given else given.on)
            is_whole = isinstance(held, str) and re.fullmatch(r"\d{1,15}", held) is not None
            return (
                int(held) if is_whole and given.name.startswith(("parse", "to", "value")) else held
            )
        function = self.function(given.name)
        if function is None:
            return True if given.name == "true" else None
        with self.following(function, given) as known:
            return self.value(function.body) if known else None

    def _sum(self, given: Call) -> Any:
        pieces: list[Any] = []
        at: Any = given
        while isinstance(at, Call) and at.name == "+" and at.given:
            pieces.append(self._known(at.given[0]))
            at = at.on
        pieces.append(self._known(at))
        if any(isinstance(one, str) for one in pieces):  # what is not known is filled by its name
            pieces = [f"#{{{one.name}}}" if isinstance(one, Call) else one for one in pieces]
        if any(not isinstance(one, str | int | float) for one in pieces):
            return None
        if all(isinstance(one, int | float) for one in pieces):
            return sum(pieces)
        text = "".join(map(str, reversed(pieces)))
        return text if len(text) <= TEXT_MAX else None

    def _known(self, given: Any) -> Any:
        """The value of an expression; the expression itself if that is not known."""
        found = self.value(given)
        return given if found is None else found

    def _table(self, given: Call) -> dict[str, Any]:
        """`Map.of("a", "b")`, `Map("a" -> "b")`, `mapOf("a" to "b")`."""
        found: dict[str, Any] = {}
        pairs = [one for one in given.given if isinstance(one, Call) and one.name in _PAIRS]
        for one in pairs:
            both = one.given if one.name == "entry" else [one.on, *one.given]
            if len(both) == 2:
                found[str(self.value(both[0]))] = self.value(both[1])
        if not pairs:
            values = [self.value(one) for one in given.given]
            found = dict(zip(map(str, values[::2]), values[1::2], strict=False))
        return found

    def text(self, given: Any) -> str | None:
        """A text; None if it is not known."""
        found = self.value(given)
        return str(found) if isinstance(found, str | int | float) else None

    def number(self, given: Any) -> float | None:
        """A number from 0 on; None if it is not known."""
        found = self.value(given)
        is_number = isinstance(found, int | float) and not isinstance(found, bool)
        return float(found) if is_number and 0 <= found < 1e12 else None

    def times_s(self, given: Sequence[Any]) -> list[float | None]:
        """Times in seconds; a unit behind them, as `TimeUnit.MILLISECONDS`, is that of numbers."""
        last = given[-1] if len(given) > 1 else None
        unit_s = _UNITS_S.get(_unit(last))
        if unit_s is None:
            return [self.time_s(one) for one in given]
        found = [self.number(one) for one in given[:-1]]
        return [None if one is None else one * unit_s for one in found]

    def time_s(self, given: Any) -> float | None:
        """A time in seconds: `5`, `5.minutes`, `Duration.ofMillis(5)`; None if it is not known."""
        if not isinstance(given, Call):
            return self.number(given)
        unit = given.name.removeprefix("of").lower()
        unit_s = _UNITS_S.get(unit, _UNITS_S.get(unit.removesuffix("s")))
        if unit_s is not None:
            number = self.number(given.given[0] if given.given else given.on)
            return None if number is None else number * unit_s
        function = self.function(given.name)
        if function is None or given.name in _SAME:
            return self.number(given)
        with self.following(function, given) as known:
            return self.time_s(function.body) if known else None


def _unit(given: Any) -> str:
    """The name of a unit of Java, which stands in capitals; empty for any other expression."""
    is_one = isinstance(given, Call) and not given.given and given.name.isupper()
    return given.name.lower().removesuffix("s") if is_one else ""
