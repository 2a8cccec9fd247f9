"""The use of a result's rows by charts: only the needed ones, once, and no extreme is lost."""

from __future__ import annotations

from pathlib import Path

import cases
import numpy as np
import polars as pl
import pytest

import thinktime as tt
from thinktime.report import report
from thinktime.report.attempts import rows_of
from thinktime.report.case import Entry
from thinktime.report.case import cases as cases_of
from thinktime.report.charts import CHARTS, in_system
from thinktime.report.results_page import page_of
from thinktime.results import pages

RETRIES = """
name = "impatient"
[arrivals]
model = "open"
rate = "80/s"
[[request]]
name = "get"
timeout = "60ms"
retry = { attempts = 3, backoff = "exp(20ms)" }
[[request]]
name = "other"
"""
SYSTEM = cases.system(("fcfs", "exp(10ms)"))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tt.Result:
    """30,000 requests with retries, as a directory has them."""
    folder = tmp_path_factory.mktemp("stored") / "out"
    tt.simulate(tt.Workload(RETRIES), SYSTEM, requests=30_000, rows="all", output=folder)
    return tt.Result.load(folder)


def first_attempts(rows: pl.DataFrame) -> pl.DataFrame:
    """The first schedule and the success of each request, by joining all with all."""
    key = ["replication", "session", "request"]
    first = rows.group_by(key).agg(begun_ns=pl.col("scheduled_ns").min())
    done = rows.filter(pl.col("error").is_null() & pl.col("done_ns").is_not_null())
    return done.join(first, on=key).select("begun_ns", "done_ns").sort("done_ns", "begun_ns")


def test_requests_that_were_tried_again_begin_with_their_first_attempt(stored: tt.Result) -> None:
    rows = rows_of(stored)
    assert rows is not None
    table = pl.DataFrame(stored.requests)
    assert (table["attempt"] > 1).sum() > 1000
    found = rows.answered.select("begun_ns", "done_ns").sort("done_ns", "begun_ns")
    assert found.equals(first_attempts(table))
    assert rows.attempts.height == table.height


def test_rows_in_memory_are_those_of_the_file(stored: tt.Result, tmp_path: Path) -> None:
    again = tt.simulate(tt.Workload(RETRIES), SYSTEM, requests=30_000, rows="all")
    assert again.path is None
    in_memory, in_file = rows_of(again), rows_of(stored)
    assert in_memory is not None
    assert in_file is not None
    assert in_memory.attempts.equals(in_file.attempts)
    columns = ["begun_ns", "done_ns", "first"]
    assert in_memory.answered.select(columns).equals(in_file.answered.select(columns))
    names = [one.answered["name"].cast(pl.String) for one in (in_memory, in_file)]
    assert names[0].equals(names[1])


