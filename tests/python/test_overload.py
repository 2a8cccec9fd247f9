"""An overload without an end is refused, and the scale that is proposed instead is borne."""

from __future__ import annotations

import re

import pytest

import thinktime as tt

SYSTEM = {"name": "s", "station": [{"name": "s", "servers": 2, "demand": "exp(20ms)"}]}
KNOWN = {"from": "site.log", "confidence": "high", "up_to": "50/s"}


def open_at(rate: str, *more: str) -> dict[str, object]:
    requests = [{"name": "page", "get": "/"}]
    one = {"arrivals": {"model": "open", "rate": rate}, "request": requests}
    if not more:
        return {"name": "w", **one}
    others = [{"arrivals": {"model": "open", "rate": each}, "request": requests} for each in more]
    named = [
        {"name": name, **each} for name, each in zip(("site", "api"), [one, *others], strict=True)
    ]
    return {"name": "w", "population": named}


@pytest.mark.parametrize(
    ("workload", "scale", "most"),
    [
        (open_at("130/s"), None, 0.769),
        (open_at("60/s"), 2.0, 1.67),
        (open_at("40/s", "9/s"), 3.0, 2.04),
        (open_at("0.7/s"), 250.0, 143.0),
    ],
)
def test_the_proposed_scale_is_borne(
    workload: dict[str, object], scale: float | None, most: float
) -> None:
    with pytest.raises(tt.InputError) as refused:
        tt.simulate(workload, SYSTEM, scale=scale)
    words = str(refused.value)
    assert f"bears less than {most:g} times the traffic of the workload" in words
    proposed = re.search(r"`--scale (\S+)` makes a load of (\S+)$", words)
    assert proposed is not None, words
    found = tt.simulate(workload, SYSTEM, scale=float(proposed[1]), requests=50_000, seed=2)
    assert found.summary["stations"]["s"]["load"] == pytest.approx(float(proposed[2]), abs=0.03)


def test_a_rate_that_was_given_is_not_answered_by_a_scale() -> None:
    with pytest.raises(tt.InputError, match=r"less than 0\.500 times this traffic$"):
        tt.simulate(open_at("10/s"), SYSTEM, rate="200/s")


def test_the_scale_that_is_proposed_for_a_learned_server_can_be_trusted() -> None:
    system = SYSTEM | {"learned": KNOWN}
    with pytest.raises(tt.InputError) as refused:
        tt.simulate(open_at("30/s"), system, scale=4)
    words = str(refused.value)
    proposed = re.search(r"`--scale (\S+)` makes a load of 0\.4\d*, the most at which", words)
    assert proposed is not None, words
    scale = float(proposed[1])
    assert tt.simulate(open_at("30/s"), system, scale=scale, requests=50_000).untrusted is None
    assert "not to be trusted: the server was learned from site.log" in words
