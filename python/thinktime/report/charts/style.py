"""The style of cases in charts: the colour shows the case, the line the method."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thinktime.present.chart import DASHES, Key
from thinktime.present.page import colour as colour_of
from thinktime.report.case import Case, Kind, Note

LONG_DASH = "14px,4px"


def colour(case: Case) -> str:
    """The colour of a case, the same throughout a report."""
    return colour_of(case.place)


def line(case: Case, kind: Kind, note: Note = "") -> dict[str, Any]:
    """The line of a curve: the colour shows the case, the style the method."""
    dash = LONG_DASH if note == "long" else DASHES[kind]
    return {"color": colour(case), "dash": dash, "width": 2 if kind == "measured" else 1.6}


def case_keys(cases: Iterable[Case]) -> list[Key]:
    """The meanings of the colours."""
    return [Key(case.label, colour(case), group=str(case.place)) for case in cases]


def kind_keys(kinds: Iterable[tuple[Kind, Note]]) -> list[Key]:
    """The meanings of the line styles that occur."""
    used = {(kind, note if note == "long" else "") for kind, note in kinds}
    order: list[tuple[Kind, Note]] = [
        ("measured", ""), ("simulated", ""), ("simulated", "long"), ("exact", ""),
    ]  # fmt: skip
    return [
        Key("long simulation", dash=LONG_DASH) if note == "long" else Key(kind, dash=DASHES[kind])
        for kind, note in order
        if (kind, note) in used
    ]
