"""`run` with another rate, other clients or another think time than the workload's."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cases
import polars
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app

OPEN = cases.workload('model = "open"\nrate = "50/s"\nprocess = "even"')
CLOSED = cases.closed_model(2, "100ms")
PARTLY_OPEN = cases.partly_open_model(20, "3", "100ms")
TWO = tt.Workload(
    'name = "two"\n'
    '[[population]]\nname = "people"\n[population.arrivals]\nmodel = "open"\nrate = "5/s"\n'
    '[[population]]\nname = "robots"\n[population.arrivals]\nmodel = "open"\nrate = "5/s"\n'
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server that is quick."""
    with tt.serve(cases.system(("fcfs", "const(10us)"))) as server:
        yield server.url


@pytest.mark.parametrize("rate", [200, "200/s", "12000/min"])
def test_the_rate_of_an_open_model_is_replaced(url: str, rate: float | str) -> None:
    result = tt.run(OPEN, url, duration="500ms", rate=rate)
    assert 96 <= result.summary["requests"] <= 101


def test_clients_and_think_time_of_a_closed_model_are_replaced(url: str) -> None:
    given = {"duration": "1s", "clients": 8, "think": "const(50ms)"}
    result = tt.run(CLOSED, url, **given)
    # 8 clients x 20 a second, minus the service times.
    assert result.summary["sessions"] == 8
    assert 8 <= result.summary["requests"] <= 168
    rows = polars.DataFrame(result.requests).sort("session", "request")
    gaps = rows["scheduled_ns"] - rows["done_ns"].shift(1)
    thinks = gaps.filter(rows["session"] == rows["session"].shift(1))
    assert (thinks - 50_000_000).abs().le(1_000).all()


def test_rate_and_think_time_go_together_in_a_partly_open_model(url: str) -> None:
    result = tt.run(PARTLY_OPEN, url, duration="500ms", rate="100/s", think=0)
    text = result.inputs()[0].to_toml()
    assert 'rate = "100/s"' in text
    assert "think = 0" in text
    # As many sessions as the law gives with this seed; the file's rate gives 6.
    assert 30 <= result.summary["sessions"] <= 38


@pytest.mark.parametrize(
    ("workload", "given", "said"),
    [
        (CLOSED, {"rate": 5}, "rate = 5: does not go with this model: a closed model has no"),
        (OPEN, {"clients": 5}, "clients = 5: does not go with this model: sessions arrive by"),
        (OPEN, {"think": "1s"}, "think = 1s: does not go with this model: an open session"),
        (PARTLY_OPEN, {"clients": 3}, "clients = 3: does not go with this model"),
        (CLOSED, {"clients": 0}, "clients = 0: must be from 1 to 10000000"),
        (OPEN, {"rate": "fast"}, "rate = fast: `fast` is not a number with a unit"),
        (CLOSED, {"think": "soon"}, "think = soon: unknown distribution `soon`"),
        (
            TWO,
            {"rate": 5},
            r"has people, robots: name the population, as population\.people\.arrivals",
        ),
    ],
)
def test_what_does_not_fit_is_said_before_anything_is_sent(
    workload: tt.Workload, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(tt.InputError, match=said):
        tt.run(workload, "http://127.0.0.1:1", duration=1, **given)


def test_what_was_given_is_noted_and_done_again(url: str, tmp_path: Path) -> None:
    workload = tmp_path / "w.toml"
    workload.write_text(OPEN.to_toml())

    def run(*arguments: str) -> dict[str, Any]:
        done = CliRunner().invoke(app, ["run", *arguments, "--json"])
        assert done.exit_code in (0, 3), done.output
        return json.loads(done.stdout)

    times = ("--duration", "400ms")
    first = run(str(workload), "--target", url, *times, "--rate", "300/s", "-o", f"{tmp_path}/a")
    noted = tomllib.loads((tmp_path / "a" / "run.toml").read_text())
    assert noted["options"]["rate"] == "300/s"
    assert noted["workload"]["arrivals"]["rate"] == "300/s"
    second = run("--again", f"{tmp_path}/a")
    third = run("--again", f"{tmp_path}/a", "--rate", "100/s")
    requests = [one["requests"] for one in (first, second, third)]
    assert requests == pytest.approx([120, 120, 40], abs=4)


def test_a_sweep_of_a_target_varies_them(url: str) -> None:
    """One client that thinks for 100 ms sends up to 5 requests in half a second; of forty each
    sends one, however slow the machine."""
    swept = tt.sweep(CLOSED, None, ["clients=1,40"], target=url, duration="500ms")
    few, many = swept["requests"].to_list()
    assert 1 <= few <= 5
    assert 40 <= many <= 200
