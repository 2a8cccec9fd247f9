"""The options that change a workload's arrivals: scale, rate, clients and think time."""

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
            "the populations people, robots: name one, as in people=5, or multiply the rates and "
            "clients of all by `scale`",
        ),
        (TWO, {"rate": {"pupils": 5}}, "no population is named `pupils`: there are people, robots"),
        (TWO, {"rate": ["people=5", "people=6"]}, "people=6: there is another value of `people`"),
        (TWO, {"clients": {"robots": 5}}, "clients = robots=5: does not go with this model"),
        (TWO, {"scale": 0}, "by a factor above 0, not by 0"),
        (OPEN, {"rate": "people=5"}, "no population is named `people`: give the value alone, 5"),
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


def simulated(workload: tt.Workload, **given: Any) -> tt.Result:
    return tt.simulate(workload, cases.system(("fcfs", "const(10us)")), requests=2000, **given)


def rates(result: tt.Result) -> list[float | None]:
    return [one.session_rate for one in result.workload.populations]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"scale": 3}, [15.0, 15.0]),
        ({"rate": {"robots": 8}}, [5.0, 8.0]),
        ({"rate": ["people=7/s", "robots=480/min"]}, [7.0, 8.0]),
        ({"rate": "people=7/s"}, [7.0, 5.0]),
        ({"rate": {"people": 7}, "scale": 2}, [7.0, 10.0]),
    ],
)
def test_a_workload_of_several_populations_is_scaled_and_its_populations_are_named(
    given: dict[str, Any], wanted: list[float]
) -> None:
    """It is scaled first, so that a named value is the one that is simulated."""
    done = simulated(TWO, **given)
    assert rates(done) == pytest.approx(wanted)
    assert rates(tt.again(done)) == pytest.approx(wanted)


def test_a_law_is_no_name_of_a_population() -> None:
    think = "h2(2s, cv2=4)"
    done = simulated(PARTLY_OPEN, think=think)
    assert done.workload.think == tt.Distribution(think)


def test_load_and_rate_are_not_both_obeyed() -> None:
    with pytest.raises(tt.InputError, match="give it or `rate`, and not both"):
        simulated(OPEN, rate=8, load=0.5)


def test_a_sweep_scales_a_mix_or_varies_the_rate_of_a_part() -> None:
    system = cases.system(("fcfs", "const(10us)"))
    swept = tt.sweep(TWO, system, ["scale=1..3/2"], requests=20_000)
    one, three = swept["throughput"].to_list()
    assert three / one == pytest.approx(3.0, rel=0.05)  # chance: 1 % (5 deviations)
    named = tt.sweep(TWO, system, ["rate=people=5/s,people=15/s"], requests=20_000)
    assert named["throughput"].to_list() == pytest.approx([10.0, 20.0], rel=0.05)


@pytest.mark.parametrize("command", ["run", "simulate", "sweep", "capacity"])
def test_each_command_takes_the_same_options(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"]).stdout
    assert {"--scale", "--rate", "--clients", "--think"} <= set(shown.split())
