"""`serve --server N`: the file of the switch and of the simulation, as it is."""

from __future__ import annotations

from typing import Any

import pytest

import thinktime as tt

CLOSED = {
    "name": "one",
    "arrivals": {"model": "closed", "clients": 1},
    "session": {"think": "const(1ms)"},
    "request": [{"name": "a", "get": "/a", "size": "const(2000B)"}],
}
STATION = {"name": "cpu", "demand": "const(1ms)"}


def system(**more: Any) -> dict[str, Any]:
    cluster = {"name": "web", "servers": 3, "dispatch": "round-robin", "station": [STATION]}
    return {"name": "s", "cluster": [cluster | more.pop("cluster", {})], **more}


def test_a_server_is_behind_the_links() -> None:
    """No response takes the link's second, which a model of the whole file adds."""
    wan = [{"name": "wan", "delay": "1s", "loss": "1%"}]
    with tt.serve(system(link=wan), server=2, workload=CLOSED) as server:
        done = tt.run(CLOSED, server.url, requests=5)
    assert done.summary["errors"] == 0
    assert done.summary["response_time_s"]["min"] < 1.0
    modelled = tt.simulate(CLOSED, system(link=wan), requests=5, warmup=0)
    assert modelled.summary["response_time_s"]["min"] > 2.0


def test_what_stands_beside_a_cluster_is_no_server_of_it() -> None:
    with pytest.raises(tt.InputError, match="nothing beside it"):
        tt.serve(system(pool=[{"name": "p", "size": 1}]), server=0)


@pytest.mark.parametrize("of", ["station", "machine"])
def test_a_server_of_a_cluster_burns(of: str) -> None:
    tables = system(link=[{"name": "wan", "delay": "1s"}])
    if of == "machine":
        machine = {"name": "m", "os": "linux-eevdf", "demand": "const(1ms)"}
        tables |= {"machine": [machine]}
        (cluster,) = tables["cluster"]
        del cluster["station"]
        cluster["server"] = "machine:m"
    with tt.serve(tables, server=1, burn=True) as server:
        done = tt.run(CLOSED, server.url, requests=3)
    assert done.summary["errors"] == 0
    assert server.burned is not None
    assert server.burned.demanded_s == pytest.approx(0.003)


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ({"cache": {"size": "1MB"}}, "cache"),
        ({"change": [{"at": "1s", "server": 0, "does": "fails"}]}, "change"),
    ],
)
def test_a_burning_server_has_nothing_of_a_model(more: dict[str, Any], key: str) -> None:
    with pytest.raises(tt.InputError, match=f"no `{key}` of a model"):
        tt.serve(system(cluster=more), server=0, burn=True)
