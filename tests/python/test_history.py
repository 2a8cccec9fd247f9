"""Names of results, the history that keeps them, and the changes of figures."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from page_subjects import stored
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.comparison import Subject, compare, subject_of
from thinktime.comparison.estimate import FIGURES, Estimate, Missing
from thinktime.history import History, HistoryEntry, Trend, store, trends
from thinktime.history.report import report_of
from thinktime.present import page
from thinktime.results import labels
from thinktime.results.labels import Label, LabelWriter
from thinktime.stats import change_points

WORKLOAD = "name='shop'\n[arrivals]\nmodel='open'\nrate='50/s'\n"
SYSTEM = "name='s'\n[[station]]\nname='server'\ndemand='{}'\n"


def made(
    folder: Path, name: str, demand: str = "exp(2ms)", seed: int = 1, label: str | None = None
) -> tt.Result:
    system = tt.System(SYSTEM.format(demand))
    tt.simulate(
        tt.Workload(WORKLOAD), system, seed=seed, requests=1000, rows="all", output=folder / name,
        label=label,
    )  # fmt: skip
    return tt.Result.load(folder / name)


def git(*words: str, cwd: Path) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", *identity, *words], cwd=cwd, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


# ---- labels


def test_a_label_names_workload_commit_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    bare = labels.label_for("shop", None)
    assert bare.text.startswith("shop 20")
    assert (bare.commit, bare.branch, bare.given) == (None, None, False)
    git("init", "-b", "trunk", cwd=tmp_path)
    (tmp_path / "a").write_text("1")
    git("add", "a", cwd=tmp_path)
    git("commit", "-m", "A", cwd=tmp_path)
    short = git("rev-parse", "--short", "HEAD", cwd=tmp_path)
    clean = labels.label_for("shop", None)
    assert (clean.commit, clean.branch) == (short, "trunk")
    assert clean.text.startswith(f"shop {short} 20")
    (tmp_path / "result").write_text("what git does not know changes nothing")
    assert labels.label_for("shop", None).commit == short
    (tmp_path / "a").write_text("2")
    assert labels.label_for("shop", "mine").commit == f"{short}+changes"
    assert labels.label_for("shop", "mine").text == "mine"


def test_a_result_that_is_written_nowhere_is_called_alike() -> None:
    with tt.serve(tt.System(SYSTEM.format("exp(2ms)"))) as server:
        result = tt.run(tt.Workload(WORKLOAD), server.url, requests=5)
    assert result.labelled is None
    assert re.fullmatch(r"shop \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", result.label)


@pytest.mark.parametrize("text", ["", "  ", "two\nlines", "\x1b[31m", "x" * 201])
def test_a_wrong_label_is_refused(text: str) -> None:
    with pytest.raises(tt.InputError):
        labels.label_for("shop", text)


def test_a_result_keeps_its_label_and_gets_a_new_one_when_replaced(tmp_path: Path) -> None:
    system = tt.System(SYSTEM.format("exp(2ms)"))
    for text in ("first", "second"):
        tt.simulate(tt.Workload(WORKLOAD), system, requests=100, output=tmp_path / "a", label=text)
        assert tt.Result.load(tmp_path / "a").label == text
    (tmp_path / "a" / labels.FILE).write_text("no JSON")
    assert tt.Result.load(tmp_path / "a").label == "shop"


@pytest.mark.parametrize("text", [5, None, ["a"], {"a": 1}])
def test_a_label_that_somebody_spoilt_counts_as_none(tmp_path: Path, text: object) -> None:
    label = {"text": text, "given": True, "commit": None, "branch": None, "made": None}
    (tmp_path / "label.json").write_text(json.dumps(label))
    assert labels.read(tmp_path) is None
    (tmp_path / "label.json").write_text(json.dumps(label | {"text": "a"}))
    assert labels.read(tmp_path) == labels.Label("a", True)


def test_an_unfinished_result_has_its_label_already(tmp_path: Path) -> None:
    older = tmp_path / "a.partial"
    older.mkdir()
    told: list[int] = []
    label = Label("mine", given=True)
    labelled = LabelWriter(label, tmp_path / "a", lambda done, *_: told.append(done))
    (tmp_path / "a.partial-2").mkdir()
    labelled(7, 1.0, 0)
    assert labels.read(tmp_path / "a.partial-2") == label
    assert labels.read(older) is None
    assert told == [7]


def test_a_recovered_result_keeps_its_label(tmp_path: Path) -> None:
    """The contents of a killed run's directory go with it."""
    label = made(tmp_path, "a").label
    left = tmp_path / "b.partial"
    (tmp_path / "a").rename(left)
    (left / "PARTIAL").write_text("# A result that is being written.\n")
    (found,) = tt.recover(tmp_path / "b")
    assert found.path is not None
    assert tt.Result.load(found.path).label == label


