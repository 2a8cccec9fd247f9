"""`explain` on results that are damaged, or that nobody should make: it reports the error.

It always ends with a status of its own, 2 or 3, and one sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cases
import polars as pl
import pytest
from test_explain import command

import thinktime as tt
from thinktime.explain import explain_result

Change = Callable[[pl.DataFrame], pl.DataFrame]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A result that is as it should be: M/M/1 at a load of 0.7."""
    tt.simulate(
        cases.open_model(70), cases.system(("fcfs", "exp(10ms)")), requests=2000, rows="all",
        warmup=0.0, output=tmp_path / "made",
    )  # fmt: skip
    return tmp_path / "made"


def spoil(folder: Path, change: Change) -> None:
    file = folder / "requests.parquet"
    change(pl.read_parquet(file)).write_parquet(file)


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        (lambda rows: rows.with_columns(sent_ns=pl.lit(5, pl.Int64)), 3, "no model is shown"),
        (
            lambda rows: rows.with_columns(done_ns=pl.max_horizontal("done_ns", 10**11)),
            3,
            "no model is shown",
        ),
        (
            lambda rows: rows.with_columns(done_ns=pl.lit(None, pl.Int64)),
            2,
            "it has 0 requests with an answer",
        ),
        (lambda rows: rows.with_columns(done_ns=pl.lit(0, pl.Int64)), 3, "found the server empty"),
        (
            lambda rows: rows.with_columns(sent_ns=pl.col("sent_ns") * 10**6),
            3,
            "found the server empty",
        ),
        (lambda rows: rows.head(1), 2, "it has 1 request with an answer, and 1,000 are needed"),
        (lambda rows: rows.head(0), 2, "it has 0 requests with an answer"),
        (lambda rows: rows.drop("done_ns"), 2, "its rows cannot be read"),
    ],
    ids=[
        "sent at once", "answered at the end", "without an end", "all over at the start",
        "years between them", "one row", "no row", "no column",
    ],
)  # fmt: skip
def test_rows_that_are_none(folder: Path, change: Change, status: int, words: str) -> None:
    spoil(folder, change)
    found, _, errors = command(str(folder))
    assert found == status, errors
    assert words in errors


@pytest.mark.parametrize("length", [0, 3, 5000])
def test_rows_that_are_cut_off(folder: Path, length: int) -> None:
    file = folder / "requests.parquet"
    file.write_bytes(file.read_bytes()[:length])
    status, _, errors = command(str(folder))
    assert status == 2
    assert f"{folder}: its rows cannot be read" in errors


def test_a_request_without_an_end_is_no_answer(folder: Path) -> None:
    """As in a run that was ended while some requests were in progress."""
    whole = explain_result(tt.Result.load(folder))
    last = pl.col("sent_ns") == pl.col("sent_ns").max()
    spoil(folder, lambda rows: rows.with_columns(done_ns=pl.when(~last).then("done_ns")))
    found = explain_result(tt.Result.load(folder))
    assert found.requests == whole.requests - 1
    assert found.kind == whole.kind == "fcfs", found.sentence


def test_a_directory_of_several_results_names_one_of_them(tmp_path: Path) -> None:
    for name in ("run-1", "run-2"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    (tmp_path / "runs" / "runs.json").write_text("{}")
    status, _, errors = command(str(tmp_path / "runs"))
    assert status == 2
    assert "it holds several runs: explain one of them, as in" in errors
    assert "run-1" in errors
