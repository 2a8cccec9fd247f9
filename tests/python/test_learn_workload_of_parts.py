"""The results from a whole log: populations, their file, fidelity, the server."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from traffic.scenarios import scenario
from traffic.scene import Made
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.learn import Learned, learn

pytestmark = pytest.mark.usefixtures("brief_advice")
IDLE = tt.System('name = "idle"\n[[station]]\nname = "s"\nservers = 1000\ndemand = "10ms"\n')


def options(made: Made) -> dict[str, str]:
    words = list(made.learn_options)
    return {
        name.lstrip("-").replace("-", "_"): value
        for name, value in zip(words[::2], words[1::2], strict=True)
    }


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Made, Path]:
    """People, and pollers who ask again 5 s after each answer."""
    made = scenario("pollers", 11, 0.2)
    return made, made.write(tmp_path_factory.mktemp("mixed"))


@pytest.fixture(scope="module")
def learned(mixed: tuple[Made, Path]) -> Learned:
    made, log = mixed
    return learn([log], **options(made))  # type: ignore[arg-type]  # texts all of them


def test_each_population_has_its_own_verdict(mixed: tuple[Made, Path], learned: Learned) -> None:
    facts = mixed[0].truth.facts["populations"]
    told = {one.kind: one for one in learned.split.populations}
    assert set(told) == {"people", "loop"}
    assert told["people"].model == "partly-open"
    assert (told["loop"].model, told["loop"].clients) == ("closed", facts["pollers"]["clients"])
    for kind, name in (("people", "visitors"), ("loop", "pollers")):
        assert told[kind].requests == pytest.approx(facts[name]["lines"], rel=0.02)


def test_the_file_offers_what_the_log_did(learned: Learned) -> None:
    """The rate of about 9,000 requests of people, in sessions of four, has a standard error of 2 %;
    pollers hardly vary. Five of them are wide enough for a false alarm in a million."""
    workload = learned.workload()
    assert workload.model == "mixed"
    span_s = learned.log.requests.span_s
    result = tt.simulate(workload, IDLE, duration=span_s, rows="none")
    by_population = result.summary["by_population"]
    for part in learned.parts:
        offered = by_population[part.population.name]["requests"]
        within = 0.10 if part.population.kind == "people" else 0.02
        assert offered == pytest.approx(len(part.requests), rel=within)


def test_it_is_measured_how_well_it_stands_in(learned: Learned) -> None:
    found = learned.fidelity
    assert found is not None
    assert {"fcfs_mean", "ps_p99", "lru_5", "load"} <= set(found.differences)
    assert not any(one.wrong for one in found.differences.values()), found.sentences()
    as_json = json.loads(json.dumps(learned.to_dict()))["fidelity"]
    assert as_json["verdict"] == found.verdict
    assert as_json["good"] is (True if found.verdict == "good" else None)


@pytest.mark.usefixtures("brief_advice")
def test_starts_lie_beside_the_file(tmp_path: Path) -> None:
    made = scenario("health-checks", 12, 0.1)
    log = made.write(tmp_path)
    found = learn([log], fidelity=False, **options(made))  # type: ignore[arg-type]  # texts
    written = found.save(tmp_path / "w.toml")
    assert written == [tmp_path / "w.toml", tmp_path / "w.starts.parquet"]
    columns = pl.read_parquet(written[1])
    assert all(name.endswith(("_us", "_rate")) for name in columns.columns)
    assert tt.Workload.load(written[0]).model == "mixed"


@pytest.mark.usefixtures("brief_advice")
def test_the_server_is_learned_too(
    mixed: tuple[Made, Path], learned: Learned, tmp_path: Path
) -> None:
    server = learned.server()
    assert server is not None
    facts = mixed[0].truth.facts["populations"]
    assert server.work_s == pytest.approx(sum(one["work_s"] for one in facts.values()), rel=0.05)
    untimed = scenario("people-seconds", 13, 0.05)
    log = untimed.write(tmp_path)
    words = ["learn", str(log), *untimed.learn_options, "--no-fidelity", "--quiet"]
    system = tmp_path / "s.toml"
    said = CliRunner().invoke(
        app, [*words, "--system", str(system), "-o", str(tmp_path / "w.toml")]
    )
    assert said.exit_code == 2
    assert "no durations" in said.output
    assert "advice" in said.output  # everything that can be learned is shown and written
    assert (tmp_path / "w.toml").exists()
    assert not system.exists()
    said = CliRunner().invoke(app, [*words, "--system", str(system), "--demand", "exp(5ms)"])
    assert said.exit_code == 0, said.output
    assert system.read_text().count("exp(5ms)") == 1  # one law for all, said once
    tt.System(system.read_text())


@pytest.mark.usefixtures("brief_advice")
def test_what_changed_between_two_logs_is_told(mixed: tuple[Made, Path], tmp_path: Path) -> None:
    made, log = mixed
    other = scenario("people", 14, 0.2).write(tmp_path)
    words = ["learn", str(other), "--compare", str(log), *made.learn_options, "--no-fidelity"]
    said = CliRunner().invoke(app, [*words, "--quiet", "--json"])
    assert said.exit_code == 0, said.output
    found = {change["name"]: change for change in json.loads(said.output)}
    polled = found["requests of pollers"]
    assert polled["before"] > 0.5
    assert polled["after"] == 0
    assert polled["beyond_chance"]
    assert found["requests a session"]["ratio"] == pytest.approx(1, abs=0.1)


@pytest.mark.usefixtures("brief_advice")
def test_what_changed_is_shown(tmp_path: Path) -> None:
    polled = scenario("pollers", 11, 0.02)
    before, after = (tmp_path / name for name in ("before", "after"))
    before.mkdir()
    after.mkdir()
    words = ["--compare", str(polled.write(before)), *polled.learn_options, "--no-fidelity"]
    log = scenario("people", 14, 0.02).write(after)
    said = CliRunner().invoke(app, ["learn", str(log), *words, "--quiet"])
    assert said.exit_code == 0, said.output
    assert "requests of pollers" in said.output


@pytest.mark.usefixtures("brief_advice")
def test_only_a_part_may_be_looked_at(mixed: tuple[Made, Path]) -> None:
    made, log = mixed
    how = options(made)
    api = learn([log], fidelity=False, only=["path=/api/*"], **how)  # type: ignore[arg-type]
    rest = learn([log], fidelity=False, without=["path=/api/*"], **how)  # type: ignore[arg-type]
    assert [one.kind for one in api.split.populations] == ["loop"]
    assert [one.kind for one in rest.split.populations] == ["people"]
    assert api.log.count + rest.log.count == made.truth.table.height
    with pytest.raises(tt.InputError, match="colour"):
        learn([log], only=["colour=red"])


def test_a_loop_that_comes_and_goes_is_replayed(tmp_path: Path) -> None:
    """Twenty minutes of polling in two hours: clients of a file would poll all the time."""
    rows = [(float(n % 7200) + 0.25, f"10.1.{n % 250}.{n // 250}", "/") for n in range(3000)]
    rows += [
        (1000 + 5 * n + 0.1 * user, f"10.0.0.{user}", "/poll")
        for n in range(240)
        for user in range(6)
    ]
    log = tmp_path / "access.csv"
    lines = [
        f"{1_790_000_000 + at:.3f},{address},GET,{path},200,0.002\n"
        for at, address, path in sorted(rows)
    ]
    log.write_text("time,address,method,path,status,duration\n" + "".join(lines))
    found = learn([log], fidelity=False)
    (loop,) = [part for part in found.parts if part.population.kind in ("loop", "even")]
    assert len(loop.requests) == 1440
    result = tt.simulate(found.workload(), IDLE, duration=found.log.requests.span_s, rows="none")
    assert result.summary["by_population"][loop.population.name]["requests"] == 1440
