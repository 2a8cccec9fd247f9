"""The side of a comparison: a result's figures with their intervals."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.comparison.estimate import (
    FIGURES,
    PERCENTILES,
    SHORT,
    Estimate,
    Estimates,
    Missing,
    counted_share,
    estimates_of,
    rate_of_counts,
)
from thinktime.comparison.requests import requests_of
from thinktime.results import independent_requests
from thinktime.results.link import text_of
from thinktime.results.remote_rows import why_no_rows

if TYPE_CHECKING:
    from thinktime import Result
    from thinktime._core_types import Summary


@dataclass(frozen=True)
class Subject:
    """A result, with the data that a comparison needs."""

    label: str
    kind: str
    """`simulate` or `run`."""

    workload: str
    """The workload's name."""

    target: str
    """The real system's url, or the modelled system's name."""

    seed: int
    work: str
    """A hash of the whole workload without its seed and comments."""

    duration_s: float
    requests: int
    estimates: Estimates
    replication_means_s: Sequence[float]
    link: str | None = ""
    """The link that a run crossed, as `--link` takes it, empty for none; None if it is not known,
    and for simulations."""

    untrusted: bool = False
    """Whether the result is not to be trusted."""

    tables: Mapping[str, Any] | None = None
    """The workload's values; None if they are not known."""

    named: bool = False
    """Whether a user gave the label."""

    path: Path | None = None
    """The directory of the result, if it has one."""

    figures: Mapping[str, float] = field(default_factory=dict)
    """The figures of the result's own table, by name: its percentiles come from a histogram, and
    may differ from those of its rows in the third digit."""

    def meets_arrivals_of(self, other: Subject) -> bool:
        """Whether both met the same arrivals at the same times."""
        return (
            (self.seed, self.work) == (other.seed, other.work)
            and abs(self.duration_s - other.duration_s) <= 0.01 * self.duration_s
        )  # fmt: skip


def subject_of(result: Result) -> Subject:
    """The data of a result for a comparison."""
    summary = result.summary
    system = "" if result.system is None else result.system.name
    work = hashlib.sha256(result.workload.with_seed(0).to_toml().encode()).hexdigest()[:16]
    return Subject(
        label=result.label,
        kind=result.kind,
        workload=result.workload.name,
        target=result.target or system,
        seed=int(summary.get("seed") or 0),
        work=work,
        duration_s=float(summary.get("duration_s") or 0.0),
        requests=int(summary.get("requests") or 0),
        estimates=_with_lateness(_estimates(result), summary),
        replication_means_s=list(summary.get("replication_means_s") or []),
        link=text_of(summary) if result.kind == "run" else None,
        untrusted=result.untrusted is not None,
        tables=result.workload.tables,
        named=(labelled := result.labelled) is not None and labelled.given,
        path=result.path,
        figures=_own_figures(summary),
    )


def _own_figures(summary: Summary) -> dict[str, float]:
    """The figures that the table of a result shows."""
    times: Mapping[str, Any] = summary.get("response_time_s") or {}
    known = {name: times.get(name) for name in ("mean", *PERCENTILES)}
    known["throughput"] = summary.get("throughput")
    return {name: float(value) for name, value in known.items() if value is not None}


def told_apart(one: Subject, other: Subject) -> tuple[Subject, Subject]:
    """The same; their directories are their labels if these would differ in time alone."""
    if one.named or other.named or one.workload != other.workload:
        return one, other
    if one.path is None or other.path is None or one.path == other.path:
        return one, other
    alike = one.path.name == other.path.name
    labels = (str(path) if alike else path.name for path in (one.path, other.path))
    return replace(one, label=next(labels)), replace(other, label=next(labels))


def _with_lateness(estimates: Estimates, summary: Summary) -> Estimates:
    """The same, with the part of a generator's own lateness in each time.

    A request's response time is its lateness and its service time; of a request that was sent again
    only the lateness is known.
    """
    late: Mapping[str, Any] = summary.get("lateness_s") or {}
    service: Mapping[str, Any] = summary.get("service_time_s") or {}
    found = dict(estimates)
    for name in ("mean", *PERCENTILES):
        one = found[name]
        if isinstance(one, Estimate) and late.get(name) is not None:
            most = max(one.value - (service.get(name) or 0.0), 0.0)
            found[name] = replace(one, late=min(late[name], most))
    return found


def _estimates(result: Result) -> Estimates:
    """Estimates from all rows; if some or all are missing, from summary and series."""
    requests, summary = requests_of(result), result.summary
    if requests is not None and result.rows_complete:
        return estimates_of(requests, summary.get(independent_requests.KEY) or 0.0)
    found = _of_summary(result) | _of_series(result)
    if requests is not None:
        sampled = estimates_of(requests)
        found |= {name: sampled[name] for name in PERCENTILES}
        if isinstance(found["mean"], Missing):
            found["mean"] = sampled["mean"]
    return {name: found[name] for name in FIGURES}


def _rowless(result: Result) -> Missing:
    if not result.summary.get("requests"):
        return Missing("no request was counted")
    why = why_no_rows(result) or "the result keeps no rows"
    return Missing(f"{why}, and its summary has no interval for it")


def _of_summary(result: Result) -> dict[str, Estimate | Missing]:
    times = result.summary.get("response_time_s") or {}
    intervals = result.summary.get("response_time_ci95") or {}
    mean, half = times.get("mean"), times.get("ci95")
    many = (result.summary.get("requests") or 0) - (result.summary.get("errors") or 0)
    missing = _rowless(result)
    found: dict[str, Estimate | Missing] = {"mean": missing}
    if mean is not None and half is not None:
        found["mean"] = Estimate(float(mean), float(mean - half), float(mean + half))
    known = independent_requests.known(result.summary, times, tuple(PERCENTILES), many)
    for name in PERCENTILES:
        ends, found[name] = intervals.get(name), missing
        if name in known and ends is not None:
            found[name] = Estimate(known[name], float(ends[0]), float(ends[1]))
    return found


def _of_series(result: Result) -> dict[str, Estimate | Missing]:
    """Throughput and errors, by the counts of at least as many intervals as sections."""
    missing = _rowless(result)
    nothing = dict.fromkeys(("throughput", "errors"), missing)
    several = len(result.summary.get("replication_means_s") or []) > 1
    if result.series is None or several:  # the series is that of the first replication
        return dict(nothing)
    import polars as pl

    warmup_s = float(result.summary.get("warmup_s") or 0.0)
    span_s = float(result.summary.get("duration_s") or 0.0)
    series = (
        pl.DataFrame(result.series)
        .group_by("start_s", "interval_s")
        .agg(pl.col("scheduled", "completed", "failed").sum())
        .filter(pl.col("start_s") >= warmup_s, pl.col("start_s") < warmup_s + span_s)
        .sort("start_s")
    )
    if len(series) < SHORT:
        return dict(nothing)
    place = np.arange(len(series)) / len(series)
    counts = {name: series[name].to_numpy().astype(np.float64) for name in series.columns}
    lengths = np.minimum(counts["interval_s"], warmup_s + span_s - counts["start_s"])
    failed, all_of_them = result.summary.get("errors"), result.summary.get("requests")
    errors = counted_share(place, counts["failed"], counts["scheduled"], failed, all_of_them)
    offered = float(counts["scheduled"].sum())
    throughput = rate_of_counts(place, counts["completed"], lengths, offered)
    return {"throughput": throughput, "errors": errors}
