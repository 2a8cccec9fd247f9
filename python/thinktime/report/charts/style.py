"""The style of cases in charts: the colour shows the case, the line the method."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from thinktime.present import units
from thinktime.present.chart import Key
from thinktime.present.figure import DASHES, Limit
from thinktime.present.page import colour as colour_of
from thinktime.report.case import Case, Kind, Note

LONG_DASH = "14 4"


def colour(case: Case) -> str:
    """The colour of a case, the same throughout a report."""
    return colour_of(case.place)


def line(case: Case, kind: Kind, note: Note = "") -> dict[str, Any]:
    """The line of a curve: the colour shows the case, the style the method."""
    dash = LONG_DASH if note == "long" else DASHES[kind]
    return {"colour": colour(case), "dash": dash, "width": 2.0 if kind == "measured" else 1.6}


def case_keys(cases: Iterable[Case]) -> list[Key]:
    """The meanings of the colours."""
    return [Key(case.label, colour(case), group=str(case.place)) for case in cases]


def kind_keys(kinds: Iterable[tuple[Kind, Note]], cases: Sequence[Case] = ()) -> list[Key]:
    """The meanings of the line styles that occur, in the colour of the case if there is one."""
    of_one = colour(cases[0]) if len(cases) == 1 else ""
    used = {(kind, note if note == "long" else "") for kind, note in kinds}
    order: list[tuple[Kind, Note]] = [
        ("measured", ""), ("simulated", ""), ("simulated", "long"), ("exact", ""),
    ]  # fmt: skip
    return [
        Key("long simulation", of_one, LONG_DASH)
        if note == "long"
        else Key(kind, of_one, DASHES[kind])
        for kind, note in order
        if (kind, note) in used
    ]


def curve_keys(cases: Sequence[Case], kinds: Iterable[tuple[Kind, Note]]) -> list[Key]:
    """The meanings of colours and lines; none if there is one of each, which nobody confuses."""
    found = [*case_keys(cases), *kind_keys(kinds, cases)]
    return found if len(found) > 2 else []


def limits(
    cases: Iterable[Case], axis: str, of: Sequence[str | None] = (None,), prefix: str = ""
) -> Sequence[Limit]:
    """The objectives for times as lines across an axis of time, each once.

    `of` has the populations or requests that they are about, and None for those about all. Their
    names begin with `prefix`, which is empty for response times.
    """
    found = {
        (name, float(one["limit"])): None
        for case in cases
        for entry in case.entries
        for one in entry.result.summary.get("objectives") or ()
        if one["of"] in of and (name := _time_name(one["name"], prefix))
    }
    return [
        objective(at, "x" if axis == "x" else "y", f"{name} ≤ {units.seconds(at)}")
        for name, at in found
    ]


def _time_name(name: str, prefix: str) -> str:
    """`mean` or the percentile that an objective with this prefix limits; else nothing."""
    rest = name.removeprefix(prefix) if name.startswith(prefix) else ""
    return rest if re.fullmatch(r"mean|p\d.*", rest) else ""


def objective(at: float, axis: Literal["x", "y"], label: str) -> Limit:
    """An objective as a line across a figure."""
    return Limit(at, axis, label, dash="6 3", width=1.5, strong=True)
