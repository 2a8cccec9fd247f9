"""The requests of a result as the server saw them: when each came and when it was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from thinktime import InputError
from thinktime.candidates import visits
from thinktime.candidates.visits import Visits
from thinktime.results.remote_rows import why_no_rows

if TYPE_CHECKING:
    from thinktime.results.result import Result

LEAST = 1000
"""With fewer requests, models cannot be told apart."""

MOST = 100_000
"""If there are more requests, the first ones are used."""

FAILED_MAX = 0.01
"""With more failures than this share the times are not those of a server that only serves."""


def answered(result: Result, most: int, *columns: str) -> pl.DataFrame:
    """`begin_ns` and `done_ns` of the attempts that were answered, and more of their columns.

    They are in the order of sending; of more than `most`, only the first ones.

    Raises:
        InputError: if its rows were not kept, or cannot be read.
    """
    from polars.exceptions import PolarsError

    where = str(result.path or "the result")
    rows = _rows(result)
    if rows is None:
        kept = "all its rows are needed: run it again with `-o DIR --rows all`"
        raise InputError(f"{where}: {why_no_rows(result) or kept}")
    try:
        return visits.answered(rows, most, *columns)
    except PolarsError as error:
        # The text after the first part describes the query, not the file.
        why = str(error).partition("\n")[0].partition(";")[0]
        again = "run it again with `-o DIR --rows all`"
        text = f"{where}: its rows cannot be read from requests.parquet: {why}; {again}"
        raise InputError(text) from None


def visits_of(result: Result, most: int = MOST) -> Visits:
    """The visits of a result; of more than `most`, only the first ones.

    Raises:
        InputError: if its rows were not kept, are too few, or many of its requests failed.
    """
    where = result.path or "the result"
    many, errors = result.summary.get("requests") or 0, result.summary.get("errors") or 0
    if errors > FAILED_MAX * many:
        why = f"{errors:,} of {many:,} requests failed: explain a run without failures"
        raise InputError(f"{where}: {why}")
    found = Visits.of_answered(answered(result, most))
    if len(found) < LEAST:
        those = "1 request" if len(found) == 1 else f"{len(found):,} requests"
        few = f"it has {those} with an answer, and {LEAST:,} are needed"
        raise InputError(f"{where}: {few}: run it for longer")
    return found


def network_s(result: Result) -> float:
    """How long the network takes to the server and back, in seconds, as far as it is known.

    Twice the delay of the link that a run crossed; 0 without a link.

    Raises:
        InputError: if the result does not say which link that was.
    """
    link = result.summary.get("link")
    if not link:
        return 0.0
    from thinktime.lab.link_option import parse_link

    try:
        return 2 * parse_link(link["asked"]).link.delay
    except InputError as error:
        where = result.path or "the result"
        raise InputError(f"{where}: its link cannot be read from summary.json: {error}") from None


def _rows(result: Result) -> pl.LazyFrame | None:
    """The rows from the file, if there is one: they may be more than the memory should hold."""
    if not result.rows_complete:
        return None
    file = None if result.path is None else result.path / "requests.parquet"
    if file is not None and file.exists():
        return pl.scan_parquet(file)
    return None if result.requests is None else pl.DataFrame(result.requests).lazy()
