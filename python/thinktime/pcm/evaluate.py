"""The values of stochastic expressions, given those of their variables.

Semantics as in SimuLizar: a literal or function is drawn anew at each evaluation, a variable once;
whole numbers are divided as whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from thinktime import InputError
from thinktime.pcm import functions, random_functions, stoex
from thinktime.pcm.laws import Amount, Law, Mixture, Uniform
from thinktime.pcm.notes import Notes
from thinktime.pcm.values import Value, amount, combined, drawn, draws_of
from thinktime.pcm.xmi import Element

SUM_TOLERANCE = 1e-3
"""Probabilities whose sum is further from 1 are noted."""


@dataclass(frozen=True)
class Proxy:
    """A characterisation of a collection's items: evaluated anew at each use."""

    text: str
    frame: Frame
    element: Element


@dataclass(frozen=True)
class Frame:
    """The variables that an expression may name; without own ones, those of `parent`."""

    values: Mapping[str, Value | Proxy] = field(default_factory=dict)
    parent: Frame | None = None

    def find(self, name: str) -> Value | Proxy | None:
        """The value of a variable, as in `file.BYTESIZE`; None if it is unknown."""
        if name in self.values:
            return self.values[name]
        return self.parent.find(name) if self.parent else None

    def known(self) -> list[str]:
        """The names of all variables."""
        return sorted({*self.values, *(self.parent.known() if self.parent else [])})


@dataclass
class Evaluator:
    """It evaluates expressions, numbers their draws, and notes approximations."""

    notes: Notes
    origins: int = 0

    def value(self, text: str, frame: Frame, element: Element) -> Value:
        """The value of an expression in `element`.

        Raises:
            InputError: It is not an expression, names an unknown variable or function, or makes no
                sense, such as a text that is multiplied.
        """
        try:
            return self._node(_parsed(text), frame, element)
        except InputError as error:
            raise element.error(str(error)) from None
        except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
            raise element.error(f"{text!r} has no value: {error}") from None

    def _node(self, node: stoex.Node, frame: Frame, element: Element) -> Value:
        match node:
            case stoex.Literal():
                return node.value
            case stoex.Variable():
                return self._variable(node.id, frame)
            case stoex.Samples():
                return self._samples(node, element)
        values = [self._node(argument, frame, element) for argument in node.arguments]

        def operation(*amounts: Amount) -> Amount:
            self.origins += 1
            return functions.apply(node.name, amounts, self.origins, noted)

        def noted(text: str) -> None:
            self.notes.add(element.place, text)

        def too_many() -> None:
            noted("too many combinations of random values: carried with their means")

        if node.name in random_functions.COUNTS:
            return self._count(node, values)
        if node.name in random_functions.LAWS:  # one draw, whatever its parameters
            origin = self.origins = self.origins + 1
            return combined(
                lambda *at: functions.apply(node.name, at, origin, noted), values, too_many
            )
        return combined(operation, values, too_many)

    def _variable(self, name: str, frame: Frame) -> Value:
        found = frame.find(name)
        if found is None:
            known = ", ".join(frame.known()) or "none"
            raise InputError(f"the variable `{name}` has no value here; known are: {known}")
        if isinstance(found, Proxy):
            return self.value(found.text, found.frame, found.element)
        return found

    def _samples(self, node: stoex.Samples, element: Element) -> Value:
        whole = sum(p for _, p in node.samples)
        if whole <= 0:
            raise InputError(f"the probabilities of {node.kind} sum to {whole}, not to 1")
        if abs(whole - 1.0) > SUM_TOLERANCE:
            self.notes.add(element.place, f"probabilities that sum to {whole:g} are scaled to 1")
        support = [(value, p / whole) for value, p in node.samples]
        if node.kind != "DoublePDF":
            return drawn(node.text, support)
        self.origins += 1
        return boxes(self.origins, [(float(value), p) for value, p in support])

    def _count(self, node: stoex.Function, values: list[Value]) -> Value:
        if draws_of(*values):
            raise InputError(f"{node.name} needs constant arguments")
        return drawn(node.name, random_functions.count(node.name, [amount(v, {}) for v in values]))


def boxes(origin: int, samples: list[tuple[float, float]]) -> Law:
    """The law of a DoublePDF: each value ends a box that begins at the one before, or at 0."""
    parts: list[tuple[float, float | Law]] = []
    begin = 0.0
    for end, p in sorted(samples):
        if end < 0:
            raise InputError(f"a DoublePDF needs values of 0 or more, not {end}")
        if p > 0:
            parts.append((p, Uniform(origin, begin, end) if end > begin else end))
        begin = end
    part = parts[0][1]
    if len(parts) == 1 and isinstance(part, Law):
        return part
    return Mixture(origin, tuple(parts))


@lru_cache(maxsize=4096)
def _parsed(text: str) -> stoex.Node:
    return stoex.parse(text)
