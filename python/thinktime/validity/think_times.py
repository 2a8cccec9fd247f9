"""`think times`: whether clients waited between requests for as long as the workload says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.results.finding import DOUBTFUL, FINE, Finding, NoData
from thinktime.results.response_times import CANCELLED
from thinktime.validity.evidence import Evidence

if TYPE_CHECKING:
    from thinktime._core import Distribution

NAME = "think times"

SIGNIFICANCE = 0.005
NEAR = 0.02
LEAST = 100
LOOKED_AT = 20_000
ROWS = 500_000
"""If there are more rows, only every nth session is used."""

WITHIN_S = 1e-6
"""Constant think times are kept to the microsecond."""

SINGLE = 1e-3
"""A value with a smaller probability has no probability of its own."""

SEED = 47


def check(seen: Evidence) -> Finding | None:
    """The time from a response to the session's next request, against the law of think times.

    A long think time that began near the end is never seen. So only those count that began early
    enough for nearly all of the law to fit before the end.
    """
    law = seen.workload.think
    if law is None or seen.summary.get("model") not in ("closed", "partly-open"):
        return None
    if not seen.workload.plain or seen.workload.script is not None:
        raise NoData("sessions are not the same at any time: scripts, logs, retries or profiles")
    seen.with_planned_times()
    gaps = _gaps_s(seen, law)
    if len(gaps) < LEAST:
        raise NoData("too few think times ended within the run")
    distance, p_value = _apart(gaps[:: max(1, len(gaps) // LOOKED_AT)], law)
    if p_value < SIGNIFICANCE and distance > NEAR:
        words = f"think times are not those of the workload: {units.percent(distance)} off"
        advice = "look at the run's warnings: sessions were held up, or do something else"
        return Finding(NAME, DOUBTFUL, words, advice)
    return Finding(NAME, FINE, f"{units.count(len(gaps))} think times are those of the workload")


def _gaps_s(seen: Evidence, law: Distribution) -> list[float]:
    rows = seen.rows
    import polars as pl

    latest_s = seen.rows_end_s - float(law.quantile(0.999))
    every = max(1, seen.rows_many // ROWS)
    following = (pl.col("session") == pl.col("session").shift(-1)) & (
        pl.col("request").shift(-1) == pl.col("request") + 1
    )
    gap = (pl.col("scheduled_ns").shift(-1) - pl.col("done_ns")) * 1e-9
    columns = rows.collect_schema().names()
    if "error" in columns:  # what was given up for another's answer ended after it
        rows = rows.filter((pl.col("error") != CANCELLED).fill_null(value=True))
    # The objects of a page have no think time.
    return (
        rows.filter(pl.col("page").is_null() if "page" in columns else pl.lit(True))
        .filter(pl.col("session") % every == 0)
        .select("session", "request", "scheduled_ns", "done_ns")
        .sort("session", "request")
        .select(gap.alias("gap"), seen=following & (pl.col("done_ns") < int(latest_s * 1e9)))
        .filter(pl.col("seen"))
        .select("gap")
        .collect()
        .to_series()
        .to_list()
    )


def _apart(gaps: list[float], law: Distribution) -> tuple[float, float]:
    """Kolmogorov and Smirnov's distance and its p-value; for a constant, the share that is off."""
    import numpy as np

    from thinktime.stats.kolmogorov import kolmogorov_smirnov

    low, high = law.range
    if low == high:
        off = float(np.mean(np.abs(np.array(gaps) - low) > WITHIN_S))
        return off, 0.0 if off else 1.0
    if law.discrete:
        raise NoData("think times are of a law with steps")
    below = np.array([law.cdf(one - WITHIN_S) for one in gaps])
    upto = np.array([law.cdf(one + WITHIN_S) for one in gaps])
    # A value with a probability of its own has any of its ranks; others have one.
    single = upto - below < SINGLE
    drawn = np.random.default_rng(SEED).random(len(gaps))
    ranks = np.where(single, upto, below + (upto - below) * drawn)
    return kolmogorov_smirnov(ranks)
