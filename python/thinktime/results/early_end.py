"""The early end of a run through `stop_on_slo`: the beginning of its warning, and its detection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EARLY = "ended early"
"""The beginning of the warning."""


def ended_early(summary: Mapping[str, Any]) -> bool:
    """Whether a summary reports the early end of its run."""
    return any(one.startswith(EARLY) for one in summary.get("warnings", []))
