"""`percentiles`: whether each percentile that is shown rests on enough independent requests.

Successive response times are alike, so a large number of requests is worth only a few independent
ones. That number is estimated in three ways, and the least estimate counts. Two compare the share
of requests beyond the percentile between twenty short parts of the run, and between eight long
ones, with the variation that independent requests would have; the third uses the interval of the
mean. If neighbouring short parts still depend on one another, the long ones show it. The mean
informs up to the p99: under processor sharing its estimate is a third of that of a p99.9. Requests
beyond a p99.9 come in few bursts, and parts without any look alike, so its estimate is at most that
of the p99. An interval by order statistics needs a number of independent requests that depends on
the percentile alone.

Source: Le Boudec, 'Performance Evaluation of Computer and Communication Systems' (2010),
section 2.2; Law, 'Simulation Modeling and Analysis' (2015), section 9.5.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.percentile import NEEDED, backed
from thinktime.results.finding import DOUBTFUL, FINE, Finding, Unseen
from thinktime.validity.evidence import Evidence
from thinktime.validity.student import NORMAL, quantile

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

NAME = "percentiles"

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}
"""The percentiles of summaries, by name."""

_BINS = 40
"""The run is read in this many pieces, which are merged to parts."""

_JOINED = (2, 5)
"""The number of neighbouring pieces in a part: twenty short parts, or eight long ones."""

_BIN_MAX = 25_000

_AS_THE_MEAN = ("p50", "p90", "p95", "p99")
"""The percentiles that the interval of the mean informs about; parts inform about more."""

_DEGREES_OF_MEAN = 19
"""The degrees of freedom of the interval of the mean: it comes from twenty batches."""


@dataclass(frozen=True)
class Worth:
    """The number of independent requests behind a percentile."""

    number: float
    most: float
    """The upper limit of the number in 39 of 40 runs."""


@dataclass(frozen=True)
class Backing:
    """The percentiles that are shown, and those of them that rest on too few requests."""

    shown: list[str]
    weak: list[str]
    """The lowest that is not backed, and all above it, which are no better known."""

    worth: dict[str, Worth]


def check(seen: Evidence) -> Finding | None:
    """The percentiles that a table shows, in order, up to the first that is not backed."""
    many = seen.succeeded
    if many <= 0:
        raise Unseen("no request succeeded")
    hidden = [name for name in seen.percentiles if name != "p95" and not backed(name, many)]
    left = f"; {units.listed(hidden)} not shown: {units.count(many)} requests are too few" if (
        hidden
    ) else ""  # fmt: skip
    found = backing(seen)
    if not found.shown:
        return Finding(NAME, FINE, "none is shown" + left)
    name = (found.weak or found.shown[-1:])[0]
    worth, needed = found.worth[name], NEEDED[name]
    phrases = (
        f"{name} is that of about {units.count(round(worth.number))} independent ones "
        f"({units.count(int(worth.most))} at most), and {units.count(needed)} are needed"
    )
    if not found.weak:
        enough = f"enough independent requests for {units.listed(found.shown)}"
        return Finding(NAME, FINE, f"{enough}: {phrases}{left}")
    words = f"too few independent requests for {units.listed(found.weak)}: {phrases}"
    longer = units.number(max(needed / max(worth.number, 1.0), 1.1), 2)
    advice = f"run {longer} times as long, or judge by {_safe(found)}"
    return Finding(NAME, DOUBTFUL, words + left, advice)


def backing(seen: Evidence) -> Backing:
    """The percentiles that are shown, and those that are backed.

    Raises:
        Unseen: if no data show how alike successive response times are.
    """
    many = seen.succeeded
    shown = [name for name in seen.percentiles if backed(name, many)]
    if not shown:
        return Backing([], [], {})
    worth = _worth(seen)
    poor = [name for name in shown if not backed(name, worth[name].most)]
    return Backing(shown, shown[shown.index(poor[0]) :] if poor else [], worth)


def _safe(found: Backing) -> str:
    safe = [name for name in found.shown if name not in found.weak]
    return safe[-1] if safe else "the mean, with its interval"


def _worth(seen: Evidence) -> dict[str, Worth]:
    """The least of the estimates, by percentile."""
    estimates = list(_estimates(seen))
    if not estimates:
        raise Unseen("the run is too short to tell how alike its response times are")
    return {
        name: min((one[name] for one in estimates if name in one), key=lambda one: one.most)
        for name in PERCENTILES
        if any(name in one for one in estimates)
    }


def _estimates(seen: Evidence) -> Iterator[dict[str, Worth]]:
    """The estimates by short and long parts, if rows were kept, and by the interval of the mean."""
    most = float(seen.succeeded)
    try:
        bins = _bins(seen)
    except Unseen:
        bins = None
    looked = bins is not None and len(bins) >= _BINS / 2
    if bins is not None and looked:
        for joined in _JOINED:
            yield _of_parts(bins, joined, most)
    of_mean = _of_mean(seen)
    if of_mean is not None:
        yield dict.fromkeys(_AS_THE_MEAN if looked else PERCENTILES, of_mean)


def _of_parts(bins: pl.DataFrame, joined: int, most: float) -> dict[str, Worth]:
    """The variation of the share beyond each percentile between parts of this many pieces."""
    parts = len(bins) // joined
    kept = bins.tail(parts * joined)
    many = kept["many"].to_numpy().reshape(parts, joined).sum(axis=1)
    looked = float(many.sum())
    found = {}
    for name, p in PERCENTILES.items():
        if name in kept.columns:
            share = kept[name].to_numpy().reshape(parts, joined).sum(axis=1) / many
            spread = float(share.var(ddof=1)) / parts
            number = p * (1 - p) / spread * most / looked if spread > 0 else most
            found[name] = _limited(number, parts - 1, most)
    for name in found.keys() - set(_AS_THE_MEAN):
        found[name] = min(found[name], found["p99"], key=lambda one: one.most)
    return found


def _limited(number: float, degrees: int, most: float) -> Worth:
    """An estimate from a variance with this many degrees of freedom.

    In 39 of 40 runs such a variance is too large by a factor of at most χ² at 0.975 over its
    degrees of freedom: by Wilson and Hilferty, 'The distribution of chi-square' (PNAS 17, 1931).
    """
    part = 2 / (9 * degrees)
    unsure = (1 - part + NORMAL * part**0.5) ** 3
    return Worth(min(number, most), min(number * unsure, most))


def _bins(seen: Evidence) -> pl.DataFrame:
    """A row a piece of the run: the number of requests (`many`), and those beyond each percentile.

    It counts requests that succeeded at once, in the order of completion. Of long pieces the first
    `_BIN_MAX` requests are used.
    """
    rows = seen.rows.select("attempt", "error", "scheduled_ns", "done_ns")
    import polars as pl

    begin_s, _ = seen.window
    summary = seen.summary["response_time_s"]
    took = (pl.col("done_ns") - pl.col("scheduled_ns")) * 1e-9
    each = max(seen.rows_many // _BINS, 1)
    read = min(each, _BIN_MAX)
    pieces = [rows.slice(n * each, read).with_columns(piece=pl.lit(n)) for n in range(_BINS)]
    found = (
        pl.concat(pieces)
        .filter(
            (pl.col("attempt") == 1)
            & pl.col("error").is_null()
            & (pl.col("scheduled_ns") >= int(begin_s * 1e9))
        )
        .group_by("piece")
        .agg(
            pl.len().alias("many"),
            *(
                (took > summary[name]).sum().alias(name)
                for name in PERCENTILES
                if summary.get(name) is not None
            ),
        )
        .sort("piece")
        .collect(engine="streaming")
    )
    # The rest that a warm-up left is not a whole piece.
    return found.filter(pl.col("many") >= read / 2)


def _of_mean(seen: Evidence) -> Worth | None:
    """The number of independent requests behind the mean, by its interval; None without one."""
    half = (seen.summary.get("response_time_s") or {}).get("ci95")
    most = float(seen.succeeded)
    if half is None or seen.times is None or not len(seen.times[0]):
        return None
    times, longer = seen.times
    shares = -_steps(longer)
    mean = float(times @ shares)
    variance = float((times - mean) ** 2 @ shares)
    if half <= 0 or variance <= 0:
        return Worth(most, most)
    degrees = seen.replications - 1 if seen.replications > 1 else _DEGREES_OF_MEAN
    return _limited(quantile(degrees) ** 2 * variance / half**2, degrees, most)


def _steps(longer: NDArray) -> NDArray:  # type: ignore[type-arg]
    import numpy as np

    return np.diff(longer, prepend=1.0)
