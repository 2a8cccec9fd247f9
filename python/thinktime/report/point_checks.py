"""Checks of the points of a sweep, or of a search's probes, from rows of a table.

A row has `validity`, the finding of each check, and `untrusted`, why the point is not to be
trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thinktime.present import units
from thinktime.present.table import Cell
from thinktime.results.finding import DOUBTFUL, FINE, SPOILT, UNSEEN, Finding

Row = Mapping[str, Any]

_POINTS_NAMED = 3


def doubtful_checks(row: Row) -> list[Finding]:
    """The checks of a row that are in doubt, first those that spoil it."""
    found = _findings(row)
    return [one for word in (SPOILT, DOUBTFUL) for one in found if one.verdict == word]


def cell(row: Row) -> Cell:
    """The worst verdict, and below it its checks if it is a doubt.

    Empty if the row has no checks, as in an older version.
    """
    found = _findings(row)
    verdicts = {one.verdict for one in found}
    if row.get("untrusted"):
        verdicts.add(SPOILT)
    # A check that could not examine its data is left out if another one could.
    for word in (SPOILT, DOUBTFUL):
        if word in verdicts:
            return Cell(word, ", ".join(one.name for one in found if one.verdict == word), "text")
    return Cell(next((word for word in (FINE, UNSEEN) if word in verdicts), ""))


def words(row: Row) -> str:
    """The checks in doubt, as in 'doubtful: load, percentiles'; empty without doubts."""
    one = cell(row)
    return f"{one.text}: {one.below}" if one.strong and one.below else ""


def sentences(places: Iterable[tuple[str, Row]]) -> list[str]:
    """A sentence for each check that is in doubt anywhere: the places, the finding, and the advice.

    Args:
        places: Each row with where it lies, as in 'load 0.9'.
    """
    by_check: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for place, row in places:
        for one in doubtful_checks(row):
            # The reason why a point is not to be trusted is reported separately.
            if one.found not in (row.get("untrusted") or ""):
                by_check.setdefault((one.verdict, one.name), []).append((place, one))
    return [_sentence(found) for found in by_check.values()]


def at(places: Sequence[str]) -> str:
    """As in 'at load 0.1; load 0.2', or of many '5 points, the first of them at load 0.1'."""
    if len(places) > _POINTS_NAMED:
        return f"{len(places)} points, the first of them at {places[0]}"
    return f"at {'; '.join(places)}"


def reasons(found: Iterable[tuple[str, str]]) -> list[str]:
    """A sentence for each reason, with all its places; `found` are reasons and places."""
    by_reason: dict[str, list[str]] = {}
    for reason, place in found:
        by_reason.setdefault(reason, []).append(place)
    return [units.sentence(f"{at(places)}: {reason}") for reason, places in by_reason.items()]


def untrusted(places: Iterable[tuple[str, Row]]) -> list[str]:
    """A sentence for each reason why rows are not to be trusted; each row has its place."""
    spoilt = ((row.get("untrusted"), place) for place, row in places)
    return reasons((f"not to be trusted: {why}", place) for why, place in spoilt if why)


def _sentence(found: Sequence[tuple[str, Finding]]) -> str:
    _, first = found[0]
    advice = f"; {first.advice}" if first.advice else ""
    where = "" if len(found) == 1 else "at the first of them "
    what = f"{first.verdict}, {first.name}: {where}{first.found}{advice}"
    return units.sentence(f"{at([place for place, _ in found])}: {what}")


def _findings(row: Row) -> list[Finding]:
    return [Finding.of(one) for one in row.get("validity") or ()]
