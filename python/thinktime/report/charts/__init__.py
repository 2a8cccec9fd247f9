"""The charts of a report, one file each."""

from collections.abc import Sequence

from thinktime.present.chart import Chart
from thinktime.report.case import Case
from thinktime.report.charts import (
    by_name,
    by_population,
    errors,
    first_events,
    heat,
    in_system,
    lateness,
    parts,
    schedule,
    tail,
    throughput,
)

CHARTS: list[Chart[Sequence[Case]]] = [
    tail.CHART,
    first_events.CHART,
    heat.CHART,
    by_population.REQUESTS,
    by_population.PAGES,
    by_name.CHART,
    in_system.CHART,
    throughput.CHART,
    lateness.CHART,
    errors.CHART,
    parts.NAMES,
    parts.POPULATIONS,
    schedule.CHART,
]
"""In the order of the page."""

__all__ = ["CHARTS", "Chart"]
