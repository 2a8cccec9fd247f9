"""The row of a point: its figures, flat, for one table of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thinktime import validity
from thinktime.present import columns
from thinktime.report.clusters import hit_ratio
from thinktime.results import independent_requests
from thinktime.results.result import Result
from thinktime.sweeps.grid import Axis, Point
from thinktime.trials import Row

if TYPE_CHECKING:
    import polars as pl

_TIMES = ("mean", "ci95", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "max")
_COUNTS = ("requests", "errors", "timeouts", "retries")
_PAGE_TIMES = ("mean", "ci95", "p50", "p90", "p99")
_RATES = ("offered_rate", "throughput", "think_time_s", "duration_s", "warmup_s")


def row_of(result: Result) -> Row:
    """The figures of one result, and the verdicts of the checks on it.

    Times are in seconds, rates in events a second.
    """
    validity.note(result, of_point=True)
    summary = result.summary
    times = summary.get("response_time_s") or {}
    stations = (summary.get("stations") or {}).values()
    theory = result.theory
    return {
        "seed": summary.get("seed"),
        **{f"response_{name}_s": times.get(name) for name in _TIMES},
        **_bounds(result),
        "exact_response_mean_s": None if theory is None else theory.mean_s,
        "load": max((station["load"] for station in stations), default=None),
        **_of_scales(summary),
        **{name: summary.get(name) for name in (*_RATES, *_COUNTS, independent_requests.KEY)},
        **_of_bytes(summary),
        **_of_pages(summary),
        **_of_populations(result),
        **_of_machines(summary),
        **_of_clusters(summary),
        **_evidence(result),
        "warnings": " | ".join(summary.get("warnings") or []),
        "slo": _slo(result),
        "untrusted": result.untrusted,
        "validity": summary.get("validity"),
    }


def _bounds(result: Result) -> Row:
    """The interval of p99, and the p99 that the workload allows; without those that are unknown."""
    low, high = (result.summary.get("response_time_ci95") or {}).get("p99") or (None, None)
    allowed = [one.limit for one in result.objectives if one.name == "p99" and one.of is None]
    found = {
        "response_p99_low_s": low,
        "response_p99_high_s": high,
        "allowed_p99_s": min(allowed, default=None),
    }
    return {name: value for name, value in found.items() if value is not None}


def _of_scales(summary: Mapping[str, Any]) -> Row:
    """The mean number of servers, summed over the stations whose number changes; empty without."""
    stations = (summary.get("stations") or {}).values()
    there = [one["scale"]["servers_mean"] for one in stations if one.get("scale")]
    return {"servers_mean": sum(there)} if there else {}


def _of_bytes(summary: Mapping[str, Any]) -> Row:
    """The bytes of responses a second; empty if they have no size."""
    found = summary.get("byte_throughput")
    return {} if found is None else {"byte_throughput": found}


def _slo(result: Result) -> str | None:
    """Whether all objectives are met, in words; None without objectives."""
    verdicts = {one.verdict for one in result.objectives}
    return next((one for one in ("not met", "cannot tell", "met") if one in verdicts), None)


def _of_pages(figures: Mapping[str, Any], before: str = "") -> Row:
    """The figures of pages; empty without pages."""
    times = figures.get("page_response_time_s")
    if not times:
        return {}
    counts = {f"{before}{name}": figures.get(name) for name in ("pages", "page_errors")}
    return counts | {f"{before}page_response_{name}_s": times.get(name) for name in _PAGE_TIMES}


def _of_populations(result: Result) -> Row:
    """The figures of each population, if there are several."""
    found: Row = {}
    for name, figures in result.populations.items() if len(result.populations) > 1 else ():
        before = columns.of_population(name, "")
        times = figures.get("response_time_s") or {}
        found |= {f"{before}response_{one}_s": times.get(one) for one in _PAGE_TIMES}
        found |= {f"{before}{one}": figures.get(one) for one in ("requests", "errors")}
        found |= {f"{before}offered_rate": figures.get("offered_rate")}
        found |= _of_pages(figures, before)
    return found


def _of_machines(summary: Mapping[str, Any]) -> Row:
    """The counts of schedulers, summed over all machines; empty without schedulers."""
    machines = (summary.get("machines") or {}).values()
    counts = ("migrations", "preemptions", "context_switches")
    found = {name: sum(one[name] for one in machines) for name in counts} if machines else {}
    return found | _of_limits(
        [one for table in machines for one in table.get("limits", {}).values()]
    )


def _of_limits(limits: Sequence[Mapping[str, Any]]) -> Row:
    """The share of throttled periods of all services with a CPU limit; empty without limits."""
    periods = sum(one["periods"] for one in limits)
    throttled = sum(one["throttled_periods"] for one in limits)
    return {"throttled_share": throttled / periods} if periods else {}


def _of_clusters(summary: Mapping[str, Any]) -> Row:
    """The figures of servers; empty without clusters.

    With several clusters the hit ratio is that of all their servers together, and the imbalance is
    the greatest one.
    """
    clusters = (summary.get("clusters") or {}).values()
    if not clusters:
        return {}
    return {
        "hit_ratio": hit_ratio([server for one in clusters for server in one["servers"]]),
        "imbalance": max(one["imbalance"] for one in clusters),
    }


def _evidence(result: Result) -> Row:
    """The figures that compare dispatch policies, if rows were kept for them."""
    if result.requests is None:
        return {}
    from thinktime.sweeps.evidence import evidence

    replications = len(result.summary.get("replication_means_s") or []) or 1
    return {"replications": replications, **evidence(result)}


def table_of(
    axes: Sequence[Axis], grid: Sequence[Point], rows: Sequence[Row | None]
) -> pl.DataFrame:
    """The finished points as one table: varied keys first, with numbers as numbers if all are."""
    import polars as pl

    finished = [(place, row) for place, row in enumerate(rows) if row is not None]
    table: dict[str, list[Any]] = {}
    for axis in axes:
        named = dict(zip(axis.values, axis.numbers or axis.values, strict=True))
        table[axis.key] = [named[grid[place][axis.key]] for place, _ in finished]
    # Only some points may have a page.
    names = dict.fromkeys(name for _, row in finished for name in row if name != "point")
    for name in names:
        # A varied key and a figure may have the same name.
        label = f"found_{name}" if name in table else name
        table[label] = [row.get(name) for _, row in finished]
    return pl.DataFrame(table, infer_schema_length=None)
