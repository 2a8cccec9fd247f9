"""Results side by side: measured, simulated and exact, as a page and as a table.

`write` makes one HTML page that works offline. `rows` and `render` make the same table for a
terminal:

    from thinktime.report import rows, write
    from thinktime.report.terminal import render
    rich.print(render(rows(results)))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.report import sharing, table
from thinktime.report.case import cases
from thinktime.report.page import write
from thinktime.report.table import Row
from thinktime.report.verdict import Verdict
from thinktime.report.verdict import verdict as verdict_of

if TYPE_CHECKING:
    from thinktime import Result


def rows(results: Sequence[Result]) -> list[Row]:
    """The table of some results, theory below those it belongs to."""
    return table.rows(cases(results))


def verdict(results: Sequence[Result]) -> Verdict:
    """What some results say, in words."""
    return verdict_of(cases(results))


def processor_sharing(result: Result) -> str | None:
    """Whether processor sharing would have been good enough, in a sentence.

    It simulates up to 200 000 requests again. None where there is no scheduler to compare with.
    """
    return sharing.sentence_of(result)


__all__ = ["Row", "Verdict", "processor_sharing", "rows", "verdict", "write"]
