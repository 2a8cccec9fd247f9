"""The table of objectives: no figure looks like the limit that it is not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest

from thinktime import Objective, Result
from thinktime.report import objectives

Words = tuple[str, str, str]


@pytest.mark.parametrize(
    ("name", "limit", "value", "interval", "words"),
    [
        # The bound of 94.9 % in two digits would be the limit.
        ("goodput", 0.95, 1.0, (0.949, 1.0), ("100 %", "94.9 % to 100 %", "95.0 % or more")),
        ("goodput", 0.95, 0.97, (0.95, 0.99), ("97 %", "95 % to 99 %", "95 % or more")),
        ("errors", 0.01, 0.0, (0.0, 0.01002), ("0 %", "0 % to 1.002 %", "1.000 % or less")),
        ("p99", 1.0, 1.004, (0.9, 2.0), ("1.004 s", "900.0 ms to 2.000 s", "1.000 s or less")),
        ("mean", 0.1, None, None, ("—", "", "100 ms or less")),
    ],
)  # fmt: skip
def test_figures_and_their_limit_are_told_apart(
    name: str, limit: float, value: float | None, interval: Any, words: Words
) -> None:
    verdict: Literal["cannot tell"] = "cannot tell"
    one = Objective(name, None, limit, value, interval, verdict, "")
    (line,) = objectives.lines_of(cast("Result", SimpleNamespace(objectives=[one])))
    found, known, wanted, _ = (cell.text for cell in line.cells)
    assert (found, known, wanted) == words
