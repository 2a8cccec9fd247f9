"""The charts of the result, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.learn.views.charts import arrivals, fidelity, models, timeout, values
from thinktime.present.chart import Chart

if TYPE_CHECKING:
    from thinktime.learn import Learned

CHARTS: list[Chart[Learned]] = [
    models.CHART,
    values.CHART,
    arrivals.CHART,
    timeout.CHART,
    fidelity.CHART,
]
"""Charts in the order of the page."""
