"""Checks of the data that a result rests on, each with a verdict.

A check is a file here and a line in `checks`. It reads `Evidence`, returns `fine`, `doubtful`, `not
to be trusted` or `could not look`, and advises.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.results.files import write_whole
from thinktime.results.finding import DOUBTFUL, FINE, SPOILT, UNSEEN, Finding

if TYPE_CHECKING:
    from thinktime.results.result import Result


def validity_of(result: Result, *, of_point: bool = False) -> list[Finding]:
    """The checks' verdicts on a result: those noted when it was made, or else new ones.

    `of_point` is for a point of a sweep or search, which shows fewer percentiles.
    """
    noted = result.summary.get("validity")
    if noted is not None:
        return [Finding.of(one) for one in noted]
    if not result.summary:
        return []
    from thinktime.validity.checks import judge
    from thinktime.validity.evidence import OF_POINTS, SHOWN, of_result

    return judge(of_result(result, OF_POINTS if of_point else SHOWN))


def agreement_of(results: Sequence[Result]) -> Finding:
    """Whether several results of one workload against one server settle on the same values."""
    from thinktime.validity.agreement import agreement_of as of
    from thinktime.validity.evidence import of_result

    return of([of_result(one) for one in results])


def note(result: Result, *, of_point: bool = False) -> None:
    """Check a result that was just made, and note the verdicts in its summary.

    If the result has a directory, its `summary.json` is written anew. A full disk does no harm.
    """
    if not result.summary or "validity" in result.summary:
        return
    result.summary["validity"] = [one.as_dict() for one in validity_of(result, of_point=of_point)]
    if result.path is None:
        return
    place = result.path / "summary.json"
    with contextlib.suppress(OSError):
        write_whole(place, json.dumps(result.summary, indent=2, ensure_ascii=False) + "\n")


__all__ = [
    "DOUBTFUL", "FINE", "SPOILT", "UNSEEN", "Finding", "agreement_of", "note", "validity_of",
]  # fmt: skip