# ---- history


def test_what_is_kept_compares_as_the_result_does(tmp_path: Path) -> None:
    # A history has no directories, by which results without labels would be called.
    one = made(tmp_path, "a", label="before")
    other = made(tmp_path, "b", "exp(3ms)", label="after")
    history = History(tmp_path / "history")
    assert history.add(one, commit="abc1234", branch="main")
    assert not history.add(one)
    kept = history.latest(subject_of(other), "main")
    assert compare(kept, other).as_dict() == compare(one, other).as_dict()
    assert len(list((tmp_path / "history").iterdir())) == 1


def test_the_latest_of_a_branch_or_commit_is_found(tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    for seed, (commit, branch) in enumerate([("aaaa111", "main"), ("bbbb222+changes", "other")]):
        history.add(made(tmp_path, f"r{seed}", seed=seed), commit=commit, branch=branch)
    after = subject_of(made(tmp_path, "after", seed=9))
    assert history.latest(after, "main").seed == 0
    assert history.latest(after, "other").seed == 1
    assert history.latest(after, "bbbb2222222").seed == 1
    with pytest.raises(tt.InputError, match=r"at 'bbb': it has aaaa111, bbbb222\+changes, main"):
        history.latest(after, "bbb")


def test_a_result_is_not_compared_with_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, demand in (("old", "exp(2ms)"), ("new", "exp(3ms)")):
        History().add(made(tmp_path, name, demand), branch="main")
    run = CliRunner().invoke(app, ["compare", "new", "--against", "main", "--json"])
    assert json.loads(run.stdout)["comparisons"][0]["verdict"].startswith("Worse: ")
    alone = ["compare", "new", "old", "--against", "main"]
    done = CliRunner().invoke(app, alone)
    assert done.exit_code == 2
    assert "the result that is compared does not count" in done.output


def test_results_of_the_same_target_go_first(tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    for seed, target in enumerate(["http://a", "http://b"]):
        one = made(tmp_path, target[-1], seed=seed)
        _add(history, replace(subject_of(one), target=target), seed)
    after = subject_of(made(tmp_path, "after", seed=9))
    assert history.latest(replace(after, target="http://a"), "main").seed == 0
    assert history.latest(replace(after, target="http://c"), "main").seed == 1


def _add(history: History, subject: Subject, number: int) -> None:
    kept = HistoryEntry(str(number), subject, "", "main", f"2026-11-0{number + 1}", "")
    store._write(kept, history.folder / f"{number}.parquet")


def test_a_history_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(tt.InputError, match="there is no history"):
        History(tmp_path / "nothing").results()
    (tmp_path / "shop-1.parquet").write_text("no Parquet")
    with pytest.raises(tt.InputError, match="is no file of a history"):
        History(tmp_path).results()


# ---- change points


def test_a_step_is_found_where_it_is() -> None:
    values = np.random.default_rng(1).normal(size=30)
    values[12:] += 3
    (found,) = change_points(values)
    assert abs(found.place - 12) <= 1
    assert found.p_value < 0.05
    values[22:] -= 6
    assert [one.place for one in change_points(values)] == pytest.approx([12, 22], abs=1)


def test_noise_has_no_change_points() -> None:
    """A level of 5 %: more than 12 of 100 would come once in 500 tests."""
    random = np.random.default_rng(1)
    false = sum(bool(change_points(random.normal(size=12), permutations=99)) for _ in range(100))
    assert false <= 12
    assert change_points([1.0] * 20) == []
    assert change_points([1.0, 2.0, 9.0]) == []


def test_the_split_is_that_of_the_energy_distance() -> None:
    """Against the definition, pair by pair."""
    values = np.random.default_rng(3).normal(size=9)

    def mean(pairs: list[float]) -> float:
        return sum(pairs) / len(pairs)

    def gain(k: int) -> float:
        x, y = values[:k], values[k:]
        across = mean([abs(a - b) for a in x for b in y])
        within = [mean([abs(a - b) for i, a in enumerate(z) for b in z[:i]]) for z in (x, y)]
        return len(x) * len(y) / 9 * (2 * across - sum(within))

    from thinktime.stats.change_points import _best_split

    found, place = _best_split(values, 3)
    assert place == max(range(3, 7), key=gain)
    assert found == pytest.approx(gain(place))


def test_a_trend_says_with_which_result_figures_changed() -> None:
    steady = [0.010, 0.0101, 0.0099, 0.0102, 0.01, 0.0098]
    (trend,) = trends(stored([*steady, *(1.2 * one for one in steady)]))
    assert {shift.place for shift in trend.shifts} == {6}
    assert trend.verdict.startswith("The last change came with c6: the mean rose by 20 % (10.0 ms")
    (quiet,) = trends(stored([*steady, *steady]))
    assert quiet.shifts == []
    assert quiet.verdict == "No figure changed for good over 12 results."
    assert "from 6 results on" in Trend("shop", "x", stored(steady[:3])).verdict


def test_the_page_of_a_trend_has_its_charts_and_nothing_foreign() -> None:
    steady = [0.010, 0.0101, 0.0099, 0.0102, 0.01, 0.0098]
    found = report_of(list(trends(stored([*steady, *(1.2 * one for one in steady)])))).page
    assert [section.name for section in found.sections][:3] == ["mean", "p50", "p99"]
    text = page.render(found)
    assert "the mean rose by 20 %" in text
    assert "http://a<b>" not in text


# ---- commands


def test_the_commands_of_the_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path, "a")
    made(tmp_path, "b", "exp(3ms)")

    def said(*words: str, status: int = 0) -> str:
        done = CliRunner().invoke(app, list(words))
        assert done.exit_code == status, done.output
        return done.stdout if status == 0 else done.output

    assert "added" in said("history", "add", "a", "--commit", "abcd123", "--branch", "main")
    assert "is there already" in said("history", "add", "a")
    assert (tmp_path / ".thinktime" / "history").is_dir()
    assert "abcd123" in said("history", "list")
    assert "from 6 results on" in said("history", "trend", "shop", "-o", "trend.html")
    assert (tmp_path / "trend.html").read_text().startswith("<!")
    assert "the history has shop" in said("history", "trend", "shob", status=2)
    found = json.loads(said("compare", "b", "--against", "main", "--json"))
    assert len(found["comparisons"]) == 1
    assert found["comparisons"][0]["verdict"].startswith("Worse: ")
    said("compare", "b", "--against", "main", "--fail-if", "mean > +5%", status=1)
    said("compare", "b", "--against", "nobody", status=2)
    said("compare", "a", "b", "--store", "x", status=2)


def jumped(
    values: list[float],
    width: float,
    seeds: list[int] | None = None,
    names: Sequence[str] = FIGURES,
) -> Trend:
    """Simulations with these values of the named figures, each known to this share of it."""
    results = []
    for number, one in enumerate(stored(values)):
        value = values[number]
        known = Estimate(value, (1 - width) * value, (1 + width) * value)
        figures = dict.fromkeys(FIGURES, Missing("nobody asks")) | dict.fromkeys(names, known)
        seed = number if seeds is None else seeds[number]
        subject = replace(one.subject, kind="simulate", seed=seed, estimates=figures)
        results.append(replace(one, subject=subject))
    return next(trends(results))


@pytest.mark.parametrize("place", [2, 3, 4])
def test_a_doubling_in_six_results_is_found(place: int) -> None:
    noise = [1.0, 1.02, 0.99, 1.01, 0.98, 1.0]
    values = [0.01 * one * (1 if n < place else 2) for n, one in enumerate(noise)]
    assert {shift.place for shift in jumped(values, 0.05).shifts} == {place}


def test_another_seed_is_no_change() -> None:
    seeds = [1] * 5 + [2] * 5
    values = [0.0100] * 5 + [0.0104] * 5
    assert jumped(values, 0.05, seeds).shifts == []
    assert {one.place for one in jumped([0.0100] * 5 + [0.0130] * 5, 0.05, seeds).shifts} == {5}


def test_chance_makes_few_changes_among_six_results() -> None:
    """At a level of 5 %: of 200 series more than 20 would have one once in 500 times."""
    random = np.random.default_rng(20)
    draws = np.exp(random.normal(0, 0.02, (200, 6)))
    found = [jumped(list(0.01 * one), 0.03, names=["mean"]) for one in draws]
    assert sum(bool(one.shifts) for one in found) <= 20


def test_the_greatest_change_comes_first_though_another_came_later() -> None:
    random = np.random.default_rng(4)
    means = np.repeat([0.010, 0.040, 0.046], 8) * np.exp(random.normal(0, 0.005, 24))
    (trend,) = trends(stored(list(means)))
    assert {shift.place for shift in trend.shifts} == {8, 16}
    first, second = trend.verdict.split(" The last change came with ")
    assert first.startswith("The greatest change came with c8: the mean rose by 3")
    assert second.startswith("c16: the mean rose by 1")


@pytest.mark.parametrize(("number", "said"), [(8, True), (12, False)])
def test_few_quiet_results_say_that_they_tell_little(number: int, said: bool) -> None:
    (trend,) = trends(stored([0.010, 0.0101] * (number // 2)))
    assert ("only large changes" in trend.verdict) == said
