"""The tail of the requests that failed for good, which is in no other distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thinktime.present import units
from thinktime.present.chart import Key
from thinktime.present.figure import Series, thin
from thinktime.report.case import Case, Entry
from thinktime.report.charts.style import colour
from thinktime.theory.law import FloatArray

_DASH = "8 3 2 3"

KEY = Key("requests that failed", dash=_DASH, group="failed")


@dataclass(frozen=True)
class FailedTail:
    """The curve of one result: the share of its failed requests that took at least so long."""

    series: Series
    share: FloatArray
    words: str


def curves_of(cases: Sequence[Case]) -> list[FailedTail]:
    """A curve for each result with rows of failed requests."""
    entries = [(case, entry) for case in cases for entry in case.entries]
    return [one for case, entry in entries if (one := _curve(case, entry)) is not None]


def _curve(case: Case, entry: Entry) -> FailedTail | None:
    if not entry.result.summary.get("errors") or entry.rows is None:
        return None
    times = entry.rows.failed_s(float(entry.result.summary.get("warmup_s") or 0.0))
    if not len(times):
        return None
    share = 1 - np.arange(len(times)) / len(times)
    series = Series(
        "line", *thin(times, share), f"{case.label}: failed, {entry.kind}", colour(case), _DASH,
        group="failed", phrase="{y} of those that failed took {x} or longer",
    )  # fmt: skip
    ends = units.times_between(float(times[0]), float(times[-1]))
    many = units.counted(len(times), "request")
    said = f"{case.label}, {entry.kind}: {many} that failed took {ends}."
    return FailedTail(series, np.asarray(series.y), said)
