"""The charts of a report, one file each."""

from thinktime.report.charts import in_system, survival, throughput
from thinktime.report.charts.chart import Chart

CHARTS: list[Chart] = [survival.CHART, in_system.CHART, throughput.CHART]
"""In the order of the page."""

__all__ = ["CHARTS", "Chart"]
