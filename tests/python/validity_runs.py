"""Runs for the tests of validity, made once, and their verdicts."""

from __future__ import annotations

from functools import cache

import cases
import polars as pl
import pytest

import thinktime as tt
from thinktime.validity.checks import judge
from thinktime.validity.evidence import Evidence, of_result

ONE = cases.system(("fcfs", "exp(10ms)"))


@cache
def fine_run() -> Evidence:
    """M/M/1 at 0.5, which is long for its memory."""
    return of_result(tt.simulate(cases.open_model(50), ONE, requests=40_000, rows="all"))


@cache
def closed_run() -> Evidence:
    """Twenty clients, who keep one server busy at about 0.6."""
    workload = cases.closed_model(20, "exp(300ms)")
    return of_result(tt.simulate(workload, ONE, requests=20_000, rows="all"))


@pytest.fixture
def fine() -> Evidence:
    """A run without any doubt."""
    return fine_run()


@pytest.fixture
def closed() -> Evidence:
    """The same for a closed workload."""
    return closed_run()


def verdict(seen: Evidence, name: str) -> str:
    """The finding of one check about it."""
    return next(one.verdict for one in judge(seen) if one.name == name)


def rows_of(seen: Evidence) -> pl.DataFrame:
    return pl.DataFrame(seen.given_rows)


def series_of(seen: Evidence) -> pl.DataFrame:
    return pl.DataFrame(seen.given_series)
