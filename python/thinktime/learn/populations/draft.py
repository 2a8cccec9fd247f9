"""The finding of a rule on the rows that it claims, before populations are named and ordered."""

from __future__ import annotations

from dataclasses import dataclass

from thinktime.learn.populations.population import LIKELY
from thinktime.learn.populations.streams import Ints


@dataclass
class Draft:
    """A population that a rule found."""

    name: str
    """Such as `pollers`; further ones of the name get numbers."""

    kind: str
    model: str
    rows: Ints
    reason: str
    would_change: str
    confidence: str = LIKELY
    clients: int | None = None
    interval_s: float | None = None
    think: str | None = None
    programs: bool = True
