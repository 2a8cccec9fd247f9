"""Random values: the value of a stochastic expression, with its draws kept apart.

A value that is passed on is drawn once and then the same everywhere, for example a size that
decides on a branch and on a demand. So a value is kept as a table over its draws, and a way through
the model that knows more of a draw restricts it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from thinktime.pcm.laws import Amount, Chance, Law, Scalar, mean_of

ROWS_MAX = 5000
"""With more combinations only means are kept."""

Support = tuple[tuple[Scalar, float], ...]
"""Values with their probabilities, which sum to 1."""


@dataclass(frozen=True, eq=False)
class Draw:
    """One discrete draw; two are the same only if they are the same object.

    Attributes:
        text: Its expression.
        support: Its values.
    """

    text: str
    support: Support


@dataclass(frozen=True, eq=False)
class Table:
    """A value that depends on draws: the amount for each combination of their values."""

    draws: tuple[Draw, ...]
    rows: Mapping[tuple[Scalar, ...], Amount]


Value = Amount | Table
Knowledge = Mapping[Draw, Support]
"""The draws that a path knows: the values that are left, with their probabilities."""


def drawn(text: str, support: Sequence[tuple[Scalar, float]]) -> Value:
    """A new draw; a constant if there is only one value."""
    kept = tuple((value, p) for value, p in support if p > 0)
    if len(kept) == 1:
        return kept[0][0]
    draw = Draw(text, kept)
    return Table((draw,), {(value,): value for value, _ in kept})


def draws_of(*values: Value) -> tuple[Draw, ...]:
    """The draws that values depend on, each once."""
    found = (draw for value in values if isinstance(value, Table) for draw in value.draws)
    return tuple(dict.fromkeys(found))


def amount(value: Value, known: Mapping[Draw, Scalar]) -> Amount:
    """The value, given its draws."""
    if isinstance(value, Table):
        return value.rows[tuple(known[draw] for draw in value.draws)]
    return value


def combined(
    operation: Callable[..., Amount], values: Sequence[Value], too_many: Callable[[], None]
) -> Value:
    """The value of an operation on values, for each combination of their draws.

    If there are more combinations than `ROWS_MAX`, it is the value of the means, and `too_many` is
    called.
    """
    draws = draws_of(*values)
    count = 1
    for draw in draws:
        count *= len(draw.support)
    if count > ROWS_MAX:
        too_many()
        return operation(*(mean(value) for value in values))
    rows: dict[tuple[Scalar, ...], Amount] = {}
    for chosen in itertools.product(*([v for v, _ in draw.support] for draw in draws)):
        known = dict(zip(draws, chosen, strict=True))
        rows[chosen] = operation(*(amount(value, known) for value in values))
    return Table(draws, rows) if draws else rows[()]


def weighted(value: Value, known: Knowledge) -> Iterator[tuple[float, Amount, dict[Draw, Scalar]]]:
    """Each amount that a value may have, with its probability and the draws that make it."""
    draws = draws_of(value)
    for chosen in itertools.product(*(known.get(draw, draw.support) for draw in draws)):
        probability = 1.0
        for _, p in chosen:
            probability *= p
        at = {draw: v for draw, (v, _) in zip(draws, chosen, strict=True)}
        yield probability, amount(value, at), at


def distribution(value: Value, known: Knowledge) -> list[tuple[float, Amount]]:
    """The amounts that a value may have, each once, with their probabilities."""
    found: dict[tuple[str, Amount], float] = {}
    for probability, one, _ in weighted(value, known):
        key = (type(one).__name__, one)
        found[key] = found.get(key, 0.0) + probability
    return [(probability, one) for (_, one), probability in found.items()]


def mean(value: Value, known: Knowledge | None = None) -> Scalar:
    """The mean of a number's value; the most probable one of text."""
    parts = distribution(value, known or {})
    if any(isinstance(one, str) for _, one in parts):
        return max(parts, key=lambda part: part[0])[1]  # type: ignore[return-value]
    if all(isinstance(one, bool | Chance) for _, one in parts):
        return sum(p * mean_of(one) for p, one in parts) >= 0.5
    return sum(p * mean_of(one) for p, one in parts)


def split(value: Value, known: Knowledge) -> list[tuple[float, Amount, Knowledge]]:
    """The amounts that a value may have, each with the draws that the path then knows.

    For one draw only the values that give this amount are left; for several, each combination is a
    separate entry.
    """
    draws = draws_of(value)
    if len(draws) != 1:
        return [
            (p * share, result, {**known, **{draw: ((v, 1.0),) for draw, v in at.items()}})
            for p, one, at in weighted(value, known)
            for result, share in _outcomes(one)
        ]
    draw = draws[0]
    groups: dict[tuple[str, Amount], list[tuple[Scalar, float]]] = {}
    for p, one, at in weighted(value, known):
        for result, share in _outcomes(one):
            key = (type(result).__name__, result)
            groups.setdefault(key, []).append((at[draw], p * share))
    found: list[tuple[float, Amount, Knowledge]] = []
    for (_, result), left in groups.items():
        whole = sum(p for _, p in left)
        if whole > 0:
            support = tuple((v, p / whole) for v, p in left)
            found.append((whole, result, {**known, draw: support}))
    return found


def _outcomes(one: Amount) -> list[tuple[Amount, float]]:
    if isinstance(one, Chance):
        return [(True, one.probability), (False, 1.0 - one.probability)]
    return [(one, 1.0)]


def law_of(value: Value, known: Knowledge) -> list[tuple[float, float | Law]]:
    """The parts of a number's distribution, negative numbers as 0."""
    parts: list[tuple[float, float | Law]] = []
    for p, one in distribution(value, known):
        parts.append((p, one if isinstance(one, Law) else max(0.0, float(one))))
    return parts
