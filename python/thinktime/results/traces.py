"""The trace of a request, if the workload has `traceparent`.

Ids are functions of the workload's seed and of the request's identity, so that results need not
contain them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime import _core
from thinktime.inputs.arguments import checked
from thinktime.results.remote_rows import why_no_rows

if TYPE_CHECKING:
    import polars as pl

    from thinktime.results.result import Result


@checked
def trace_id(seed: int, session: int, request: int) -> str:
    """The id of a request's trace, as 32 hexadecimal digits; all its attempts have the same.

    Args:
        seed: The workload's seed, as `run.seed` of `run.toml` has it; 0 to 2^64 - 1.
        session: The session's number, as the column of `requests.parquet` has it.
        request: The request's number in its session, as the column has it; 0 to 2^32 - 1.
    """
    return _core.trace_context(seed, session, request, 1)[0]


@checked
def traceparent(seed: int, session: int, request: int, attempt: int = 1) -> str:
    """The header field `traceparent` of an attempt, as W3C Trace Context has it.

    That is `00-TRACE-PARENT-01`: the trace, the attempt as the parent of what the server does for
    it (16 hexadecimal digits), and the flag that says that the trace is to be kept.

    Args:
        seed: As for `trace_id`.
        session: As for `trace_id`.
        request: As for `trace_id`.
        attempt: The attempt's number, from 1.
    """
    return _core.trace_context(seed, session, request, attempt)[2]


@checked
def traces(result: Result, slowest: int = 10, failed: int = 10) -> pl.DataFrame:
    """The requests of a run whose traces are worth a look, with their ids.

    They are the slowest that succeeded, the slowest first, and the first that failed, among those
    that were measured. The columns are `trace_id`, `name`, `session`, `request`, `attempt` (the
    last one), `response_time_s`, `status` and `error`.

    Args:
        result: What `run` gave, or one read from its directory, with rows.
        slowest: The number of the slowest.
        failed: The number of those that failed.

    Raises:
        InputError: It is not a run, its workload has no `traceparent`, or no rows were kept.
    """
    import polars as pl

    _check(result)
    assert result.requests is not None
    succeeded = pl.col("error").is_null() & pl.col("done_ns").is_not_null()
    # Copies that lost may have later numbers than the one that was answered.
    rows = pl.DataFrame(result.requests).sort(succeeded, "attempt")
    of_request = (
        rows.group_by("session", "request", maintain_order=True)
        .agg(
            pl.col("name", "error").last().cast(pl.String),
            pl.col("attempt", "status", "done_ns").last(),
            pl.col("scheduled_ns").min(),
        )
        .filter(pl.col("scheduled_ns") >= result.summary.get("warmup_s", 0.0) * 1e9)
        .with_columns(response_time_s=(pl.col("done_ns") - pl.col("scheduled_ns")) * 1e-9)
    )
    fine = pl.col("error").is_null()
    slow = of_request.filter(fine).sort("response_time_s", descending=True).head(slowest)
    bad = of_request.filter(~fine).sort("scheduled_ns").head(failed)
    seed = result.workload.seed
    names = ("name", "session", "request", "attempt", "response_time_s", "status", "error")
    found = pl.concat([slow, bad]).select(names)
    ids = [trace_id(seed, *pair) for pair in found.select("session", "request").iter_rows()]
    return found.insert_column(0, pl.Series("trace_id", ids, pl.String))


def _check(result: Result) -> None:
    place = result.path or "the result"
    if result.kind != "run":
        raise _core.InputError(f"{place}: a simulation sends nothing, and so has no traces")
    clients = [one.table["clients"] for one in result.workload.populations]
    if not any(one is not None and one["traceparent"] for one in clients):
        raise _core.InputError(
            f"{place}: its requests had no traces: write `traceparent = true` under [clients] of "
            "the workload"
        )
    if result.requests is None:
        why = why_no_rows(result) or "no rows of requests were kept: run it with --rows all"
        raise _core.InputError(f"{place}: {why}")
