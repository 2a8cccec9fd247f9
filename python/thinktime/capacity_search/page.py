"""The page of a capacity: the value that the server sustains, the probes, and their margins."""

from __future__ import annotations

from pathlib import Path

from thinktime.capacity_search.answer import Capacity, requests_told
from thinktime.capacity_search.charts import CHARTS
from thinktime.capacity_search.outcome import doubts_of
from thinktime.capacity_search.table import table
from thinktime.present import page, units
from thinktime.present.chart import sections
from thinktime.present.page import Page, Verdict

WORDS = {
    "probe": "A run or a simulation at one value, judged by the workload's objectives (SLO).",
    "measured / allowed": "The value of the worst objective over its limit: above 1 it is not "
    "met. Its 95 % confidence interval follows, as ± or by its ends; if that contains 1, the "
    "probe does not decide.",
    "all figures": "The files probes.parquet and capacity.json beside this page have them.",
}


def write(found: Capacity, path: Path) -> None:
    """Write the page."""
    page.write(page_of(found), path)


def page_of(found: Capacity) -> Page:
    """The page."""
    tables = [table(found)] if len(found.probes) else []
    verdict = Verdict(_headline(found), [], [units.sentence(one) for one in doubts_of(found)])
    return Page("Capacity", verdict, tables, sections(CHARTS, found), WORDS)


def _headline(found: Capacity) -> str:
    if not found.value or found.verdict == "too short":
        return units.sentence(found.words)
    limit = "at least " if found.high is None else ""
    told = requests_told(found.unit, found.throughput)
    value = f"{limit}{units.amount(found.value, found.unit)}{told and f', {told},'}"
    if found.low is None or found.high is None:
        return f"The server sustains {value} within the SLO."
    low, high = units.amount(found.low), units.amount(found.high)
    return f"The server sustains {value} within the SLO (95 % interval {low} to {high})."
