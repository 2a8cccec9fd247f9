"""Rows that a run left on the generators' machines: their places, and the known facts."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime.results.files import write_whole

if TYPE_CHECKING:
    from thinktime._core_types import Summary
    from thinktime.results.result import Result

FILE = "rows.json"
"""The file of a result directory with their places."""


@dataclass(frozen=True)
class RemoteRows:
    """The rows of one generator, on its node's own disk."""

    generator: str
    """The generator's name, as in `10.0.0.7/0`."""

    node: str
    """The address of its node."""

    path: str
    """The folder there, which contains a `requests.parquet`."""

    rows: int | None
    """The number of rows; None if unknown."""

    sessions: int | None
    """The number of sessions, including those whose rows are not kept."""

    bytes: int | None
    """The length of the file."""

    missing: str | None
    """The known losses, and the reason; None without losses."""


def remote_rows_of(summary: Summary) -> list[RemoteRows]:
    """The places of the rows of a result with this summary; empty if none was left elsewhere."""
    return [
        RemoteRows(generator=one["name"], **one["rows"])
        for one in summary.get("generators") or []
        if one.get("rows")
    ]


def why_no_rows(result: Result) -> str | None:
    """Why a result lacks rows that are elsewhere, and the way to get them; None if it has all."""
    found = remote_rows_of(result.summary)
    if not found:
        return None
    nodes = ", ".join(dict.fromkeys(one.node for one in found))
    fetched = "fetch them" if result.path is None else f"`thinktime collect {result.path}`"
    return f"its rows are on the nodes that made the load ({nodes}): {fetched}"


def note(result: Result) -> None:
    """Write in a result's directory the places of its rows, if they are elsewhere.

    Its summary has the same, so a full disk spoils nothing.
    """
    found = remote_rows_of(result.summary)
    if found and result.path is not None:
        text = json.dumps({"generators": [vars(one) for one in found]}, indent=2)
        with contextlib.suppress(OSError):
            write_whole(result.path / FILE, text + "\n")


def words(found: list[RemoteRows], path: Path | None) -> str:
    """A run's message about them at its end."""
    many = sum(one.rows or 0 for one in found)
    where = ", ".join(f"{one.node}:{one.path}" for one in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    fetch = "" if path is None else f"; `thinktime collect {path}` fetches them"
    return f"{many:,} rows are on the nodes: {where}{more}{fetch}"
