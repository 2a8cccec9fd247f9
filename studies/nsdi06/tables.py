"""A principle of the paper with the numbers that support or correct it, as Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SUPPORTED, CORRECTED, PARTLY = "supported", "corrected", "supported in part"

Cell = float | int | str | None


@dataclass(frozen=True)
class Table:
    """Numbers in rows and columns."""

    caption: str
    header: list[str]
    rows: list[list[Cell]]

    def markdown(self) -> str:
        """As a Markdown table below its caption."""
        lines = [f"*{self.caption}*", "", _row(self.header)]
        lines.append("|---" + "|---:" * (len(self.header) - 1) + "|")
        lines += [_row([shown(cell) for cell in row]) for row in self.rows]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Principle:
    """One of the eight."""

    number: str
    claim: str
    verdict: str
    sentence: str
    tables: list[Table]

    def markdown(self) -> str:
        """As a section."""
        parts = [f"## Principle ({self.number})", f"> {self.claim}"]
        parts.append(f"**{self.verdict.capitalize()}.** {self.sentence}")
        return "\n\n".join([*parts, *(table.markdown().rstrip() for table in self.tables)]) + "\n"

    def numbers(self) -> dict[str, Any]:
        """As it is written to results.json."""
        return {
            "number": self.number,
            "claim": self.claim,
            "verdict": self.verdict,
            "sentence": self.sentence,
            "tables": [vars(table) for table in self.tables],
        }


def shown(cell: Cell) -> str:
    """A number with three digits that matter, or the words."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    size = abs(cell)
    if size >= 100:
        return f"{cell:,.0f}"
    return f"{cell:.1f}" if size >= 10 else f"{cell:.2f}"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
