"""Results that doubt themselves: checks of what a result rests on, each with a verdict.

A check is a file here and a line in `checks`. It looks at `Evidence`, and says `fine`, `doubtful`,
`not to be trusted` or `could not look`, and what to do.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.results.files import write_whole
from thinktime.results.finding import DOUBTFUL, FINE, SPOILT, UNSEEN, Finding
from thinktime.results.summary_notes import SUMMARY

if TYPE_CHECKING:
    from thinktime.results.result import Result


def validity_of(result: Result, *, of_point: bool = False) -> list[Finding]:
    """What the checks say of a result: as it was noted when it was made, else looked at now.

    `of_point` is for a point of a sweep or search, of which fewer percentiles are shown.
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
    """Look at a result that was just made, and note what was found in its summary.

    Where it has a directory, `summary.json` there says it, too. A disk that is full spoils nothing.
    """
    if not result.summary or "validity" in result.summary:
        return
    result.summary["validity"] = [one.as_dict() for one in validity_of(result, of_point=of_point)]
    if result.path is None:
        return
    place = result.path / SUMMARY
    with contextlib.suppress(OSError):
        write_whole(place, json.dumps(result.summary, indent=2, ensure_ascii=False) + "\n")


__all__ = [
    "DOUBTFUL", "FINE", "SPOILT", "UNSEEN", "Finding", "agreement_of", "note", "validity_of",
]  # fmt: skip
