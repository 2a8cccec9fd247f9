"""Import of PCM models: usage scenarios, and the files as a whole."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pcm_models as pcm
import pytest
from pcm_models import act, branch, call, cpu, enter, fork, loop, spec, users, walk

import thinktime as tt
from thinktime.pcm import Choices, Imported, import_model

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "pcm" / "business-information"


def made(folder: Path, *scenarios: str, choices: Choices | None = None) -> Imported:
    found = pcm.write(folder, [cpu("0.1")], usagemodel=pcm.usagemodel(*scenarios))
    return import_model(found, choices)


def workload(found: Imported) -> dict[str, Any]:
    tt.Workload(without_script(found))
    return tomllib.loads(found.files["workload.toml"])


def without_script(found: Imported) -> str:
    """The workload; if sessions are programs, with a plain session instead."""
    return re.sub(
        r"(think .*\n)?script = .*", 'requests = "1"\nthink = "0s"', found.files["workload.toml"]
    ).replace('"closed"\n', '"closed"\n')


def delay(time: str) -> pcm.Action:
    return act("Delay", spec("timeSpecification_Delay", time))


def choice(*ways: tuple[float, list[pcm.Action]]) -> pcm.Action:
    tag = "branchTransitions_Branch"
    inner = "".join(
        f'<{tag} branchProbability="{p}">\n{walk(actions, "branchedBehaviour_BranchTransition")}'
        f"</{tag}>\n"
        for p, actions in ways
    )
    return act("Branch", inner)


def turns(count: str, *actions: pcm.Action) -> pcm.Action:
    body = walk(actions, "bodyBehaviour_Loop")
    return act("Loop", body + spec("loopIteration_Loop", count))


# ---- workloads


def test_exponential_times_between_arrivals_are_poisson(tmp_path: Path) -> None:
    found = made(tmp_path, users(walk([enter()]), pcm.opened("Exp(4)")))
    assert workload(found)["arrivals"] == {"model": "open", "rate": "4/s"}
    assert workload(found)["request"] == [{"name": "order", "weight": 1, "get": "/order"}]


@pytest.mark.parametrize(
    ("time", "arrivals"),
    [
        ("0.5", {"model": "open", "process": "even", "rate": "2/s"}),
        ("UniDouble(1, 2)", {"model": "open", "process": "uniform(1s, 2s)"}),
        ("DoublePMF[(1.0;0.5)(2.0;0.5)]",
         {"model": "open", "process": "discrete(0.5: 1s, 0.5: 2s)"}),
    ],
)  # fmt: skip
def test_other_times_between_arrivals(tmp_path: Path, time: str, arrivals: dict[str, str]) -> None:
    found = made(tmp_path, users(walk([enter()]), pcm.opened(time)))
    assert workload(found)["arrivals"] == arrivals


def test_a_closed_workload(tmp_path: Path) -> None:
    found = made(tmp_path, users(walk([enter()]), pcm.closed(7, "Exp(0.2)")))
    assert workload(found)["arrivals"] == {"model": "closed", "clients": 7}
    assert workload(found)["session"] == {"think": "exp(5s)"}


def test_a_choice_of_calls_is_one_of_requests(tmp_path: Path) -> None:
    body = walk([choice((0.3, [enter(name="look")]), (0.7, [enter(name="buy it")]))])
    found = made(tmp_path, users(body, pcm.opened("Exp(1)")))
    pairs = [(one["name"], one["weight"]) for one in workload(found)["request"]]
    assert pairs == [("look", 0.3), ("buy-it", 0.7)]
    assert found.notes == []


def test_poisson_scenarios_are_joined(tmp_path: Path) -> None:
    one = users(walk([enter(name="a")]), pcm.opened("Exp(3)"), "one")
    two = users(walk([enter(name="b")]), pcm.opened("Exp(1)"), "two")
    found = made(tmp_path, one, two)
    assert workload(found)["arrivals"]["rate"] == "4/s"
    assert [(r["name"], r["weight"]) for r in workload(found)["request"]] == [("a", 3), ("b", 1)]


def test_of_other_scenarios_one_is_chosen(tmp_path: Path) -> None:
    one = users(walk([enter(name="a")]), pcm.closed(2, "0"), "one")
    two = users(walk([enter(name="b")]), pcm.opened("Exp(1)"), "two")
    found = made(tmp_path, one, two)
    assert workload(found)["arrivals"] == {"model": "closed", "clients": 2}
    assert "--scenario 'two'" in str(found.notes[0])
    found = made(tmp_path, one, two, choices=Choices(scenario="two"))
    assert workload(found)["arrivals"]["model"] == "open"


# ---- sessions of several calls


def test_several_calls_are_a_program(tmp_path: Path) -> None:
    steps = [enter(name="a"), delay("Exp(0.5)"), turns("2", enter(name="b"))]
    found = made(tmp_path, users(walk(steps), pcm.opened("Exp(1)")))
    assert tomllib.loads(found.files["workload.toml"])["session"] == {"script": "session.luau"}
    calls = re.findall(r'\tcall\(client, \{ \{ 1, "(\w)" \} \}\)|think\((".*?")\)',
                       found.files["session.luau"])  # fmt: skip
    assert calls == [("a", ""), ("", '"exp(2s)"'), ("b", ""), ("b", "")]


def test_a_program_runs_and_sends_what_users_do(tmp_path: Path) -> None:
    # Of 10 passes 4 send `a` twice, the others `b` and `c`: 0.8, 0.6 and 0.6 a pass.
    steps = [
        choice((0.4, [turns("2", enter(name="a"))]), (0.6, [enter(name="b"), enter(name="c")])),
        delay("1"),
    ]
    scenario = users(walk(steps), pcm.opened("Exp(1)"))
    found = made(tmp_path, scenario)
    found.write(tmp_path / "out")
    given = tt.Workload.load(tmp_path / "out" / "workload.toml")
    system = tt.System(pcm.on_stations(found.files["system.toml"]))
    summary = tt.simulate(given, system, requests=20_000, warmup=0).summary
    shares = {name: one["requests"] / 20_000 for name, one in summary["by_request"].items()}
    # 10,000 passes: the standard error of a share is about 0.005.
    assert shares["a"] == pytest.approx(0.4, abs=0.025)
    assert shares["b"] == pytest.approx(0.3, abs=0.025)
    assert shares["c"] == pytest.approx(0.3, abs=0.025)


# ---- whole models


def test_an_imported_queue_has_the_mean_of_its_formula(tmp_path: Path) -> None:
    # M/G/1 under PS at load 0.7: E[T] = E[S] / (1 - 0.7), whatever the law of the demand.
    front = [branch((0.5, [cpu("0.2")]), (0.5, [cpu("Exp(2)")]))]
    found = import_model(
        pcm.write(tmp_path, front, usagemodel=pcm.usagemodel(
            users(walk([enter()]), pcm.opened("Exp(2.0)"))))
    )  # fmt: skip
    given = tt.Workload(found.files["workload.toml"])
    system = tt.System(pcm.on_stations(found.files["system.toml"]))
    summary = tt.simulate(given, system, requests=400_000).summary
    assert summary["stations"]["one"]["load"] == pytest.approx(0.7, abs=0.01)
    assert summary["response_time_s"]["mean"] == pytest.approx(0.35 / 0.3, rel=0.05)


def test_the_example_has_the_demands_of_the_case_study() -> None:
    found = import_model(EXAMPLE)
    assert found.notes == []
    steps = {one["request"]: one["steps"]
             for one in tomllib.loads(found.files["system.toml"])["behaviour"]}  # fmt: skip
    demands: dict[str, float] = {}
    weights: dict[str, float] = {}
    for request in tomllib.loads(found.files["workload.toml"])["request"]:
        name = request["name"].partition(".")[0]
        laws = [step["demand"] for step in steps[request["name"]] if "demand" in step]
        mean = sum(tt.Distribution(law).mean for law in laws)
        weights[name] = weights.get(name, 0) + request["weight"]
        demands[name] = demands.get(name, 0) + request["weight"] * mean
    assert weights == pytest.approx({"page": 0.7, "monitoring": 0.2, "reporting": 0.1})
    means = {name: demands[name] / weights[name] for name in demands}
    assert means == pytest.approx({"page": 0.005, "monitoring": 0.25, "reporting": 3.0})
    [machine] = tomllib.loads(found.files["system.toml"])["machine"]
    assert machine == {"name": "server", "cores": 2, "os": "windows-server-2003"}
    assert tt.Workload(found.files["workload.toml"]).request_rate == 4.0


def test_what_is_not_carried_stands_in_the_system_file(tmp_path: Path) -> None:
    front = [fork([], [[cpu("1")]]), pcm.action("EmitEventAction"), loop("2", call())]
    found = import_model(pcm.write(tmp_path, [], repository=pcm.repository(front, [cpu("1")])))
    assert len(found.notes) == 2
    for note in found.notes:
        assert f"# - m.repository: {note.element}: {note.text}" in found.files["system.toml"]
    assert "EmitEventAction is not carried: left out" in str(found.notes)


def test_all_names_of_a_system_are_different(tmp_path: Path) -> None:
    environment = pcm.environment().replace('entityName="two"', 'entityName="one"')
    files = {
        "repository": pcm.repository([cpu("1"), call()], [cpu("1")]),
        "resourceenvironment": environment,
        "allocation": pcm.allocation("one", "two"),
    }
    found = import_model(pcm.write(tmp_path, [], **files))
    names = [one["name"] for one in tomllib.loads(found.files["system.toml"])["machine"]]
    assert names == ["one", "one-2"]
    tt.System(pcm.on_stations(found.files["system.toml"]))
