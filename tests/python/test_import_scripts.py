"""Scripts and test plans that cannot be imported, of whichever tool."""

from __future__ import annotations

import pytest
from import_results import imported

import thinktime as tt


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("locust", "def f(:\n", r"source:1: is no Python"),
        ("locust", "x = 1\n", "no class of users"),
        ("locust", "x = " + "(" * 5000 + ")" * 5000, "is no Python|too deeply"),
        ("k6", "export default function () {}", "no request with a literal URL"),
        ("k6", "}}}]]])))((([[[{{{`'\"", "no request"),
        ("jmeter", "<a><b></a>", r"source:1: is no XML"),
        ("jmeter", "<a/>", "no test plan"),
        ("jmeter", "<a>" * 300, "nested deeper"),
        ("jmeter", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "document type"),
        ("jmeter", "<jmeterTestPlan><hashTree/></jmeterTestPlan>", "no HTTP sampler"),
    ],
)
def test_a_broken_script_is_an_error(kind: str, text: str, reason: str) -> None:
    with pytest.raises(tt.InputError, match=reason):
        imported(text, kind=kind)
