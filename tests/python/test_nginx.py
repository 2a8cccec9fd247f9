"""`run` against an independent server: nginx."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cases
import polars
import pytest
from nginx_server import serving
from real_runs import trusted_or_late

import thinktime as tt


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    with serving(tmp_path) as address:
        yield f"http://{address}"


@pytest.mark.serial
def test_a_static_page_is_measured(nginx: str) -> None:
    workload = cases.workload(
        'model = "open"\nrate = 500',
        requests='[[request]]\nname = "page"\nget = "/index.html"\nweight = 9\n'
        '[[request]]\nname = "head"\nhead = "/"\n',
    )
    result = tt.run(workload, nginx, duration=3)
    summary = result.summary
    # nginx closes each connection after 100 requests: that is no error.
    assert summary["errors"] == 0
    assert trusted_or_late(result), result.untrusted
    assert summary["offered_rate"] == pytest.approx(500, rel=0.12)
    page, head = summary["by_request"]["page"], summary["by_request"]["head"]
    assert page["requests"] > 5 * head["requests"] > 0
    # However late they went out, they are those that a simulation sends.
    modelled = tt.simulate(workload, cases.system(("ps", "const(10us)")), duration=3, warmup=0)
    for name, figures in modelled.summary["by_request"].items():
        assert summary["by_request"][name]["requests"] == figures["requests"]
    in_time = polars.DataFrame(result.requests).filter(polars.col("done_ns") <= 3e9)
    assert summary["throughput"] == pytest.approx(in_time.height / 3)


def test_errors_of_the_server_are_counted(nginx: str) -> None:
    workload = cases.workload(
        'model = "closed"\nclients = 3\n[session]\nthink = "exp(5ms)"',
        requests='[[request]]\nname = "good"\n[[request]]\nname = "bad"\nget = "/missing"\n',
    )
    summary = tt.run(workload, nginx, requests=400).summary
    assert summary["requests"] == 400
    assert summary["errors_by_kind"] == {"status": summary["errors"]}
    assert 120 < summary["errors"] < 280
