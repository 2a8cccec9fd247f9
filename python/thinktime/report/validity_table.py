"""The checks of results: for terminals those in doubt, for pages and on request all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.validity import DOUBTFUL, FINE, SPOILT, UNSEEN, Finding


def table(groups: Sequence[Group]) -> Table:
    """The findings of each result's checks."""
    return Table(
        "validity", "Checks of validity", "check", ("verdict",), groups,
        "The foundation of the results: each check with its verdict, and the remedy.",
    )  # fmt: skip


def page_table(results: Sequence[tuple[str, Sequence[Finding]]]) -> Table:
    """The checks of all results of a page, each with its name: a doubt of several is one row.

    Doubts are open, the rest is folded; only why a check could not look is always visible, because
    on paper nothing can be opened.
    """
    found = [*_by_name(results, SPOILT), *_by_name(results, DOUBTFUL), *_fine(results)]
    return replace(table([Group([*found, *_unseen(results)])]), caption="")


def short_lines(found: Sequence[Finding]) -> list[Line]:
    """A line for each check in doubt, and one that counts those that are fine."""
    lines, fine = _doubted(found), _of(found, FINE)
    name = units.counted(len(fine), "other check" if lines else "check")
    return [*lines, Line(name, [Cell(FINE)])] if fine else lines


def unseen_words(found: Sequence[Finding]) -> str:
    """The checks that could not look, by name; empty if there are none."""
    names = dict.fromkeys(one.name for one in _of(found, UNSEEN))
    return f"not looked at: {', '.join(names)}" if names else ""


def line_of(one: Finding) -> Line:
    """A line of a check."""
    strong = one.verdict in (SPOILT, DOUBTFUL)
    return Line(one.name, [Cell(one.verdict, strong="text" if strong else "")], note=_words(one))


def _doubted(found: Sequence[Finding]) -> list[Line]:
    return [line_of(one) for one in _of(found, SPOILT, DOUBTFUL)]


def _by_name(results: Sequence[tuple[str, Sequence[Finding]]], verdict: str) -> list[Line]:
    """A line for each check with this verdict on some results."""
    by_name: dict[str, list[tuple[str, Finding]]] = {}
    for title, some in results:
        for one in _of(some, verdict):
            by_name.setdefault(one.name, []).append((title, one))
    return [_joined(found, len(results)) for found in by_name.values()]


def _joined(found: Sequence[tuple[str, Finding]], results: int) -> Line:
    """The line of one check on some of all results: the words are those of the first of them."""
    title, first = found[0]
    line = line_of(first)
    if results == 1:
        return line
    if len(found) == 1:
        return replace(line, note=f"{title}: {_words(first)}")
    each = [(title, _words(one)) for title, one in found]
    note = f"{len(found)} of {results} results, as in {title}: {_words(first)}"
    return replace(line, note=note, folded=each, fold="Each of them")


def _fine(results: Sequence[tuple[str, Sequence[Finding]]]) -> list[Line]:
    """A line of a result that opens its checks that are fine, or one line for all results."""
    each = [(title, fine) for title, some in results if (fine := _of(some, FINE))]
    if not each:
        return []
    names = ", ".join(dict.fromkeys(one.name for _, fine in each for one in fine))
    folded = [(one.name, _words(one)) for one in each[0][1]]
    if len(results) > 1:
        folded = [(title, f"{', '.join(one.name for one in fine)}.") for title, fine in each]
    return [Line(names, [Cell(FINE)], folded=folded)]


def _unseen(results: Sequence[tuple[str, Sequence[Finding]]]) -> list[Line]:
    """A line for all checks that could not run for one reason, whatever the result."""
    many = [one for _, some in results for one in _of(some, UNSEEN)]
    by_reason: dict[str, list[str]] = {}
    for one in many:
        names = by_reason.setdefault(_words(one), [])
        if one.name not in names:
            names.append(one.name)
    return [Line(", ".join(names), [Cell(UNSEEN)], note=why) for why, names in by_reason.items()]


def _of(found: Sequence[Finding], *verdicts: str) -> list[Finding]:
    return [one for one in found if one.verdict in verdicts]


def _words(one: Finding) -> str:
    return units.sentence(one.found) + (f" {units.sentence(one.advice)}" if one.advice else "")
