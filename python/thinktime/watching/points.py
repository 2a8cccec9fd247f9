"""The points of a sweep, the probes of a search, and the lines of a log, as they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from thinktime.report import doubted, units
from thinktime.report.page import Page, Verdict
from thinktime.report.table import Group, Table
from thinktime.validity import DOUBTFUL, FINE, SPOILT, Finding
from thinktime.watching.frames import Begun, Message

SO_FAR = "What checks say so far; the report at the end has more of them."


def _trust(rows: Sequence[Any], spoilt: Sequence[str], what: str) -> Table:
    """Whether the points of a sweep, or the probes of a search, are to be trusted so far."""
    many = units.counted(len(rows), what)
    if not spoilt:
        finding = Finding("trust", FINE, f"nothing speaks against {many}")
    else:
        word = SPOILT if what == "point" else DOUBTFUL
        why = "; ".join(dict.fromkeys(spoilt))
        finding = Finding("trust", word, f"{units.count(len(spoilt))} of {many}: {why}")
    return replace(doubted.table([Group([doubted.line_of(finding)])]), caption=SO_FAR)


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
        why = [str(row["untrusted"]) for row in swept.rows if row.get("untrusted")]
        trust = _trust(swept.rows, why, "point")
    else:
        from thinktime.capacity_search.page import page_of as capacity_page

        so_far = f"{units.counted(len(thing.probes), 'probe')} so far."
        made = capacity_page(thing)
        probes = thing.probes.to_dicts()
        trust = _trust(probes, [str(one["why"]) for one in probes if one.get("generator")], "probe")
    verdict = Verdict(so_far, [], made.verdict.doubts)
    return Page(begun.title, verdict, [*made.tables, trust], made.sections, made.words)


def page_of_reading(begun: Begun, entries: int, share: float, unpacked: int) -> Page:
    """The page of logs that are being read."""
    read = f"{units.counted(entries, 'request')} read, {units.size(unpacked)}."
    over = "All is read; what it says is worked out." if share >= 1 else ""
    return Page(begun.title, Verdict(read, [over] if over else []), [])
