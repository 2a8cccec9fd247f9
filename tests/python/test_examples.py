"""The examples work as they are, simulated and served."""

from __future__ import annotations

from pathlib import Path

import pytest

import thinktime as tt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("name", ["shop.toml", "load-test.toml"])
def test_examples_are_simulated_at_a_load(name: str) -> None:
    result = tt.simulate(EXAMPLES / name, EXAMPLES / "server.toml", load=0.7, requests=200_000)
    loads = [station["load"] for station in result.summary["stations"].values()]
    assert max(loads) == pytest.approx(0.7, abs=0.03)
    assert set(result.summary["by_request"]) == {"item", "order"}


def test_the_populations_of_the_example_are_simulated() -> None:
    result = tt.simulate(
        EXAMPLES / "shop-visitors.toml", EXAMPLES / "shop-visitors-server.toml",
        requests=200_000,
    )  # fmt: skip
    assert list(result.populations) == ["visitors", "screens", "crawler"]
    assert result.summary["model"] == "mixed"
    assert result.summary["pages"] > 1000
    assert not result.breaches()


def test_the_example_is_run_against_its_served_system() -> None:
    with tt.serve(EXAMPLES / "server.toml") as server:
        result = tt.run(EXAMPLES / "shop.toml", server.url, duration=2, drain=2)
    assert result.summary["requests"] > 5
    assert result.summary["errors"] == 0
