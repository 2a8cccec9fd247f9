"""Operators and functions of stochastic expressions, on numbers and laws."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence

from thinktime import InputError
from thinktime.pcm.laws import Amount, Chance, Law, Mixture, Scalar, gamma_of, mean_of, variance_of
from thinktime.pcm.random_functions import COUNTS, LAWS, law

Noted = Callable[[str], None]


def apply(name: str, amounts: Sequence[Amount], origin: int, noted: Noted) -> Amount:
    """The value of an operator or function, for numbers and laws.

    Raises:
        InputError: The function is unknown, or its arguments are wrong.
    """
    if name in LAWS:
        if name == "Norm":
            noted("`Norm` is carried as the gamma law of its mean and standard deviation")
        return law(name, amounts, origin)
    if name not in OPERATIONS:
        named = [key for key in OPERATIONS if key[0].isupper() and not key.isupper()]
        known = ", ".join(sorted([*LAWS, *COUNTS, *named]))
        raise InputError(f"the function `{name}` is unknown; known are: {known}")
    count, exact = OPERATIONS[name]
    if len(amounts) != count:
        raise InputError(f"`{name}` takes {count} arguments, not {len(amounts)}")
    if name == "?:":
        return _chosen(amounts, origin)
    if any(isinstance(one, Law) for one in amounts):
        return _random(name, amounts, origin, noted)
    return exact(*amounts)


def _chosen(amounts: Sequence[Amount], origin: int) -> Amount:
    condition, then, other = amounts
    if isinstance(condition, bool):
        return then if condition else other
    if not isinstance(condition, Chance):
        raise InputError("the part before `?` is no condition")
    if isinstance(then, str) or isinstance(other, str):
        raise InputError("a random condition cannot choose between texts")
    p = condition.probability
    return Mixture(origin, ((p, _number(then)), (1.0 - p, _number(other))))


def _number(one: Amount) -> float | Law:
    return one if isinstance(one, Law) else float(one)


def _random(name: str, amounts: Sequence[Amount], origin: int, noted: Noted) -> Amount:
    if any(isinstance(one, str) for one in amounts):
        raise InputError(f"`{name}` cannot be applied to a text")
    if name in ("NOT", "AND", "OR", "XOR"):
        return _logic(name, [mean_of(one) for one in amounts], origin)
    if name in COMPARISONS:
        return _compared(name, amounts[0], amounts[1], origin, noted)
    if name in ("Trunc", "Round", "Ceil"):
        noted(f"`{name}` of a continuous law is not carried: the law is not rounded")
        return amounts[0]
    if name in ("+", "-"):
        return _sum(amounts[0], amounts[1], name, origin, noted)
    left, right = amounts[0], amounts[-1]
    if name == "*" and isinstance(right, Law) and not isinstance(left, Law):
        left, right = right, left
    if name in ("*", "/") and isinstance(left, Law) and not isinstance(right, Law):
        factor = 1.0 / float(right) if name == "/" else float(right)
        return left.scaled(factor) if factor > 0 else _never_negative(name, factor)
    if name == "*":
        noted("a product of laws is carried as the gamma law of its mean and variance")
        mean = mean_of(left) * mean_of(right)
        square = (variance_of(left) + mean_of(left) ** 2) * (
            variance_of(right) + mean_of(right) ** 2
        )
        return gamma_of(origin, mean, square - mean**2)
    noted(f"`{name}` of a law is carried as that of its mean")
    return OPERATIONS[name][1](*(mean_of(one) for one in amounts))


def _never_negative(name: str, factor: float) -> float:
    if factor == 0:
        return 0.0
    raise InputError(f"`{name}` makes a law negative")


def _logic(name: str, chances: list[float], origin: int) -> Amount:
    p = chances[0]
    if name == "NOT":
        return Chance(origin, 1.0 - p)
    q = chances[1]
    both = {"AND": p * q, "OR": p + q - p * q, "XOR": p + q - 2 * p * q}[name]
    return both == 1.0 if both in (0.0, 1.0) else Chance(origin, both)


def _compared(name: str, left: Amount, right: Amount, origin: int, noted: Noted) -> Amount:
    noted("a condition on a continuous draw is carried as a probability")
    if isinstance(left, Law) and isinstance(right, Law):
        left, right = left, right.mean
        noted("a law is compared with the mean of another one")
    if isinstance(right, Law):
        turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(name, name)
        left, right, name = right, left, turned
    if not isinstance(left, Law) or isinstance(right, Law):
        raise InputError("nothing to compare")
    below = left.below(float(right))
    p = {"<": below, "<=": below, "==": 0.0, "<>": 1.0}.get(name, 1.0 - below)
    return p == 1.0 if p in (0.0, 1.0) else Chance(origin, p)


def _sum(left: Amount, right: Amount, name: str, origin: int, noted: Noted) -> Amount:
    sign = 1.0 if name == "+" else -1.0
    if isinstance(right, Law) and not isinstance(left, Law) and sign > 0:
        left, right = right, left
    if isinstance(left, Law) and not isinstance(right, Law):
        moved = left.shifted(sign * float(right))
        if moved is not None:
            return moved
    noted("a sum of laws is carried as the gamma law of its mean and variance")
    mean = mean_of(left) + sign * mean_of(right)
    return gamma_of(origin, mean, variance_of(left) + variance_of(right))


def _divided(left: float, right: float) -> float:
    if isinstance(left, int) and isinstance(right, int):
        return math.trunc(left / right) if abs(left) < 2**53 else left // right
    return left / right


def _round(value: float) -> int:
    return math.floor(value + 0.5)


def _deviation(sign: int) -> Callable[[float, float, float], float]:
    def deviated(value: float, absolute: float, relative: float) -> float:
        by = max(absolute, value * relative)
        return math.floor(value - by) if sign < 0 else math.ceil(value + by)

    return deviated


COMPARISONS: dict[str, Callable[..., bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "<>": operator.ne,
}

OPERATIONS: dict[str, tuple[int, Callable[..., Scalar]]] = {
    **{name: (2, function) for name, function in COMPARISONS.items()},
    "?:": (3, lambda *_: 0),
    "NOT": (1, operator.not_),
    "AND": (2, lambda left, right: left and right),
    "OR": (2, lambda left, right: left or right),
    "XOR": (2, lambda left, right: bool(left) != bool(right)),
    "negative": (1, operator.neg),
    "+": (2, operator.add),
    "-": (2, operator.sub),
    "*": (2, operator.mul),
    "/": (2, _divided),
    "%": (2, math.fmod),
    "^": (2, lambda left, right: float(left) ** float(right)),
    "Trunc": (1, math.floor),
    "Round": (1, _round),
    "Ceil": (1, math.ceil),
    "Sqrt": (1, math.sqrt),
    "Log": (2, lambda base, value: math.log(value) / math.log(base)),
    "Min": (2, min),
    "Max": (2, max),
    "MinDeviation": (3, _deviation(-1)),
    "MaxDeviation": (3, _deviation(1)),
}
"""Operators and functions with the number of their arguments."""
