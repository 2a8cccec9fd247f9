"""Two results compared: changes in words, verdicts, and `thinktime compare`."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.comparison import Change, Comparison, Estimate, Missing, compare, judged, limit
from thinktime.comparison.subject import subject_of
from thinktime.comparison.table import notes, table
from thinktime.comparison.words import sentence
from thinktime.present import units
from thinktime.report.results_page import page_of

SYSTEM = "name='s'\n[[station]]\nname='server'\ndemand='{}'\n"
WORKLOAD = "name='w'\n[arrivals]\nmodel='open'\nrate='50/s'\n"
WORKLOAD_DICT = {"name": "w", "arrivals": {"model": "open", "rate": "50/s"}}
SYSTEM_DICT = {"name": "s", "station": [{"name": "server", "demand": "exp(5ms)"}]}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Change("p99", 0.034, 0.0392, 0.0041, 0.0063, 0.12, 0.19, False),
         "p99 rose by 4.1 to 6.3 ms (12 to 19 %)"),
        (Change("mean", 0.02, 0.01, -0.012, -0.008, -0.6, -0.4, False),
         "the mean fell by 8 to 12 ms (40 to 60 %)"),
        (Change("mean", 0.02, 0.02, -0.001, 0.002, -0.05, 0.1, False),
         "the mean changed by −1.0 to +2.0 ms (−5 to +10 %)"),
        (Change("errors", 0.01, 0.03, 0.015, 0.025, None, None, False),
         "the share of errors rose by 1.5 to 2.5 percentage points"),
        (Change("throughput", 100, 90, -11, -9, -0.11, None, False),
         "throughput fell by 9 to 11/s (at least −11 %)"),
    ],
)  # fmt: skip
def test_changes_in_words(found: Change, words: str) -> None:
    assert sentence(found) == words


def of_kinds(before: str, after: str, *, untrusted: bool = False) -> Comparison:
    subjects: list[Any] = [
        SimpleNamespace(
            label=kind,
            kind=kind,
            untrusted=untrusted and kind == after,
            link=None,
            work="",
            path=None,
        )
        for kind in (before, after)
    ]
    throughput = Change("throughput", 90.0, 100.0, 9.0, 11.0, 0.1, 0.12, False)
    lower = Change("p99", 0.034, 0.02, -0.024, -0.006, -0.7, -0.18, False)
    return Comparison(*subjects, {"p99": lower, "throughput": throughput})


@pytest.mark.parametrize(("before", "after", "of"), [("run", "simulate", "simulation"),
                                                     ("simulate", "run", "run")])  # fmt: skip
def test_a_simulation_is_no_better_than_a_run(before: str, after: str, of: str) -> None:
    assert of_kinds(before, after).verdict == (
        f"The {of}'s p99 is 6 to 24 ms lower (18 to 70 %); the {of}'s throughput is 9 to 11/s "
        "higher (10 to 12 %)."
    )
    assert of_kinds(after, after).verdict.startswith("Better: p99 fell by 6 to 24 ms")
    words = judged(limit("p99 > +5%"), of_kinds(before, after)).words
    assert words == f"p99 > +5%: held: the {of}'s p99 is 6 to 24 ms lower (18 to 70 %)"


def test_a_difference_that_cannot_be_told_is_neutral_too() -> None:
    unclear = Change("mean", 0.02, 0.02, -0.001, 0.002, -0.05, 0.1, False)
    found = Comparison(*[of_kinds("run", "simulate").before, of_kinds("run", "simulate").after],
                       {"mean": unclear})  # fmt: skip
    assert found.verdict == (
        "No difference can be told: the simulation's mean differs by −1.0 to +2.0 ms (−5 to +10 %)."
    )


@pytest.mark.parametrize("before", ["run", "simulate"])
def test_what_is_not_to_be_trusted_is_not_better(before: str) -> None:
    verdict = of_kinds(before, "run", untrusted=True).verdict
    assert verdict.startswith("Nothing is called better or worse, because ")
    assert " not to be trusted: " in verdict


def test_lateness_is_told_apart_from_what_the_server_took() -> None:
    system = tt.System(SYSTEM.format("exp(2ms)"))
    result = tt.simulate(tt.Workload(WORKLOAD), system, requests=5000, rows="all")
    assert {getattr(one, "late", 0.0) for one in subject_of(result).estimates.values()} == {0.0}
    times = result.summary["response_time_s"]
    result.summary["lateness_s"] = {"mean": 1e-4, "p50": 1.0}
    result.summary["service_time_s"] = {"mean": times["mean"] - 1e-4, "p50": times["p50"] - 5e-5}
    found = subject_of(result).estimates
    assert found["mean"].late == pytest.approx(1e-4)
    assert found["p50"].late == pytest.approx(5e-5, rel=0.01)


# ---- the command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("compared")
    for name, demand, seed in (("a", "exp(2ms)", 1), ("b", "exp(3ms)", 1), ("c", "exp(2ms)", 2)):
        system = tt.System(SYSTEM.format(demand))
        tt.simulate(tt.Workload(WORKLOAD), system, seed=seed, requests=5000, rows="all",
                    output=found / name, label=name)  # fmt: skip
    return found


@pytest.mark.parametrize(
    ("others", "limits", "status", "told"),
    [
        ("b", [], 0, "b: "),
        ("b", ["p99 > +5%"], 1, "p99 > +5%: broken: p99 rose by"),
        ("b", ["p99 > +300%", "errors > +1%"], 0, "p99 > +300%: held: p99 rose by"),
        ("c", ["mean > +0%"], 3, "mean > +0%: cannot tell: the mean changed by"),
        ("c", ["p99.9 > +1%"], 3, "too short"),
        ("b", ["p99 > 5%"], 2, "with the sign"),
        ("", ["p99 > +5%"], 2, "two results"),
    ],
)
def test_the_status_is_that_of_the_limits(
    folder: Path, others: str, limits: list[str], status: int, told: str
) -> None:
    options = [word for one in limits for word in ("--fail-if", one)]
    names = [str(folder / name) for name in ("a", *others)]
    done = CliRunner().invoke(app, ["compare", *names, *options])
    assert done.exit_code == status, done.output
    assert told.removeprefix("b: ") in done.output
    if status in (1, 3):  # the end of the pipeline is the end of its log
        *_, last = done.stderr.splitlines()
        assert last.startswith("error: ")
        assert told in last


def test_the_verdict_comes_first(folder: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(folder / "a"), str(folder / "b")])
    assert done.output.startswith("Worse: p99 rose by "), done.output
    same = CliRunner().invoke(app, ["compare", str(folder / "a"), str(folder / "c")])
    assert same.output.startswith("No difference can be told: "), same.output


def test_quiet_is_taken_as_by_other_commands(folder: Path) -> None:
    words = ["compare", str(folder / "a"), str(folder / "b")]
    done = CliRunner().invoke(app, [*words, "-q"])
    assert done.exit_code == 0, done.output
    assert done.stdout == CliRunner().invoke(app, words).stdout


def test_json_is_one_object_alone(folder: Path) -> None:
    words = ["compare", str(folder / "a"), str(folder / "b"), "--json", "--fail-if", "mean > +5%"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    (found,) = json.loads(done.stdout)["comparisons"]
    assert (found["before"], found["after"]) == ("a", "b")
    mean = found["figures"]["mean"]
    assert mean["difference_ci95"][0] < mean["difference"] < mean["difference_ci95"][1]
    assert mean["paired"]
    assert found["missing"] == {"p99.9": "the run is too short"}
    assert found["limits"][0]["outcome"] == "broken"


def test_runs_over_different_links_are_told_of(folder: Path, tmp_path: Path) -> None:
    """Simulations have no such link; of the runs, one crossed none and the other one."""
    one, other = (subject_of(tt.Result.load(folder / name)) for name in "ab")
    assert one.link is None
    assert compare(one, other).links is None
    asked = "delay = 50ms, congestion_control = reno"
    same = "congestion_control = reno, delay = 0.05s"
    for before, after in ((None, asked), ("", ""), (asked, asked), (asked, same)):
        found = compare(replace(one, link=before), replace(other, link=after))
        assert found.links is None
        assert not any("link" in note for note in notes(found))
        assert found.as_dict()["links"] is None
    found = compare(replace(one, link=""), replace(other, link=asked))
    told = f"The first result crossed no link, the second a link ({asked}): a difference may be"
    assert any(note.startswith(told) for note in notes(found))
    assert found.as_dict()["links"] == ["", asked]
    assert found.verdict == compare(one, other).verdict
    # The summary contains it, and the command reports it.
    for name in "ab":
        shutil.copytree(folder / name, tmp_path / name)
        run = tmp_path / name / "run.toml"
        run.write_text(run.read_text().replace('kind = "simulate"', 'kind = "run"', 1))
    place = tmp_path / "b" / "summary.json"
    link = {"asked": "delay = 50ms", "congestion_control": "reno", "seed": 1}
    place.write_text(json.dumps(json.loads(place.read_text()) | {"link": link}))
    done = CliRunner().invoke(app, ["compare", str(tmp_path / "a"), str(tmp_path / "b")])
    assert done.exit_code == 0, done.output
    assert told in " ".join(done.output.split())


def test_without_rows_the_summary_and_the_series_tell_what_they_can() -> None:
    system = tt.System(SYSTEM.format("exp(2ms)"))
    result = tt.simulate(tt.Workload(WORKLOAD), system, requests=5000, rows="none")
    found = subject_of(result).estimates
    mean, rate = found["mean"], found["throughput"]
    assert isinstance(mean, Estimate)
    assert mean.value == result.summary["response_time_s"]["mean"]
    assert isinstance(rate, Estimate)
    assert rate.value == pytest.approx(result.summary["throughput"], rel=0.02)
    p99 = found["p99.9"]
    assert isinstance(p99, Missing)
    assert "keeps no rows" in p99.reason


def test_replications_on_common_random_numbers_are_paired() -> None:
    workload = tt.Workload(WORKLOAD)
    results = [
        tt.simulate(workload, tt.System(SYSTEM.format(demand)), requests=300, replications=3)
        for demand in ("exp(2ms)", "exp(2.1ms)")
    ]
    mean = compare(*results).changes["mean"]
    expected = tt.difference(*results)
    assert isinstance(mean, Change)
    assert mean.paired
    assert (mean.low, mean.high) == pytest.approx(
        (expected.mean_s - expected.ci95_s, expected.mean_s + expected.ci95_s)
    )


def test_the_page_of_two_runs_says_what_compare_says() -> None:
    workload = tt.Workload(
        WORKLOAD.replace("50/s", "100/s").replace("open'", "open'\nprocess='even'")
    )
    found = []
    for name, demand in (("before", "const(1ms)"), ("after", "const(9ms)")):
        with tt.serve(tt.System(SYSTEM.format(demand))) as server:
            found.append(tt.run(workload, server.url, requests=300, rows="all", label=name))
    made = page_of(found)
    assert made.headline.sentence == compare(*found).verdict
    # A run delayed by a busy machine is not to be trusted.
    assert made.headline.sentence.startswith(("Worse: ", "Nothing is called better or worse"))
    assert made.headline.findings[0] == "after, compared with before."
    assert not page_of(found[:1]).headline.sentence.startswith("Worse")


def test_results_of_other_workloads_say_so_and_more_requests_are_no_merit() -> None:
    """Twice the rate makes twice the throughput, of which the server has no merit."""
    text = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "40/s"\n'
    system = tt.System('name = "s"\n[[station]]\nname = "s"\ndemand = "const(1ms)"\n')
    results = [
        tt.simulate(tt.Workload(text), system, requests=20_000, seed=seed, scale=scale)
        for seed, scale in ((1, 1.0), (2, 1.0), (1, 2.0))
    ]
    first, again, twice = results
    other = compare(first, twice).verdict
    assert "better" not in other.lower()
    assert other.endswith(
        "The workloads differ (arrivals.rate 40/s and 80/s): a difference may be theirs."
    )
    assert "workloads differ" not in compare(first, again).verdict  # another seed alone


def test_a_figure_is_the_same_as_in_the_table_of_its_result() -> None:
    """Under this seed the median of the rows is 13.7 ms, and that of the histogram 13.8 ms."""
    workload, system = tt.Workload(WORKLOAD), tt.System(SYSTEM.format("exp(10ms)"))
    result = tt.simulate(workload, system, requests=20_000, seed=3)
    (group,) = table([compare(result, result)]).groups
    shown = {line.name: [cell.text for cell in line.cells[:2]] for line in group.lines}
    times: dict[str, Any] = {**result.summary["response_time_s"]}
    assert "p50" in shown
    for name in ("mean", "p50", "p90", "p95", "p99"):
        assert shown[name] == [units.seconds(times[name])] * 2
    assert shown["throughput"] == [units.rate(result.summary["throughput"])] * 2


def test_a_result_compared_with_itself_is_said_to_be_one(tmp_path: Path) -> None:
    one = tt.simulate(WORKLOAD_DICT, SYSTEM_DICT, requests=500, output=tmp_path / "one")
    other = tt.simulate(WORKLOAD_DICT, SYSTEM_DICT, requests=500, output=tmp_path / "other")
    same = "Both are the same result: nothing was compared with anything else."
    assert same in notes(compare(one, one))
    assert same not in notes(compare(one, other))


def test_results_without_a_request_say_so() -> None:
    nothing = tt.simulate(WORKLOAD_DICT, SYSTEM_DICT, duration="1ns")
    assert compare(nothing, nothing).verdict == "Nothing can be compared: no request was counted."
