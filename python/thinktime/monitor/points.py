"""The points of a sweep, the probes of a search, and the data of a log, as they come."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime.monitor.frames import Message, WatchedRun
from thinktime.present import units
from thinktime.present.page import Headline, Page
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime.learn.logs.overview import Overview

_REASONS = 10
"""The number of shown reasons why lines could not be read."""


def page_of(run: WatchedRun, message: Message) -> Page:
    """The page of a sweep or a search, in its state so far."""
    kind, thing = message
    if kind == "swept":
        from thinktime.sweeps.report import report_of as sweep_report

        swept, done, whole = thing
        so_far = f"{units.count(done)} of {units.counted(whole, 'point')} are done."
        if swept.table.is_empty():
            return Page(run.title, Headline(so_far), [])
        made = sweep_report(swept).page
    else:
        from thinktime.capacity_search.report import report_of as capacity_report

        so_far = f"{units.counted(len(thing.probes), 'probe')} so far."
        made = capacity_report(thing).page
    return replace(made, title=run.title, headline=Headline(so_far, [], made.headline.doubts))


def page_of_reading(run: WatchedRun, entries: int, share: float, unpacked: int) -> Page:
    """The page of logs that are being read."""
    read = f"{units.counted(entries, 'request')} read, {units.size(unpacked)}."
    over = "All is read; the workload is being learned." if share >= 1 else ""
    return Page(run.title, Headline(read, [over] if over else []), [])


def page_of_read(run: WatchedRun, glance: Overview) -> Page:
    """The page of a log that is read, while it is learned from."""
    from thinktime.learn.views.charts.arrivals import panel
    from thinktime.present.chart import Chart, Drawing, sections

    def draw(one: Overview) -> Drawing:
        return Drawing([panel("requests", one.starts_s, one.rates, one.span_s)])

    chart = Chart(
        "arrivals", "Requests over time", "The rate in each interval of the log.", draw
    )  # fmt: skip
    read = f"{units.counted(glance.requests, 'request')} in {units.seconds(glance.span_s)}."
    over = "All is read; the workload is being learned."
    refused = sum(one.count for one in glance.refused)
    doubts = [f"{units.counted(refused, 'line')} could not be read."] if refused else []
    tables = [table for table in (_read(glance), _refused(glance)) if table.lines]
    return Page(run.title, Headline(read, [over], doubts), tables, sections([chart], glance))


def _read(glance: Overview) -> Table:
    began = units.seconds(glance.busiest_s)
    found = (
        ("lines", units.count(glance.lines), ""),
        ("requests", units.count(glance.requests), ""),
        ("left out", units.count(glance.dropped) if glance.dropped else "", ""),
        ("users", units.count(glance.users), ""),
        ("busiest second", units.counted(glance.busiest, "request"), f"It began after {began}."),
    )
    lines = [Line(name, [Cell(text)], note=note) for name, text, note in found if text]
    return Table("read", "What was read", "", ("count",), [Group(lines)])


def _refused(glance: Overview) -> Table:
    lines = [
        Line(one.reason, [Cell(units.count(one.count)), Cell(Path(one.first).name)])
        for one in glance.refused[:_REASONS]
    ]
    headings = ("lines", "the first")
    return Table("refused", "Unreadable lines", "reason", headings, [Group(lines)])
