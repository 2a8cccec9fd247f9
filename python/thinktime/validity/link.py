"""`link`: whether the link that a run crossed worked to the end. For such runs alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.results.finding import DOUBTFUL, FINE, SPOILT, Finding
from thinktime.results.link import spoilt_by_link

if TYPE_CHECKING:
    from thinktime.validity.evidence import Evidence

NAME = "link"


def check(seen: Evidence) -> Finding | None:
    """The link's program ended or was stopped before the run, or was too slow for some packets."""
    link = seen.summary.get("link")
    if seen.kind != "run" or link is None:
        return None
    if (why := spoilt_by_link(seen.summary)) is not None:
        return Finding(NAME, SPOILT, why, "run it again, and leave the link's programs alone")
    ways = [way for way in (link.get("to_target"), link.get("from_target")) if way]
    if unread := sum(way.get("unread", 0) for way in ways):
        words = f"its program was too slow for {units.count(unread)} packets, which were lost"
        return Finding(NAME, DOUBTFUL, words, "keep a core free for it, or send fewer packets")
    carried = "a program" if ways else "the kernel"
    return Finding(NAME, FINE, f"{carried} carried its packets until the run ended")
