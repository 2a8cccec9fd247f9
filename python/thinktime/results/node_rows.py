"""What is done on a machine with the rows that a generator left on its disk."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from thinktime._core import InputError as InputError
from thinktime.results.recovery import left_behind, recover

ROWS = "requests.parquet"
_OWN = (ROWS, "run.toml", "summary.json", "series.parquet", "latency.hlog")
"""The files of such a folder."""


def is_here(path: str) -> bool:
    """Whether a run's folder of this name, which no other run has, is on a disk of this machine."""
    return Path(path).is_dir() or bool(left_behind(path))


def rows_of(path: str) -> Path:
    """The file of rows in a folder; of a generator that was killed it is made of what there is.

    Raises:
        FileNotFoundError: if there is none.
        InputError: if what there is is damaged.
    """
    file = Path(path) / ROWS
    if not file.is_file():
        recover(path)
    if not file.is_file():
        raise FileNotFoundError(f"there is no {file}")
    return file


def copied(path: str, to: Path) -> None:
    """Copy the file of rows. Raises as `rows_of`."""
    shutil.copyfile(rows_of(path), to)


def piece(path: str, offset: int, length: int) -> bytes:
    """So many bytes of the file of rows; fewer at its end, and then none. Raises as `rows_of`."""
    with rows_of(path).open("rb") as file:
        file.seek(offset)
        return file.read(length)


def removed(path: str) -> None:
    """Remove the folder, and the run's when it was the last one; files that are not ours stay."""
    folder = Path(path)
    if not (folder / ROWS).is_file():
        return
    for name in _OWN:
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):  # it holds something else
        folder.rmdir()
        folder.parent.rmdir()
