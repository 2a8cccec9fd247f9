"""A learned server serves a workload from which populations or requests were taken out."""

from __future__ import annotations

import pytest

import thinktime as tt
from thinktime.capacity_search import capacity

LEARNED = {"from": "site.log", "confidence": "high", "up_to": "90/s"}
STATION = {"name": "server", "demand": {"/": "exp(5ms)", "/cart": "exp(9ms)", "/q": "exp(3ms)"}}
BEHAVIOUR = {"request": "/up", "steps": [{"delay": "1ms"}]}


def workload(*names: str) -> dict[str, object]:
    requests = [{"name": name, "get": "/"} for name in names]
    return {
        "name": "w", "arrivals": {"model": "open", "rate": "20/s"}, "request": requests,
        "slo": {"p90": "1s"},
    }  # fmt: skip


def system(**more: object) -> dict[str, object]:
    return {"name": "s", "station": [STATION], "behaviour": [BEHAVIOUR], **more}


@pytest.mark.parametrize(
    ("names", "unused"),
    [
        (("/", "/cart", "/q", "/up"), ""),
        (("/", "/cart", "/q"), "`/up`"),
        (("/up",), "`/`, `/cart` and `/q`"),
        (("/q", "/"), "`/cart` and `/up`"),
    ],
)
def test_unused_parts_of_a_learned_server_are_left_out_with_a_note(
    names: tuple[str, ...], unused: str
) -> None:
    found = tt.simulate(workload(*names), system(learned=LEARNED), requests=2_000)
    notes = [one for one in found.summary["notes"] if "does not ask for" in one]
    assert [f"does not ask for {unused}: " in one for one in notes] == [True] * bool(unused)
    assert found.system is not None
    assert found.system.learned is not None


def test_a_capacity_leaves_them_out_too() -> None:
    found = capacity(workload("/", "/q"), system(learned=LEARNED), precision=0.3)
    assert found.value is not None
    assert found.value > 20


def test_another_system_and_a_request_that_nobody_learned_are_refused() -> None:
    with pytest.raises(tt.InputError, match="has no request of that name"):
        tt.simulate(workload("/", "/cart", "/q"), system(), requests=100)
    with pytest.raises(tt.InputError, match="demand for the request `/new`"):
        tt.simulate(workload("/", "/new"), system(learned=LEARNED), requests=100)