def test_a_report_reads_no_whole_table(
    stored: tt.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For ten million requests that would be a gigabyte, and seconds for each chart."""

    def whole(_: tt.Result) -> None:
        raise AssertionError("the whole table was read")

    monkeypatch.setattr(tt.Result, "requests", property(whole))
    assert report(stored, tmp_path / "report.html").stat().st_size < 2_000_000


PAGES = """
name = "readers"
[arrivals]
model = "open"
rate = "10/s"
[[request]]
name = "article"
objects = { count = "geometric(4)", of = { image = 1 } }
[[request]]
name = "image"
timeout = "30ms"
retry = { attempts = 2 }
"""


def test_pages_are_the_same_by_one_number_and_by_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """And those of a loop over rows, where a request succeeds by any of its attempts."""
    result = tt.simulate(tt.Workload(PAGES), SYSTEM, requests=5000, rows="all")
    found = result.pages
    assert found is not None
    monkeypatch.setattr(pages, "_KEY_BITS", 0)
    assert found.equals(pages.pages_of(result.requests))
    rows = pl.DataFrame(result.requests).sort("done_ns").to_dicts()
    ended, over = {}, {}
    for row in rows:
        key = (row["session"], row["page"])
        succeeded = row["error"] is None and row["done_ns"] is not None
        requests = ended.setdefault(key, {})
        requests[row["request"]] = requests.get(row["request"], False) or succeeded
        over[key] = max(over.get(key, 0), row["done_ns"] or 0)
    told = {(one["session"], one["page"]): one for one in found.to_dicts()}
    assert told.keys() == ended.keys()
    assert {key: one["done_ns"] for key, one in told.items()} == over
    assert {key: one["requests"] for key, one in told.items()} == {
        key: len(requests) for key, requests in ended.items()
    }
    failed = {key for key, one in told.items() if one["failed"]}
    assert failed == {key for key, requests in ended.items() if not all(requests.values())}
    assert 10 < len(failed) < len(told)
    assert any(len(set(requests.values())) == 2 for requests in ended.values())


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    tt.simulate(cases.open_model(50), SYSTEM, requests=2000, rows="all", output=folder)
    (folder / "requests.parquet").write_bytes(b"PAR1 nothing of the kind PAR1")
    with pytest.raises(tt.InputError, match=r"requests\.parquet"):
        page_of([tt.Result.load(folder)])


# ---- extremes


def entry_of(result: tt.Result) -> Entry:
    return cases_of([result])[0].entries[0]


def test_the_greatest_response_time_is_drawn(stored: tt.Result) -> None:
    """Exact in the heat map; in the tail up to the 0.1 % of a bin of its histogram."""
    counted = cases_of([stored])
    drawings = {one.name: one.draw(counted) for one in CHARTS}
    answered = first_attempts(pl.DataFrame(stored.requests))
    longest_s = float((answered["done_ns"] - answered["begun_ns"]).max()) / 1e9
    heat, tail = drawings["heat"], drawings["tail"]
    assert heat is not None
    assert tail is not None
    drawn = [one for one in heat.panels[0].figure.series if one.name.endswith(": longest")]
    assert np.nanmax(drawn[0].y) == longest_s
    # The tail has only requests after the warm-up.
    after = answered.filter(pl.col("begun_ns") >= 1e9 * stored.summary["warmup_s"])
    counted_s = float((after["done_ns"] - after["begun_ns"]).max()) / 1e9
    assert max(tail.panels[0].figure.series[0].x) == pytest.approx(counted_s, rel=0.002)


def test_the_band_holds_every_number_that_there_was(stored: tt.Result) -> None:
    """Compared with all events in one line, one after another."""
    rows = rows_of(stored)
    assert rows is not None
    until_s = 300.0
    found = in_system.band(rows.attempts, until_s)
    times, number = in_system.number_in_system(entry_of(stored), until_s) or ((), ())
    assert len(times) > in_system.EVENTS_MAX
    assert found.greatest.max() == max(number)
    for n in (0, 1, 57, 150, len(found.mean) - 1):
        begin, end = found.edges_s[n], found.edges_s[n + 1]
        inside = (times >= begin) & (times < end)
        before = number[np.flatnonzero(times < begin)[-1]] if n else 0.0
        there = np.append(before, number[inside])
        assert found.least[n] == there.min()
        assert found.greatest[n] == there.max()
        spans = np.diff(np.concatenate([[begin], times[inside], [end]]))
        assert found.mean[n] == pytest.approx(spans @ there / (end - begin), abs=1e-6)


def test_an_extreme_of_a_moment_is_in_the_band() -> None:
    """A thousand requests that come and go within a millisecond, among forty thousand."""
    calm = np.arange(40_000) * 10_000_000
    burst = 200_000_000_000 + np.arange(1000)
    came = np.concatenate([calm, burst])
    left = np.concatenate([calm + 1_000_000, burst + 1_000_000])
    attempts = pl.DataFrame({"scheduled_ns": came, "done_ns": left})
    found = in_system.band(attempts, 400.0)
    assert found.greatest.max() == 1001  # one of the others is there, too
    assert np.sort(found.greatest)[-2] == 1
    assert found.least.max() == 0
