"""Reading logs into columns, without the libraries for learning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime import _core
from thinktime.results.remote_rows import FILE as ROWS_THERE

if TYPE_CHECKING:
    from thinktime import distributed

Progress = Callable[[int, float, int], None]
"""Called with the entries read, the share of the logs read (0 if unknown), and bytes unpacked."""

ROWS = "requests.parquet"
"""The file of a result's folder that is read."""


@dataclass(frozen=True)
class Read:
    """Logs that were read."""

    names: list[str]
    """The files, as they were given or found."""

    raw: dict[str, Any] = field(repr=False)
    """The result of `thinktime._core.read_log`."""

    how: dict[str, Any]
    """The options of reading."""


def read(
    logs: Sequence[str | Path],
    *,
    on: str | None = None,
    follow: bool = False,
    progress: Progress | None = None,
    **how: Any,
) -> Read:
    """Read logs, on the cluster `on` if one is named; ``how`` as for `thinktime._core.read_log`.

    Raises InputError if a log cannot be read.
    """
    names = [file_of(log) for log in logs]
    return Read(names, _raw(names, on, follow, progress, how), how)


def _raw(
    names: list[str], on: str | None, follow: bool, progress: Progress | None, how: dict[str, Any]
) -> dict[str, Any]:
    if on is None:
        return _core.read_log(names, follow=follow, progress=progress, **how)
    if follow:
        raise _core.InputError("on: a log that grows is read by this process alone")
    from thinktime.distributed import read as read_there

    def read_log(elsewhere: distributed.LogPart) -> dict[str, Any]:
        return _core.read_log(names, progress=progress, elsewhere=elsewhere, **how)

    return read_there(names, on, how, read_log)


def file_of(log: str | Path) -> str:
    """The file to read: for an own result of Thinktime, its rows.

    Raises InputError if these are elsewhere, or were not kept.
    """
    if (Path(log) / ROWS_THERE).is_file():
        raise _core.InputError(f"{log}: its rows are on the nodes that made the load: `thinktime "
                               f"collect {log}` fetches them")  # fmt: skip
    rows = Path(log) / ROWS
    file = rows if rows.is_file() else Path(log)
    if file.name == ROWS and _without_rows(file):
        raise _core.InputError(
            f"{log}: the result has no rows to learn from: `--rows all` keeps them, with `-o DIR`"
        )
    return str(rows) if rows.is_file() else str(log)


def _without_rows(file: Path) -> bool:
    import polars as pl
    from polars.exceptions import PolarsError

    try:
        return int(pl.scan_parquet(file).select(pl.len()).collect().item()) == 0
    except (PolarsError, OSError):  # the reader reports the error
        return False
