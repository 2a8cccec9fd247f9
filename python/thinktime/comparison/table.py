"""The table of a comparison, for terminals and pages."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.comparison import words
from thinktime.comparison.change import Change
from thinktime.comparison.comparison import Comparison
from thinktime.comparison.estimate import Missing
from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

HEADINGS = ("before", "after", "difference", "relative")


def table(comparisons: Sequence[Comparison]) -> Table:
    """A group a comparison, with a line a figure that both results have."""
    groups = []
    for place, one in enumerate(comparisons, start=1):
        lines = [_line(found, one) for found in one.changes.values() if isinstance(found, Change)]
        title = f"{one.after.label} against {one.before.label}"
        groups.append(Group(lines, title, place=place))
    return Table(
        "differences", "Differences", "figure", HEADINGS, groups,
        "Each range is a 95 % confidence interval; that of a figure without a difference has 0 in "
        "it.",
        " ".join(note for one in comparisons for note in notes(one)),
    )  # fmt: skip


def notes(comparison: Comparison) -> list[str]:
    """Notes: missing figures and why, parts taken out of intervals, and other links."""
    by_reason: dict[str, list[str]] = {}
    for name, one in comparison.changes.items():
        if isinstance(one, Missing):
            by_reason.setdefault(one.reason, []).append(name)
    found = [f"Not compared: {units.listed(names)}: {why}." for why, names in by_reason.items()]
    changes = [one for one in comparison.changes.values() if isinstance(one, Change)]
    paired = [one.figure for one in changes if one.paired]
    if paired:
        which = "" if len(paired) == len(changes) else f" of {units.listed(paired)}"
        found.append(
            "Both results had the same arrivals: their common part is taken out of the "
            f"differences{which}."
        )
    if comparison.of_itself:
        found.append("Both are the same result: nothing was compared with anything else.")
    if comparison.links is not None:
        found.append(_links(*comparison.links))
    spoilt = [one for one in changes if words.late(one)]
    found += [units.sentence(comparison.sentence(one) + words.late(one)) for one in spoilt]
    return found


def _links(before: str, after: str) -> str:
    first, second = (f"a link ({one})" if one else "no link" for one in (before, after))
    return (
        f"The first result crossed {first}, the second {second}: a difference may be that of the "
        "links."
    )


def _line(change: Change, comparison: Comparison) -> Line:
    ends = ((comparison.before, change.before), (comparison.after, change.after))
    values = [one.figures.get(change.figure, value) for one, value in ends]
    cells = [Cell(words.value(change.figure, one)) for one in values]
    # The unit of a share is in its name, so that a narrow screen has room for the difference.
    difference = words.signed_range(change).removesuffix(" percentage points")
    cells.append(Cell(difference, strong="text" if change.by_server else ""))
    cells.append(Cell(words.signed_relative(change)))
    below = "difference in percentage points" if change.figure == "errors" else ""
    return Line(change.figure, cells, below)
