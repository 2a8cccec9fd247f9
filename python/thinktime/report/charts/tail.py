"""The tail of the response time: P(T > t), both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from thinktime.present import axes, units
from thinktime.present.axes import Axis
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import Figure, Limit, Series, thin
from thinktime.present.percentile import backed
from thinktime.report.case import Case, Kind, Note
from thinktime.report.charts import failed_tail
from thinktime.report.charts.style import curve_keys, limits, line
from thinktime.results.independent_requests import worth
from thinktime.theory.law import FloatArray

_SMALLEST_SHARE = 1e-6  # the reach of an exact curve without a result beside it
_EXACT_POINTS = 240
_ROUNDING = 1e-12  # the rounding rest of a sum of shares that should be 1
_BOUND = -math.log(0.025)
"""This number of requests beyond a percentile bounds it from both sides, at 95 %."""

_BANDS_MAX = 3
"""The bands of more curves cover one another."""

_HEIGHT = 320
_AGREE = (
    "If solid, dashed and dotted lines of one colour coincide, measurement, simulation and theory "
    "agree."
)
_NAMES = {0.5: "p50", 0.1: "p90", 0.01: "p99", 1e-3: "p99.9", 1e-4: "p99.99"}

Curve = tuple[Case, Kind, Note, FloatArray, FloatArray]


def _draw(cases: Sequence[Case]) -> Drawing | None:
    curves = [curve for case in cases for curve in _empirical(case)]
    failed = failed_tail.curves_of(cases)
    if not curves and not failed:
        return None
    reach = [*(share for *_, share in curves), *(one.share for one in failed)]
    least = max(_SMALLEST_SHARE, min(float(share.min()) for share in reach))
    bands = len(curves) <= _BANDS_MAX
    curves += [curve for case in cases for curve in _exact(case, least)]
    series = [_series(*curve, bands) for curve in curves]
    drawn = [*series, *(one.series for one in failed)]
    across = _time_axis(drawn, objectives := limits(cases, "x"))
    figure = Figure(across, _share_axis(least), _HEIGHT, drawn, objectives)
    kinds = [(kind, note) for _, kind, note, *_ in curves]
    keys = [*curve_keys(cases, kinds), *([failed_tail.KEY] if failed else [])]
    if any(one.known is not None and one.known < len(one.x) for one in series):
        keys.append(
            Key("too few requests to bound it", "color-mix(in srgb, var(--faint) 40%, transparent)")
        )
    said = " ".join([_words(curves), *(one.words for one in failed)])
    return Drawing([Panel(figure, said)], keys, note=_AGREE if len(set(kinds)) > 1 else "")


def _words(curves: Sequence[Curve]) -> str:
    """The values of each curve at p50 and p99."""
    parts = []
    for case, kind, note, times, share in curves:
        named = f"{case.label}, {kind}{', long' if note == 'long' else ''}"
        known = [
            p
            for p in (0.5, 0.01)
            if float(share.min()) <= p <= float(share.max())
            and (kind == "exact" or backed(_NAMES[p], _many(case, kind, note, share)))
        ]
        phrases = [f"{_NAMES[p]} {units.seconds(_crossing(times, share, p))}" for p in known]
        parts.append(f"{named}: {', '.join(phrases)}" if phrases else named)
    said = f" {'; '.join(parts)}." if parts else ""
    return f"Response times that a share of requests exceeds.{said}"


def _many(case: Case, kind: Kind, note: Note, share: FloatArray) -> float:
    """The independent requests behind a curve; before a run ends, its least share has all."""
    entry = case.find(kind, note)
    if entry is None or not (summary := entry.result.summary).get("requests"):
        return 1 / float(share.min())
    return worth(summary, summary["requests"] - (summary.get("errors") or 0))


def _crossing(times: FloatArray, share: FloatArray, level: float) -> float:
    """The time that this share of requests exceed, on the line between a curve's points."""
    place = int(np.argmax(share <= level))
    if place == 0:
        return float(times[0])
    (low, high), (more, less) = (np.log(one[place - 1 : place + 1]) for one in (times, share))
    return float(np.exp(low + (more - math.log(level)) / (more - less) * (high - low)))


def _empirical(case: Case) -> list[Curve]:
    curves: list[Curve] = []
    for entry in case.entries:
        times, share = (np.asarray(values, dtype=float) for values in entry.result.survival())
        kept = (times > 0) & (share > _ROUNDING)
        if kept.any():
            curves.append((case, entry.kind, entry.note, *thin(times[kept], share[kept])))
    return curves


def _exact(case: Case, least: float) -> list[Curve]:
    law = None if case.theory is None else case.theory.law
    if law is None:
        return []
    times = np.geomspace(law.percentile(0.005), law.percentile(1 - least), _EXACT_POINTS)
    if not times[0] > 0:
        return []
    return [(case, "exact", "", times, np.maximum(law.sf(times), least))]


def _series(
    case: Case, kind: Kind, note: Note, times: FloatArray, share: FloatArray, band: bool
) -> Series:
    words = f"{case.label}: {kind}, {note}" if note else f"{case.label}: {kind}"
    known, ends = None, None
    if kind != "exact":
        many = max(_many(case, kind, note, share), 1.0)
        known = int((share >= -math.expm1(-_BOUND / many)).sum())
        ends = _interval(share, many, known) if band else None
    low, high = ends or (None, None)
    return Series(
        "line", times, share, words, **line(case, kind, note), group=str(case.place),
        phrase="{y} take longer than {x}", known=known, low=low, high=high, spread="band",
    )  # fmt: skip


def _interval(share: FloatArray, many: float, known: int) -> tuple[FloatArray, FloatArray]:
    """Wilson's 95 % interval of each share that the data bear; NaN beyond."""
    z2 = 1.96**2 / many
    middle = (share + z2 / 2) / (1 + z2)
    half = np.sqrt(z2 * (share * (1 - share) + z2 / 4)) / (1 + z2)
    borne = np.arange(len(share)) < known
    low, high = (np.where(borne, end, np.nan) for end in (middle - half, middle + half))
    return low, high


def _time_axis(drawn: Sequence[Series], objectives: Sequence[Limit]) -> Axis:
    """From the point where the first curve leaves 98 % to the end of the last one."""
    curves = [(np.asarray(one.x), np.asarray(one.y)) for one in drawn]
    starts = [float(times[max(0, int((share > 0.98).sum()) - 1)]) for times, share in curves]
    ends = [float(times.max()) for times, _ in curves]
    allowed = [one.at for one in objectives]
    return axes.log(min(starts + allowed), max(ends + allowed), "time", "response time t")


def _share_axis(least: float) -> Axis:
    ticks = [1.0, 0.5] + [10.0**-n for n in range(1, 7)]
    names = {tick: _NAMES.get(round(tick, 7), "") for tick in ticks}
    low, high = least * 10**-0.05, 10**0.05
    shown = [(t, f"{names[t]}  {100 * t:.4g} %".strip()) for t in ticks if low <= t <= high]
    title = "share that takes longer than t"
    return Axis(low, high, "share", title, shown, is_log=True)


CHART = Chart(
    name="tail",
    title="How long the slowest wait",
    caption="Read across at p99: the further right a curve crosses it, the longer the slowest 1 % "
    "wait. A band is the 95 % interval of the share.",
    draw=_draw,
    needed=False,
)
