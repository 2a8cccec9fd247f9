"""Summaries in Markdown, as GitHub and GitLab show it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from thinktime.capacity_search import Capacity
from thinktime.comparison import Comparison, LimitVerdict
from thinktime.gate.cases import Suite
from thinktime.present.sanitize import in_one_line
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.present.units import sentence
from thinktime.report import failures, objectives
from thinktime.results.finding import ORDER
from thinktime.results.result import Result
from thinktime.results.verdict import Verdict

if TYPE_CHECKING:
    from thinktime.sweeps.curves import SweepCurves


_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~])")
_MORE = r" \(|; "  # before a source in brackets, or the base of percentages
_ENTITIES = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;",
    "@": "@&#8203;",  # a space of no width, without which the text would notify a user
}  # fmt: skip


def of_result(result: Result, suite: Suite, verdict: tuple[str, str]) -> str:
    """The summary of a result: its verdict in a word and a sentence, objectives and figures."""
    from thinktime.report import results
    from thinktime.report import rows as rows_of

    figures = results.table(rows_of([result])).without_empty()
    parts = [
        f"## {text(result.label)}",
        _verdict(*verdict),
        _objectives(result),
        turned(figures),
        _failures(result),
        _list("Checks", _checks(suite, result)),
        _list("Warnings", map(sentence, _warnings(result))),
        _list("Before you trust these numbers", _findings(result)),
    ]
    return _joined(parts)


def _findings(result: Result) -> Iterator[str]:
    """The verdict of each check of validity, the worst first."""
    found = sorted(result.validity, key=lambda one: ORDER.index(one.verdict))
    yield from (f"{one.verdict}: {one.words}" for one in found)


def _warnings(result: Result) -> list[str]:
    return list(result.summary.get("warnings", []))


def of_comparison(
    comparison: Comparison, outcomes: Sequence[LimitVerdict], doubts: Sequence[str]
) -> str:
    """The summary of comparisons, with intervals, and the verdict on each limit."""
    from thinktime.comparison.table import notes, table

    parts = [
        f"## {text(comparison.after.label)} against {text(comparison.before.label)}",
        f"**{text(comparison.verdict)}**",
        _list("Limits", (one.words for one in outcomes)),
        rows(table([comparison])),
        *map(text, notes(comparison)),
        _list("Warnings", map(sentence, doubts)),
    ]
    return _joined(parts)


def of_sweep(swept: SweepCurves, name: str, found: Verdict) -> str:
    """The summary of a sweep: its verdict, its changes, and a row a point."""
    from thinktime.sweeps.table import table
    from thinktime.sweeps.verdict import verdict

    said = verdict(swept)
    parts = [
        f"## {text(f'Sweep of {name}')}",
        _verdict(found.status, found.sentence),
        text(" ".join([said.headline, *said.findings])),
        rows(table(swept)) if swept.rows else "",
        _list("Warnings", said.doubts),
    ]
    return _joined(parts)


def of_capacity(capacity: Capacity, name: str, found: Verdict) -> str:
    """The summary of a search: the capacity with its interval, and a row a probe."""
    from thinktime.capacity_search.outcome import doubts_of
    from thinktime.capacity_search.table import table

    parts = [
        f"## {text(f'Capacity of {name}')}",
        _verdict(found.status, found.sentence or capacity.words),
        rows(table(capacity)) if len(capacity.probes) else "",
        _list("Warnings", map(sentence, doubts_of(capacity))),
    ]
    return _joined(parts)


def of_failure(name: str, why: str) -> str:
    """The summary of a run without a result, and why."""
    return _joined([f"## {text(name)}", _verdict("failed", why)])


def rows(table: Table) -> str:
    """A table with its rows as they are."""

    def lines() -> Iterator[Sequence[str]]:
        for group in table.groups:
            if group.title:
                yield [group.title, *("" for _ in table.headings)]
            yield from ([_name(line), *map(_cell, line.cells)] for line in group.lines)

    return _table([table.first, *table.headings], lines())


def turned(table: Table) -> str:
    """A table with its columns as rows, and rows side by side."""
    return _table(["", *map(_name, table.lines)], (
        [heading, *(_cell(line.cells[n]) for line in table.lines)]
        for n, heading in enumerate(table.headings)
    ))  # fmt: skip


def text(words: str) -> str:
    """Words in one line that Markdown shows as they are."""
    escaped = _SPECIAL.sub(r"\\\1", in_one_line(words))
    return "".join(_ENTITIES.get(letter, letter) for letter in escaped)


def _verdict(status: str, words: str) -> str:
    # Some sentences begin with the status itself.
    words = words.removeprefix(f"{status}: ")
    return f"**{status.capitalize()}**" + (f": {text(words)}" if words else "")


def _objectives(result: Result) -> str:
    lines = objectives.lines_of(result)
    return rows(objectives.table([Group(lines)])) if lines else ""


def _failures(result: Result) -> str:
    lines = failures.lines_of(result)
    if not lines:
        return ""
    answers = [_with_name(lines, place) for place, line in enumerate(lines) if line.note]
    return _joined([rows(failures.table([Group(lines)])), _list("First answers", answers)]).strip()


def _with_name(lines: Sequence[Line], place: int) -> str:
    """The note of a row; its name may stand some rows above."""
    name = next((one.name for one in reversed(lines[: place + 1]) if one.name), "")
    return f"{name}: {lines[place].note}"


def _checks(suite: Suite, result: Result) -> Iterator[str]:
    judged = set(map(objectives.name_of, result.objectives))
    for one in suite.cases:
        if one.name.startswith("check ") and one.name not in judged:
            yield f"{one.name.removeprefix('check ')}: {one.words}"


def _name(line: Line) -> str:
    return f"{line.name} ({re.split(_MORE, line.below)[0]})" if line.below else line.name


def _cell(cell: Cell) -> str:
    return f"{cell.text} ({cell.below})" if cell.below else cell.text


def _table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    ruler = ["---", *["---:"] * (len(headings) - 1)]
    written = [list(map(text, headings)), ruler, *(list(map(text, line)) for line in lines)]
    return "\n".join(f"| {' | '.join(line)} |" for line in written)


def _list(title: str, words: Iterable[str]) -> str:
    lines = [f"- {text(one)}" for one in words]
    return "\n".join([f"{title}:", "", *lines]) if lines else ""


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, parts)) + "\n"
