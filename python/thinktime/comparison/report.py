"""A comparison as a report: its limits are cases."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.comparison.comparison import Comparison
from thinktime.comparison.limit import LimitFinding
from thinktime.comparison.table import notes, table
from thinktime.present.report import Case, Listing, Report, outcome_of


def report_of(
    comparison: Comparison,
    limits: Sequence[LimitFinding] = (),
    doubt: str = "",
    warnings: Sequence[str] = (),
) -> Report:
    """The report of a comparison.

    Args:
        comparison: The comparison.
        limits: The verdicts on its limits.
        doubt: Why the results are not to be trusted, if they are not.
        warnings: The problems that spoil or limit the results.
    """
    return Report(
        f"{comparison.after.label} against {comparison.before.label}",
        f"changes of {comparison.after.workload}",
        "",
        comparison.verdict,
        doubt,
        cases=[Case(one.limit.text, outcome_of(one.outcome), one.words) for one in limits],
        parts=[
            Listing("Limits", [one.words for one in limits]),
            table([comparison]),
            *notes(comparison),
        ],
        warnings=warnings,
    )
