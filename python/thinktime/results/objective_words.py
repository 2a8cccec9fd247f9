"""The objectives of a workload in words, for headlines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from thinktime._core import Workload
from thinktime.present import units

SHARES = ("errors", "checks", "goodput")
"""The objectives of shares; the others are of times."""

LEAST = ("checks", "goodput")
"""The objectives whose limit is a least value."""

_FEW = 3  # more objectives than these are not named


def words_of(workload: Workload) -> str:
    """As in `p99 ≤ 250 ms and errors ≤ 1%`; empty without objectives, or with very many."""
    phrases = _phrases(workload.tables["slo"] or {}, "")
    found = sorted(phrases, key=lambda one: one.startswith(SHARES))  # times come first
    return units.listed(found) if 0 < len(found) <= _FEW else ""


def _phrases(table: Mapping[str, Any], of: str) -> Iterator[str]:
    """Each limit; a table within the table is about one population, request or check."""
    for name, limit in table.items():
        if isinstance(limit, Mapping):
            yield from _phrases(limit, of or name)
        elif limit is not None:
            figure = of if name == "limit" else f"{of}: {name}" if of else name
            sign = "≥" if figure.startswith(LEAST) else "≤"
            yield f"{figure} {sign} {units.law(str(limit)).replace('%', ' %')}"
