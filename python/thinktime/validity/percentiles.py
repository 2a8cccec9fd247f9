"""`percentiles`: whether each percentile that is shown rests on enough independent requests.

Successive response times are alike, so many requests say as much as few independent ones. How many
that are follows from twenty parts of the run: the share of requests that take longer than the
percentile varies between them by so much as that of so many independent ones would. An interval by
order statistics needs a number of these that depends on the percentile alone.

Source: Le Boudec, 'Performance Evaluation of Computer and Communication Systems' (2010),
section 2.2; Law, 'Simulation Modeling and Analysis' (2015), section 9.5.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from thinktime.report import units
from thinktime.validity.evidence import Evidence
from thinktime.validity.finding import DOUBTFUL, FINE, Finding, Unseen

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

NAME = "percentiles"

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}
"""Those of summaries, by name."""

NEEDED = {"p50": 6, "p90": 36, "p95": 72, "p99": 368, "p99.9": 3688, "p99.99": 36887}
"""So many independent requests bound it: `thinktime.stats.minimum_samples` at 95 %."""

_PARTS = 20

_PART_MAX = 50_000

_UNSURE = 1.73
"""The number of independent requests is itself an estimate of 19 degrees of freedom: in 39 of 40
runs it is no more than so many times too small (χ²)."""


def backed(name: str, requests: float) -> bool:
    """Whether so many independent requests bound a percentile from both sides."""
    return requests >= NEEDED.get(name, 0)


def check(seen: Evidence) -> Finding | None:
    """The percentiles that a table shows, one after another, until one is not backed."""
    many = seen.succeeded
    if many <= 0:
        raise Unseen("no request succeeded")
    worth = _worth(seen)
    shown = [name for name in NEEDED if backed(name, many) and name != "p99.99"]
    poor = [name for name in shown if not backed(name, _UNSURE * worth.get(name, many))]
    # One that is not backed takes the higher ones with it, which cannot be known better.
    weak = shown[shown.index(poor[0]) :] if poor else []
    hidden = [name for name in ("p50", "p90", "p99", "p99.9") if not backed(name, many)]
    left = f"; {units.listed(hidden)} not shown: {units.count(many)} requests are too few" if (
        hidden
    ) else ""  # fmt: skip
    if not weak:
        enough = "enough independent requests for "
        good = enough + units.listed(shown) if shown else "none is shown"
        return Finding(NAME, FINE, good + left)
    first = weak[0]
    factor = NEEDED[first] / max(worth[first], 1.0)
    words = (
        f"too few independent requests for {units.listed(weak)}: {first} is that of about "
        f"{units.count(round(worth[first]))}, and {units.count(NEEDED[first])} are needed"
    )
    longer = units.number(max(factor, 1.1), 2)
    advice = f"run {longer} times as long, or judge by {_safe(shown, weak)}"
    return Finding(NAME, DOUBTFUL, words + left, advice)


def _safe(shown: list[str], weak: list[str]) -> str:
    safe = [name for name in shown if name not in weak]
    return safe[-1] if safe else "the mean, with its interval"


def _worth(seen: Evidence) -> Mapping[str, float]:
    """By percentile, of how many independent requests it is the one."""
    try:
        parts = _parts(seen)
    except Unseen:
        return _from_mean(seen)
    found: dict[str, float] = {}
    looked, most = float(parts["many"].sum()), float(seen.succeeded)
    if len(parts) < _PARTS / 2:
        return dict.fromkeys(PERCENTILES, most)
    for name in parts.columns:
        p = PERCENTILES.get(name)
        if p is not None:
            spread = float(parts[name].to_numpy().var(ddof=1)) / len(parts)
            worth = p * (1 - p) / spread if spread > 0 else looked
            found[name] = min(most, worth * most / looked)
    return found


def _parts(seen: Evidence) -> pl.DataFrame:
    """A row a part of the run: of `many` requests which share took longer than each percentile.

    Counted requests that succeeded at once, in the order in which they were over. Of long parts the
    first `_PART_MAX` are looked at.
    """
    rows = seen.rows.select("attempt", "error", "scheduled_ns", "done_ns")
    import polars as pl

    begin_s, _ = seen.window
    summary = seen.summary["response_time_s"]
    took = (pl.col("done_ns") - pl.col("scheduled_ns")) * 1e-9
    each = max(seen.rows_many // _PARTS, 1)
    read = min(each, _PART_MAX)
    parts = [rows.slice(n * each, read).with_columns(part=pl.lit(n)) for n in range(_PARTS)]
    found = (
        pl.concat(parts)
        .filter(
            (pl.col("attempt") == 1)
            & pl.col("error").is_null()
            & (pl.col("scheduled_ns") >= int(begin_s * 1e9))
        )
        .group_by("part")
        .agg(
            pl.len().alias("many"),
            *(
                (took > summary[name]).mean().alias(name)
                for name in PERCENTILES
                if summary.get(name) is not None
            ),
        )
        .collect(engine="streaming")
    )
    # What a warm-up left is no whole part.
    return found.filter(pl.col("many") >= read / 2)


def _from_mean(seen: Evidence) -> Mapping[str, float]:
    """Without rows: of how many independent requests the mean is worth, by its interval."""
    half = (seen.summary.get("response_time_s") or {}).get("ci95")
    many = float(seen.succeeded)
    if half is None or seen.times is None or not len(seen.times[0]):
        raise Unseen("the mean has no interval, and no rows were kept")
    times, longer = seen.times
    shares = -_steps(longer)
    mean = float(times @ shares)
    variance = float((times - mean) ** 2 @ shares)
    if half <= 0 or variance <= 0:
        return dict.fromkeys(PERCENTILES, many)
    return dict.fromkeys(PERCENTILES, min(many, 1.96**2 * variance / half**2))


def _steps(longer: NDArray) -> NDArray:  # type: ignore[type-arg]
    import numpy as np

    return np.diff(longer, prepend=1.0)
