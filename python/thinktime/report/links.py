"""The traffic on the links of a result: transfers, and TCP's retransmissions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime import Result
    from thinktime._core_types import LinkFigures

HEADINGS = (
    "transfers",
    "carried",
    "connections",
    "segments",
    "sent again",
    "lost",
    "dropped",
    "timeouts",
    "load out",
    "load back",
)
"""The columns after the one that names the link."""

_CAPTION = "The traffic of the links, and the segments that TCP had to send again."
WORDS: dict[str, str] = {
    "transfers": "Requests and responses that went over a link.",
    "sent again": "Segments of TCP that were sent again because they were lost, as a share of all "
    "segments that were sent.",
    "dropped": "Packets that found the buffer before the link's rate full.",
    "timeouts": "How often a sender heard nothing until its retransmission timer ran out.",
    "load out": "The share of a link's rate that was used by requests; `load back`: by responses.",
}
"""The meanings of the table's words."""


def table(groups: Sequence[Group]) -> Table:
    """The table of some results' links."""
    return Table("links", "Links", "link", HEADINGS, groups, _CAPTION)


def lines_of(result: Result) -> list[Line]:
    """The row of each link under `HEADINGS`; empty without links."""
    return [_line(*one) for one in (result.summary.get("links") or {}).items()]


def _line(name: str, link: LinkFigures) -> Line:
    texts = [
        units.count(link["transfers"]),
        units.size(link["bytes"]),
        units.count(link["connections"]),
        units.count(link["segments"]),
        units.percent(_sent_again(link)),
        units.count(link["lost"]),
        units.count(link["dropped"]),
        units.count(link["timeouts"]),
        units.load(link["load_out"]),
        units.load(link["load_back"]),
    ]
    return Line(name, [Cell(text) for text in texts])


def sentences(result: Result) -> list[str]:
    """Each link, as in 'wan: 2,000 transfers of 50 MB in all; 1.1 % of segments sent again'."""
    return [_sentence(*one) for one in (result.summary.get("links") or {}).items()]


def _sentence(name: str, link: LinkFigures) -> str:
    segments = units.count(link["segments"])
    parts = [
        f"{units.count(link['transfers'])} transfers of {units.size(link['bytes'])} in all",
        f"{units.percent(_sent_again(link))} of {segments} segments sent again",
        units.counted(link["timeouts"], "timeout"),
    ]
    out, back = link["load_out"], link["load_back"]
    if out is not None and back is not None:
        parts.append(f"loads {units.load(out)} out, {units.load(back)} back")
    return f"{name}: {'; '.join(parts)}"


def _sent_again(link: LinkFigures) -> float:
    """The share of segments that were sent again."""
    return link["retransmissions"] / link["segments"] if link["segments"] else 0.0
