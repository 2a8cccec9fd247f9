"""The traffic on the links of a result: transfers, and TCP's retransmissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.present.table import Cell, Line

if TYPE_CHECKING:
    from thinktime import Result

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

WORDS: dict[str, str] = {
    "transfers": "Requests and responses that went over a link.",
    "sent again": "Segments of TCP that were sent again because they were lost, as a share of all "
    "segments that were sent.",
    "dropped": "Packets that found the buffer before the link's rate full.",
    "timeouts": "How often a sender heard nothing until its retransmission timer ran out.",
    "load out": "The share of a link's rate that was used by requests; `load back`: by responses.",
}
"""The meanings of the table's words."""


@dataclass(frozen=True)
class LinkFigures:
    """One link over the measured time; all but the loads are counts."""

    name: str
    transfers: int
    bytes: int
    """The content of the transfers, without headers."""

    connections: int
    segments: int
    retransmissions: int
    lost: int
    dropped: int
    timeouts: int
    load_out: float | None
    """The used share of the rate from clients to servers; None without a rate."""

    load_back: float | None

    @property
    def sent_again(self) -> float:
        """The share of segments that were sent again."""
        return self.retransmissions / self.segments if self.segments else 0.0

    @property
    def line(self) -> Line:
        """The row under `HEADINGS`."""
        texts = [
            units.count(self.transfers),
            units.size(self.bytes),
            units.count(self.connections),
            units.count(self.segments),
            units.percent(self.sent_again),
            units.count(self.lost),
            units.count(self.dropped),
            units.count(self.timeouts),
            units.load(self.load_out),
            units.load(self.load_back),
        ]
        return Line(self.name, [Cell(text) for text in texts])

    @property
    def words(self) -> str:
        """One line, as in 'wan: 2,000 transfers of 50 MB in all; 1.1 % of segments sent again'."""
        parts = [
            f"{units.count(self.transfers)} transfers of {units.size(self.bytes)} in all",
            f"{units.percent(self.sent_again)} of {units.count(self.segments)} segments sent again",
            units.counted(self.timeouts, "timeout"),
        ]
        if self.load_out is not None and self.load_back is not None:
            parts.append(
                f"loads {units.load(self.load_out)} out, {units.load(self.load_back)} back"
            )
        return f"{self.name}: {'; '.join(parts)}"


def figures_of(result: Result) -> list[LinkFigures]:
    """The links of a result by name; empty without links."""
    found: Mapping[str, Mapping[str, Any]] = result.summary.get("links") or {}
    return [LinkFigures(name=name, **table) for name, table in found.items()]
