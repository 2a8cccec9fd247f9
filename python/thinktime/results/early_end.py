"""The early end of a run through `stop_on_slo`: the beginning of its warning, and its detection."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime._core_types import Summary

EARLY = "ended early"
"""The beginning of the warning."""


def ended_early(summary: Summary) -> bool:
    """Whether a summary reports the early end of its run."""
    return any(one.startswith(EARLY) for one in summary.get("warnings", []))
