"""The demo: its cases, their common load, and its output."""

from __future__ import annotations

from pathlib import Path

import pytest

import thinktime as tt
from thinktime import demo
from thinktime.cli import plain_text
from thinktime.theory.match import theory_for

SYSTEM = tt.System.load(demo.HERE / "system.toml")
CASES = {
    "closed-1": "closed, 1 client",
    "closed-10": "closed, 10 clients",
    "partly-open": "partly open, 5 requests a session",
    "open": "open",
    "mixed": "mixed, 2 populations",
}
"""The case of each workload, by its name in the demo's table."""
WITHOUT_FORMULA = {"partly-open", "mixed"}
"""Sessions of several requests, first come, first served, with demands that are not exponential."""
T_9 = 4.30 / 2.262
"""This many half-widths of a 95 % interval of ten replications contain the exact value with a
probability of 0.998 (Student, 9 degrees of freedom)."""


def loaded(name: str) -> tt.Workload:
    return tt.Workload.load(demo.HERE / f"{name}.toml")


def test_each_workload_of_the_folder_is_a_case() -> None:
    files = {path.stem for path in demo.HERE.glob("*.toml")} - {"system"}
    assert list(demo.NAMES) == list(CASES)
    assert files == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_exact_rows_are_where_theory_has_a_formula(name: str) -> None:
    assert (theory_for(loaded(name), SYSTEM) is None) == (name in WITHOUT_FORMULA)


def test_the_mixture_is_brought_to_the_load_of_the_others() -> None:
    """The search and this simulation have two million requests each, T = 2,750 s: the load of each
    has a standard error of √(λE[S²] / T) = 0.0024 at most. Five of their difference and the 0.003
    that the search may be off are 0.02: passed by chance with one seed in a million."""
    mixed = loaded("mixed").at_load(SYSTEM, demo.LOAD)
    found = tt.simulate(mixed, SYSTEM, requests=2_000_000, warmup=10, rows="none", seed=5)
    assert found.summary["stations"]["server"]["load"] == pytest.approx(demo.LOAD, abs=0.02)
    parts = found.populations
    assert [one.model for one in mixed.populations] == ["partly-open", "closed"]
    share = parts["pollers"]["requests"] / found.summary["requests"]
    assert 0.1 < share < 0.4, "one population is hardly there"


def test_under_processor_sharing_the_mixture_has_its_exact_means() -> None:
    """One choice of seeds in 170 fails a right program; this one has passed."""
    shared = SYSTEM.with_value("station.server.policy", "ps")
    mixed = loaded("mixed")
    theory = theory_for(mixed, shared)
    assert theory is not None
    found = tt.simulate(
        mixed, shared, requests=100_000, warmup=20, replications=10, rows="none", seed=7
    )
    times = {"all": found.summary["response_time_s"]}
    times |= {name: part["response_time_s"] for name, part in found.populations.items()}
    exact = {"all": theory.mean_s}
    exact |= {name: part.mean_s for name, part in theory.by_population.items()}
    assert times.keys() == exact.keys() == {"all", "people", "pollers"}
    for name, mean_s in exact.items():
        assert abs(times[name]["mean"] - mean_s) < T_9 * times[name]["ci95"], name


def test_all_cases_are_printed_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo itself, with runs of a second: too few requests for the page to explain them, as
    test_explain_report.py has it."""
    monkeypatch.setattr(demo, "RUN_S", 1.0)
    monkeypatch.setattr(demo, "WARMUP_S", 0.2)
    monkeypatch.setattr(demo, "LONG_REQUESTS", 20_000)
    monkeypatch.setenv("COLUMNS", "200")
    page = demo.main(tmp_path, plain_text.console())
    printed = capsys.readouterr().out
    assert page == tmp_path / "report.html"
    headline, place = printed.splitlines()[:2]
    assert headline.startswith("At the same load of"), "the verdict comes first"
    assert place == f"page: {page}"
    assert "could not look" not in printed
    assert "doubtful" not in printed
    written = page.read_text()
    for name, case in CASES.items():
        assert case in printed
        assert case in written
        of = {path.name for path in (tmp_path / name).iterdir()}
        assert of == {"measured", "same-path", "long"}
    for words, least in (("same sample path", 5), ("long", 5), ("exact", 3)):
        assert printed.count(words) >= least, words
    mixed = [tt.Result.load(tmp_path / "mixed" / one) for one in ("measured", "long")]
    assert all(list(one.populations) == ["people", "pollers"] for one in mixed)
