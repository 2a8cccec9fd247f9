"""Answers of an earlier run, from its `results.json`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from figures import Figure
from points import Answer, Point
from saturated import Saturated


def answers(
    results: dict[str, Any], drawn: list[Figure], further: Iterable[Point], again: str
) -> dict[Point, Answer]:
    """All answers but those of points whose field has the given value, as in `think=100000`.

    Raises:
        ValueError: It is neither such a text nor `none`.
    """
    found: dict[Point, Answer] = {}
    for figure in drawn:
        curves = results["figures"][figure.number]["curves"]
        for curve, written in zip(figure.curves, curves, strict=True):
            rows = zip(curve.points, written["points"], strict=True)
            found.update((point, _answer(row)) for (_, point), row in rows)
    by_digits = {_digits(vars(point)): point for point in further}
    for one in results["further_points"]:
        answer = one["answer"] | {"warnings": tuple(one["answer"]["warnings"])}
        if (point := by_digits.get(_digits(one["point"]))) is not None:
            found[point] = Answer(**answer)
    if again == "none":
        return found
    field, _, value = again.partition("=")
    if not value or field not in Point.__dataclass_fields__:
        raise ValueError(f"--again takes FIELD=VALUE, as in think=100000, or none, not {again}")
    return {point: answer for point, answer in found.items() if not _has(point, field, value)}


def saturated(results: dict[str, Any]) -> list[Saturated]:
    """The runs without think times."""
    names = Saturated.__dataclass_fields__
    rows = results["zero_think_time"]
    return [Saturated(**{name: row[name] for name in names}) for row in rows]


def _digits(fields: Mapping[str, Any]) -> str:
    """The identity of points, with as many digits as are written."""
    return " ".join(f"{one:.5g}" if isinstance(one, float) else str(one) for one in fields.values())


def _has(point: Point, field: str, value: str) -> bool:
    have = getattr(point, field)
    return have == float(value) if isinstance(have, float | int) else str(have) == value


def _answer(row: dict[str, Any]) -> Answer:
    """The answer of a row: figures do not record the median."""
    return Answer(
        mean=row["mean_response_s"],
        ci95=row["ci95_s"],
        median=math.nan,
        load=row["load"],
        busy=row["busy"],
        think=row["think_time_s"],
        exact=row["exact_mean_response_s"],
        requests=row["requests"],
        warnings=tuple(row["warnings"]),
    )
