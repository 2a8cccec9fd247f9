"""Additions to the summary of a result after the compiled half has written it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from thinktime.results.finding import Finding

SUMMARY = "summary.json"


def notes_in(directory: Path) -> dict[str, Any]:
    """The additions to the summary of a result directory.

    They are `validity`, which older versions did not note, and the `link` of a run that crossed
    one.
    """
    try:
        said = json.loads((directory / SUMMARY).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    found: dict[str, Any] = {}
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        found["validity"] = [Finding.of(one).as_dict() for one in said["validity"]]
    if isinstance(said, dict) and isinstance(said.get("link"), dict):
        found["link"] = said["link"]
    return found
