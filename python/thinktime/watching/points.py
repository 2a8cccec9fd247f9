"""The points of a sweep, the probes of a search, and the lines of a log, as they come."""

from __future__ import annotations

from thinktime.report import units
from thinktime.report.page import Page, Verdict
from thinktime.watching.frames import Begun, Message


def page_of(begun: Begun, told: Message) -> Page:
    """The page of a sweep or a search, as it would be if it ended now."""
    kind, thing = told
    if kind == "swept":
        from thinktime.sweeping.page import page_of as sweep_page

        swept, done, whole = thing
        so_far = f"{units.count(done)} of {units.counted(whole, 'point')} are done."
        if swept.table.is_empty():
            return Page(begun.title, Verdict(so_far), [])
        made = sweep_page(swept.table, swept.axes, measured=swept.measured)
    else:
        from thinktime.capacity_search.page import page_of as capacity_page

        so_far = f"{units.counted(len(thing.probes), 'probe')} so far."
        made = capacity_page(thing)
    verdict = Verdict(so_far, [], made.verdict.doubts)
    return Page(begun.title, verdict, made.tables, made.sections, made.words)


def page_of_reading(begun: Begun, entries: int, share: float, unpacked: int) -> Page:
    """The page of logs that are being read."""
    read = f"{units.counted(entries, 'request')} read, {units.size(unpacked)}."
    over = "All is read; what it says is worked out." if share >= 1 else ""
    return Page(begun.title, Verdict(read, [over] if over else []), [])
