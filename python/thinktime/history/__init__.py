"""Results over time, by workload, target and commit, and the changes of their figures.

from thinktime.history import History, trends

history = History()
history.add(thinktime.Result.load("results/shop"))
for trend in trends(history.results("shop")):
    print(trend.verdict)
"""

from __future__ import annotations

from thinktime.history.store import History, HistoryEntry, id_of
from thinktime.history.trend import Shift, Trend, trends

__all__ = ["History", "HistoryEntry", "Shift", "Trend", "id_of", "trends"]
