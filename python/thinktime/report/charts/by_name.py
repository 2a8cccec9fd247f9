"""The distribution of the response time by request name."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.present.chart import Chart, Drawing
from thinktime.report.case import Case, Entry
from thinktime.report.charts import distributions
from thinktime.report.charts.percentile_dots import Curve


def _draw(cases: Sequence[Case]) -> Drawing | None:
    curves = [curve for case in cases for entry in case.entries for curve in _curves(case, entry)]
    if len({name for _, _, name, _ in curves}) < 2:
        return None
    return distributions.drawing(curves)


def _curves(case: Case, entry: Entry) -> list[Curve]:
    names = entry.result.workload.request_names
    times = distributions.times_of(entry) if len(names) > 1 else None
    return [] if times is None else distributions.curves_of(case, entry, times, "name", names)


CHART = Chart(
    name="by_name",
    title="How long each kind of request takes",
    caption="The further left a curve rises or a dot lies, the sooner requests of that name are "
    "answered. Panels have scales of their own.",
    draw=_draw,
    needed=False,
)
