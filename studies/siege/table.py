"""The tables of README.md and of docs/studies-siege.md, of what results.json has.

.venv/bin/python studies/siege/table.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import thinktime as tt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import marks

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "studies-siege.md"

EVE = {"syn-flood": "SYN-attack", "icmp-flood": "ICMP-flood"}
"""The paper's words about each, by name: only that it has such a module."""

SERVERS = ("nginx", "thinktime serve")
HEAD = ("server", "hostile client", "rate", "before", "during", "failed", "after", "failed")


def started(result: tt.Result) -> str:
    """When a run began."""
    return str(result.run["started"])


def write(folder: Path, found: Sequence[dict[str, Any]]) -> None:
    """Put both tables between their marks; into another folder than the study's, only the first."""
    marks.put(folder / "README.md", lines(found))
    if folder.resolve() == HERE.resolve():
        marks.put(PAGE, beside(found))


def lines(found: Sequence[dict[str, Any]]) -> list[str]:
    """A line for each cell, with the good users' times in each part."""
    from cells import RATES

    made = ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
    for one in found:
        parts = one["parts"]
        cells = [one["server"], one["kind"], f"{RATES[one['kind']]}/s", _time(parts["before"])]
        for name in ("during", "after"):
            cells += [_time(parts[name]), f"{100 * parts[name]['failed']:.1f} %"]
        made.append("| " + " | ".join(cells) + " |")
    return made


def beside(found: Sequence[dict[str, Any]]) -> list[str]:
    """A line for each hostile client: the paper's words, and the times of both servers' users."""
    head = ["hostile client", "Eve's paper"]
    for server in SERVERS:
        head += [f"{server}: before", "during", "failed"]
    made = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    by_cell = {(one["server"], one["kind"]): one["parts"] for one in found}
    for kind in dict.fromkeys(one["kind"] for one in found):
        cells = [kind, EVE.get(kind, "")]
        for server in SERVERS:
            parts = by_cell[server, kind]
            cells += [_time(parts["before"]), _time(parts["during"])]
            cells.append(f"{100 * parts['during']['failed']:.1f} %")
        made.append("| " + " | ".join(cells) + " |")
    return made


def _time(part: dict[str, float]) -> str:
    """The 99th percentile of answered requests."""
    if part["failed"] >= 1:
        return "none"
    return f"{1000 * part['p99_s']:.1f} ms"


if __name__ == "__main__":
    write(HERE, json.loads((HERE / "results.json").read_text("utf-8")))
