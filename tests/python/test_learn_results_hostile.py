"""Odd rows of our own results: learned correctly, or refused with advice.

The workload is simulated with a fixed seed; bounds are five standard errors of the drawn values or
more (false alarm below one in a million each).
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from test_learn_results import SYSTEM, part, simulated
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.learn import learn
from thinktime.learn.comments import note

pytestmark = pytest.mark.usefixtures("brief_advice")
SHORT = """
name = "short"
[[population]]
name = "staff"
[population.arrivals]
model = "closed"
clients = 10
[population.session]
think = "exp(2s)"
[[population.request]]
name = "list"
[[population]]
name = "hooks"
[population.arrivals]
model = "open"
rate = "5/s"
[[population.request]]
name = "hook"
objects = { count = "3", of = { image = 1 } }
[[population.request]]
name = "image"
"""

MANY = """
name = "many"
[[population]]
name = "visitors"
[population.arrivals]
model = "partly-open"
rate = "2/s"
[population.session]
requests = "geometric(5)"
think = "exp(4s)"
[[population.request]]
name = "item"
[[population]]
name = "robots"
[population.arrivals]
model = "closed"
clients = 24
[population.session]
think = "const(30s)"
[[population.request]]
name = "status"
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return pl.read_parquet(simulated(tmp_path_factory.mktemp("short"), SHORT, "2min"))


def renamed(rows: pl.DataFrame, column: str, names: dict[str, str]) -> pl.DataFrame:
    named = pl.col(column).cast(pl.String).replace_strict(names, default=pl.first(column))
    return rows.with_columns(named.alias(column))


NAMES = {
    "digits": ("2", "39", {"2", "39"}),
    "alike": ("a b", "a/b", {"a-b", "a-b-2"}),
    "letters": ("訪問者", "外部", {"訪問者", "外部"}),
    "signs": ("\U0001f600", 'h"\n\x1b[31m\x7f\u2028\\', {"workers", "h-31m"}),
    "tables": ("a.b]]", "'''\n[[population]]", {"a-b", "population"}),
    "objectives": ("p99", "errors", {"population-p99", "population-errors"}),
}


@pytest.mark.parametrize("case", NAMES)
def test_populations_have_any_name(rows: pl.DataFrame, tmp_path: Path, case: str) -> None:
    """Their starts are replayed, since a tenth of the first minute has none."""
    staff, hooks, wanted = NAMES[case]
    names = {"staff": staff, "hooks": hooks}
    file = tmp_path / "requests.parquet"
    late = (pl.col("scheduled_ns") % 10_000_000_000 > 8_000_000_000) | (
        pl.col("population").cast(pl.String) == "staff"
    )
    renamed(rows.filter(late), "population", names).write_parquet(file)
    found = learn([file], fidelity=False)
    found.save(tmp_path / "learned.toml")
    text = (tmp_path / "learned.toml").read_text(encoding="utf-8")
    assert "learned.starts.parquet" in text
    assert all(one.isprintable() for one in text.replace("\n", ""))
    workload = tt.Workload.load(tmp_path / "learned.toml")
    made = tt.simulate(workload, tt.System(SYSTEM), duration="20s", rows="none")
    assert set(made.summary["by_population"]) == wanted


@pytest.mark.parametrize("name", ["\U0001f600", 'a"b\n\x1b[31mx\x7f', "日本/é", "end", "{zipf(n=1"])
def test_requests_have_any_name(rows: pl.DataFrame, tmp_path: Path, name: str) -> None:
    file = tmp_path / "requests.parquet"
    renamed(rows, "name", {"list": name, "image": name + "2"}).write_parquet(file)
    found = learn([file], fidelity=False)
    found.save(tmp_path / "learned.toml")
    tt.Workload.load(tmp_path / "learned.toml")


def test_a_comment_has_no_control_characters() -> None:
    assert note("a\x1b[31m b\nc\u2028d") == "# a?[31m b c d"


def test_pages_that_last_for_hours_are_pages(rows: pl.DataFrame, tmp_path: Path) -> None:
    """71 minutes are the longest that a duration can be."""
    file = tmp_path / "requests.parquet"
    object_of = pl.col("name").cast(pl.String) == "image"
    hours = pl.when(object_of).then(3 * 3600 * 10**9).otherwise(0)
    soon = pl.when(object_of).then(1200 * 10**9).otherwise(0)
    rows.with_columns(
        pl.col("scheduled_ns") + soon, pl.col("sent_ns") + soon, pl.col("done_ns") + hours
    ).write_parquet(file)
    hooks = part(learn([file], fidelity=False), "hooks")
    assert len(hooks.journeys.visits.base) == len(rows.filter(pl.col("request") == pl.col("page")))


def test_a_result_without_rows_is_refused_with_what_keeps_them(tmp_path: Path) -> None:
    tt.simulate(
        tt.Workload(SHORT), tt.System(SYSTEM), duration="5s", rows="none", output=tmp_path / "r"
    )
    for given in (tmp_path / "r", tmp_path / "r" / "requests.parquet"):
        with pytest.raises(tt.InputError, match=r"has no rows.*--rows all") as raised:
            learn([given])
        assert str(given) in str(raised.value)


def test_of_a_part_of_the_rows_the_rest_is_told(tmp_path: Path) -> None:
    """One in 4 of 600 sessions of requests is there."""
    tt.simulate(
        tt.Workload(SHORT), tt.System(SYSTEM), duration="2min", rows="1/4", seed=5,
        output=tmp_path / "r",
    )  # fmt: skip
    found = learn([tmp_path / "r"], fidelity=False)
    (told,) = [one for one in found.log.warnings if "one session in 4" in one]
    assert "--rows all" in told
    assert found.log.one_in == 4
    assert found.log.count == 4 * len(found.log.requests)
    found.save(tmp_path / "learned.toml")
    text = " ".join((tmp_path / "learned.toml").read_text().replace("\n#", "").split())
    assert "one in 4" in text
    shown = CliRunner().invoke(app, ["learn", str(tmp_path / "r"), "--no-fidelity"]).output
    assert "one session in 4" in " ".join(shown.split())


def test_a_part_of_the_rows_stands_for_all_in_the_workload_file(tmp_path: Path) -> None:
    """One in 4 of 6,000 sessions is there: requests are within 12 %, four standard errors."""
    made = tt.simulate(
        tt.Workload(MANY), tt.System(SYSTEM), duration="50min", rows="1/4", seed=6,
        output=tmp_path / "r",
    )  # fmt: skip
    found = learn([tmp_path / "r"], fidelity=False)
    again = tt.simulate(found.workload(), tt.System(SYSTEM), duration="50min", seed=7)
    assert again.summary["throughput"] == pytest.approx(made.summary["throughput"], rel=0.12)
    clients = {one.population.name: one.clients for one in found.parts}
    text = found.workload_text
    assert f"clients = {4 * (clients['robots'] or 0)}" in text
    told = [one.offers_told for one in found.parts]
    assert told == ["", ""]


def test_of_several_replications_the_first_is_said_to_be_taken(tmp_path: Path) -> None:
    tt.simulate(
        tt.Workload(SHORT), tt.System(SYSTEM), duration="20s", rows="all", replications=3,
        output=tmp_path / "r",
    )  # fmt: skip
    notes = learn([tmp_path / "r"], fidelity=False).log.notes
    assert any(re.search(r"first of 3 replications", one) for one in notes), notes
