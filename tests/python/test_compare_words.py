"""The words of a comparison: the names of its results, the values that differ, and ranges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import thinktime as tt
from thinktime.comparison import compare
from thinktime.comparison.workload_difference import differences
from thinktime.present import units


def test_results_of_one_name_are_called_by_their_directories(tmp_path: Path) -> None:
    """Their labels differ in the time alone; a label that a user gave is kept."""
    workload = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "40/s"\n'
    system = {"name": "s", "station": [{"name": "s", "demand": "const(1ms)"}]}

    def made(place: str, label: str | None = None) -> tt.Result:
        output = tmp_path / place
        output.parent.mkdir(exist_ok=True)
        return tt.simulate(
            tt.Workload(workload), system, requests=2_000, output=output, label=label
        )

    one, other, deep = made("before"), made("after"), made("x/after")
    named = made("named", "with a cache")
    labels = [
        (found.before.label, found.after.label)
        for found in (compare(one, other), compare(other, deep), compare(one, named))
    ]
    assert labels[0] == ("before", "after")
    assert labels[1] == (str(tmp_path / "after"), str(tmp_path / "x" / "after"))
    assert labels[2] == (one.label, "with a cache")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({"a": {"rate": "3/s"}}, {"a": {"rate": "6/s"}}, "a.rate 3/s and 6/s"),
        ({"seed": 1, "a": 2}, {"seed": 2, "a": 2}, ""),
        ({"p": [{"name": "x", "n": 1}]}, {"p": [{"name": "x"}]}, "p.x.n 1 and none"),
        ({"p": [{"name": "x"}, {"name": "y"}]}, {"p": [{"name": "x"}]}, "p.y in the first alone"),
        ({"p": [{"name": "", "n": 1}]}, {"p": [{"name": "", "n": 2}]}, "n 1 and 2"),
        (
            {"p": [{"name": ""}]},
            {"p": [{"name": "x"}]},
            "p (without a name) in the first alone, p.x in the second alone",
        ),
        ({"r": "0.30000000000000004/s"}, {"r": "1/s"}, "r 0.3/s and 1/s"),
        (dict.fromkeys("abcdef", 1), {}, "a 1 and none, b 1 and none, c 1 and none, 3 more"),
        (None, {"a": 1}, ""),
    ],
)
def test_the_values_in_which_workloads_differ_are_named(
    before: dict[str, Any] | None, after: dict[str, Any], words: str
) -> None:
    assert differences(before, after) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.0004, 3.8865, "−0.0004 to +3.9"),
        (-12.4, 0.03, "−12 to +0.03"),
        (1.21, 1.24, "+1.2"),
        (-0.5, 0.0, "−0.50 to 0"),
    ],
)
def test_a_range_has_the_digits_of_its_wider_end(low: float, high: float, words: str) -> None:
    assert units.numbers_between(low, high, signed=True) == words
