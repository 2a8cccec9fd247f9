"""The answer of a tool: the verdict first, then doubts, figures, and the places of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinktime.assistants import quoting
from thinktime.present.report import Listing, Report
from thinktime.present.table import Table

ROWS_MAX = 60
"""The rows of a table; the file has all."""

LISTED_MAX = 40
"""The entries of a list or an object within the figures."""


_DOUBTS = ("Warnings", "Before you trust these numbers")
"""Lists of reports that an answer has as doubts."""


@dataclass(frozen=True)
class Answer:
    """What a tool found."""

    status: str
    """`done`, `met`, `not met`, `cannot tell` or `not to be trusted`."""

    sentence: str
    doubts: Sequence[str] = ()
    findings: Sequence[str] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    """Times are in seconds and end in `_s`, rates are a second."""

    tables: Sequence[Table] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    """Of the result and its page."""

    def as_dict(self) -> dict[str, Any]:
        """The answer for JSON, with foreign text as data."""
        doubts = _once(list(dict.fromkeys(filter(None, self.doubts))))
        return {
            "verdict": {"status": self.status, "sentence": quoting.text(self.sentence)},
            "doubts": quoting.quoted(doubts),
            "findings": quoting.quoted(list(filter(None, self.findings))),
            "figures": quoting.quoted(shortened(self.figures)),
            "tables": [quoting.quoted(_rows(one)) for one in self.tables if one.lines],
            "files": {name: str(path) for name, path in self.files.items()},
            "about": quoting.ABOUT,
        }


def of_report(
    report: Report,
    figures: Mapping[str, Any],
    files: Mapping[str, Path],
    doubts: Sequence[str] = (),
) -> Answer:
    """The answer that a command's report gives, with further doubts."""
    said = [one for one in report.parts if isinstance(one, str)]
    listed = [one for one in report.parts if isinstance(one, Listing) and one.title not in _DOUBTS]
    return Answer(
        report.status or "done",
        report.sentence or report.headline,
        [report.doubt, *report.warnings, *doubts],
        [*said, *(f"{one.title}: {line}" for one in listed for line in one.lines)],
        figures,
        report.tables,
        files,
    )


def _once(doubts: Sequence[str]) -> list[str]:
    """The doubts without those that another one says in more words."""
    bare = [one.removeprefix("not to be trusted: ") for one in doubts]
    return [
        one
        for place, one in enumerate(doubts)
        if not any(bare[place] in other for other in bare if other != bare[place])
    ]


def shortened(value: Any) -> Any:
    """Figures whose long lists and objects end early, which they say."""
    if isinstance(value, Mapping):
        kept = {name: shortened(one) for name, one in list(value.items())[:LISTED_MAX]}
        left = len(value) - len(kept)
        return kept | ({"…": f"{left} more are in the files"} if left else {})
    if isinstance(value, list | tuple):
        kept_ones = [shortened(one) for one in value[:LISTED_MAX]]
        left = len(value) - len(kept_ones)
        return kept_ones + ([f"… {left} more are in the files"] if left else [])
    return value


def _rows(table: Table) -> dict[str, Any]:
    """A table as rows of text, whose cells have their units, and intervals behind them."""
    rows = []
    for group in table.groups:
        for line in group.lines:
            cells = [" ".join(filter(None, (one.text, one.below, one.interval)))
                     for one in line.cells]  # fmt: skip
            rows.append([f"{group.title}: {line.heading}" if group.title else line.heading, *cells])
    return {
        "title": table.title,
        "columns": [table.first, *table.headings],
        "rows": rows[:ROWS_MAX],
        **({"left_out": len(rows) - ROWS_MAX} if len(rows) > ROWS_MAX else {}),
        **({"note": table.note} if table.note else {}),
    }
