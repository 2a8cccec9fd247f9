"""Sizes of responses: the same in a simulation and on a real connection."""

from __future__ import annotations

import http.client
from pathlib import Path
from urllib.parse import urlsplit

import polars
import pytest

import thinktime as tt

SEED = 11
WORKLOAD = """
name = "sizes"
seed = 11

[[population]]
name = "people"
[population.arrivals]
model = "partly-open"
rate = "20/s"
[population.session]
requests = "3"
think = "1s"
[[population.request]]
name = "page"
get = "/page/{uniform(1, 4)}"
size = "exp(30kB)"
objects = { count = "2", of = { image = 1 } }
[[population.request]]
name = "image"
get = "/image/{zipf(n=300, s=0.8)}"
size = "bounded_pareto(shape=1.1, lo=1kB, hi=1MB)"

[[population]]
name = "pollers"
[population.arrivals]
model = "closed"
clients = 3
[population.session]
think = "1s"
[[population.request]]
name = "status"
get = "/status"
size = "137B"
"""
SYSTEM = """
name = "sender"
[[station]]
name = "network"
policy = "ps"
demand = "0.25ms + size / 100MB/s"
"""


def lengths(url: str, targets: list[str]) -> list[int]:
    """The bytes of the bodies of these targets, fetched over one connection."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=300)
    found = []
    for target in targets:
        connection.request("GET", target)
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200
        assert int(response.headers["Content-Length"]) == len(body)
        found.append(len(body))
    connection.close()
    return found


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> polars.DataFrame:
    folder = tmp_path_factory.mktemp("sizes") / "result"
    done = tt.simulate(
        tt.Workload(WORKLOAD), tt.System(SYSTEM), requests=3000, warmup=0, rows="all", output=folder
    )
    assert done.summary["requests"] >= 3000
    return polars.read_parquet(folder / "requests.parquet")


def test_a_simulation_and_a_server_give_the_same_sizes(rows: polars.DataFrame) -> None:
    with tt.serve(tt.System(SYSTEM), workload=tt.Workload(WORKLOAD)) as server:
        pages = lengths(server.url, [f"/page/{number}" for number in range(1, 5)])
        images = lengths(server.url, [f"/image/{number}" for number in range(1, 301)])
        status, other = lengths(server.url, ["/status", "/page/1?from=mail"])
    assert (status, other) == (137, pages[0])
    by_name = rows.group_by("name").agg(polars.col("bytes_received").unique())
    found = {name: set(sizes) for name, sizes in by_name.iter_rows()}
    assert found["page"] == set(pages)
    assert found["status"] == {137}
    assert found["image"] <= set(images)
    # All except the rarest were requested.
    assert len(found["image"]) > 250
    popular = rows.filter(polars.col("name") == "image")["bytes_received"].mode()[0]
    assert popular == images[0]


def test_a_demand_is_that_of_the_size(rows: polars.DataFrame) -> None:
    expected = 0.25e-3 + rows["bytes_received"] / 100e6
    assert float((rows["demand_s"] - expected).abs().max() or 0) < 2e-9


def test_a_real_run_receives_the_bodies() -> None:
    workload = tt.Workload(WORKLOAD)
    with tt.serve(tt.System(SYSTEM), workload=workload) as server:
        done = tt.run(workload, server.url, requests=100, demands=tt.System(SYSTEM), rows="all")
        read = done.requests.collect() if hasattr(done.requests, "collect") else done.requests
    simulated = tt.simulate(workload, tt.System(SYSTEM), requests=100, warmup=0, rows="all")
    key = ["session", "request"]
    both = polars.DataFrame(read).join(polars.DataFrame(simulated.requests), on=key, suffix="_sim")
    assert len(both) > 50
    head = both["bytes_received"].cast(polars.Int64) - both["bytes_received_sim"].cast(polars.Int64)
    # The head of a response: the same except for the digits of its length.
    assert int(head.min() or 0) > 0
    assert int(head.max() or 0) < 120


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tt.InputError, match=r"`network`.*--workload"):
        tt.serve(tt.System(SYSTEM))
    with pytest.raises(tt.InputError, match="does not go with burn"):
        tt.serve(tt.System(SYSTEM), burn=True, workload=tt.Workload(WORKLOAD))
    with pytest.raises(tt.InputError, match="sizes of responses"):
        tt.serve(tt.System(SYSTEM), burn=True)
    without = tt.Workload(WORKLOAD.replace('size = "137B"', ""))
    message = r"`status` at `network` depends on the size"
    with pytest.raises(tt.InputError, match=message):
        tt.serve(tt.System(SYSTEM), workload=without)
    with pytest.raises(tt.InputError, match=message):
        tt.simulate(without, tt.System(SYSTEM), requests=10)
    (tmp_path / "s.luau").write_text("return function() request('status') end\n")
    text = """
name = "scripted"
arrivals = { model = "closed", clients = 1 }
session = { script = "s.luau" }
request = [{ name = "status", get = "/status", size = "1kB" }]
"""
    with pytest.raises(tt.InputError, match=r"size: does not go with this model"):
        tt.Workload(text, str(tmp_path / "w.toml"))
