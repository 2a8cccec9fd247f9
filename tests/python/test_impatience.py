"""Requests that give up while they wait: `queue_timeout` as a law."""

from __future__ import annotations

import pytest

import thinktime as tt

WORKLOAD = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "1.2/s"\n'
SYSTEM = 'name = "s"\n[[station]]\nname = "x"\ndemand = "exp(1s)"\nqueue_timeout = "exp(3s)"\n'


def _erlang_a(rate: float, service: float, patience: float) -> tuple[float, float]:
    """The share of M/M/1+M that gives up, and the load: a birth-and-death process.

    C. Palm, Research on telephone traffic carried by full availability groups, Tele 1 (1957).
    """
    weights = [1.0]
    for present in range(1, 200):
        weights.append(weights[-1] * rate / (service + (present - 1) * patience))
    load = 1 - 1 / sum(weights)
    return 1 - load * service / rate, load


def test_the_share_that_gives_up_is_that_of_erlang_a() -> None:
    share, load = _erlang_a(1.2, 1.0, 1 / 3)
    assert share == pytest.approx(0.335426, abs=1e-6)
    result = tt.simulate(tt.Workload(WORKLOAD), tt.System(SYSTEM), requests=400_000, warmup=0)
    summary = result.summary
    # Over 60 seeds the standard deviations were 0.0010 and 0.0012: these bounds are more than five
    # of them, so that the chance of a false alarm were below one in a million without a fixed seed.
    assert summary["errors"] / summary["requests"] == pytest.approx(share, abs=0.008)
    assert summary["stations"]["x"]["load"] == pytest.approx(load, abs=0.007)


def test_a_constant_law_is_a_time() -> None:
    found = []
    for time in ("2s", "const(2s)", "uniform(2s, 2.000000001s)"):
        system = tt.System(SYSTEM.replace("exp(3s)", time))
        result = tt.simulate(tt.Workload(WORKLOAD), system, requests=5_000, warmup=0)
        assert result.summary["errors_by_kind"] == {"dropped": result.summary["errors"]}
        found.append((result.summary["errors"], result.summary["response_time_s"]["mean"]))
    assert found[0] == found[1] == found[2]
    assert found[0][0] > 0
