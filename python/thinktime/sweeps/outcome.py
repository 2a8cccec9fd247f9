"""The outcome of a sweep: one sentence and one exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.results.verdict import Verdict

if TYPE_CHECKING:
    from thinktime.sweeps.curves import SweepCurves


def outcome(swept: SweepCurves, missing: int, *, kept: bool, unwritten: str = "") -> Verdict:
    """The outcome of a sweep; objectives of its points have no bearing on it.

    Args:
        swept: The points that were finished.
        missing: How many were not, after Ctrl-C.
        kept: Whether the finished ones are kept, so that the same command resumes.
        unwritten: Why the results could not be written, if they could not.
    """
    doubts = [f"the result could not be written: {unwritten}"] if unwritten else []
    if missing:
        again = "; the same command continues with them" if kept else ""
        doubts.append(f"interrupted: {_points(missing)} missing{again}")
    if spoilt := sum(row.get("untrusted") is not None for row in swept.rows):
        doubts.append(f"of {len(swept.rows)} points {_points(spoilt)} not to be trusted")
    doubt = "; ".join(doubts)
    return Verdict("not to be trusted", doubt, doubt) if doubt else Verdict("done", "")


def _points(number: int) -> str:
    return f"{number} {'is' if number == 1 else 'are'}"
