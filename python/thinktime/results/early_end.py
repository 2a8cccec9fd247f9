"""The early end of a run that `stop_on_slo` ended: how its warning begins, and how it is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EARLY = "ended early"
"""How the warning begins."""


def ended_early(summary: Mapping[str, Any]) -> bool:
    """Whether a summary says that its run ended before its time."""
    return any(one.startswith(EARLY) for one in summary.get("warnings", []))
