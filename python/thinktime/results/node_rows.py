"""The handling, on a generator's machine, of the rows that it left on its disk."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from thinktime._core import InputError as InputError
from thinktime.results.recovery import leftovers, recover

ROWS = "requests.parquet"
_OWN = (ROWS, "run.toml", "summary.json", "series.parquet", "latency.hlog")
"""The files of such a folder."""


def is_here(path: str) -> bool:
    """Whether a run's folder of this name, which no other run has, is on a disk of this machine."""
    return Path(path).is_dir() or bool(leftovers(path))


def rows_of(path: str) -> Path:
    """The file of rows in a folder; after a kill it is made from the remains.

    Raises:
        FileNotFoundError: The file does not exist.
        InputError: The remains are damaged.
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
    """The next bytes of the file of rows; fewer at its end, and then none. Raises as `rows_of`."""
    with rows_of(path).open("rb") as file:
        file.seek(offset)
        return file.read(length)


def removed(path: str) -> None:
    """Remove the folder, and the run's after the last one; files that are not ours stay."""
    folder = Path(path)
    if not (folder / ROWS).is_file():
        return
    for name in _OWN:
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):  # it has other contents
        folder.rmdir()
        folder.parent.rmdir()
