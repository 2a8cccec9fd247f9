"""The table of README.md."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import thinktime as tt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import marks

HEAD = ("server", "hostile client", "rate", "before", "during", "failed", "after", "failed")


def started(result: tt.Result) -> str:
    """When a run began."""
    return str(tomllib.loads(result.run_toml)["run"]["started"])


def write(page: Path, found: Sequence[dict[str, Any]]) -> None:
    """Put the table between its marks."""
    marks.put(page, lines(found))


def lines(found: Sequence[dict[str, Any]]) -> list[str]:
    """A line a cell, with what the good users saw in each part."""
    from cells import RATES

    made = ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
    for one in found:
        parts = one["parts"]
        cells = [one["server"], one["kind"], f"{RATES[one['kind']]}/s", _time(parts["before"])]
        for name in ("during", "after"):
            cells += [_time(parts[name]), f"{100 * parts[name]['failed']:.1f} %"]
        made.append("| " + " | ".join(cells) + " |")
    return made


def _time(part: dict[str, float]) -> str:
    """The 99th percentile of what was answered."""
    if part["failed"] >= 1:
        return "none"
    return f"{1000 * part['p99_s']:.1f} ms"
