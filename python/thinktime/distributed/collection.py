"""Transfer the rows that a run left on the generators' machines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from thinktime import _core
from thinktime.inputs.arguments import checked
from thinktime.results.files import write_whole
from thinktime.results.node_rows import ROWS, copied, is_here, removed
from thinktime.results.remote_rows import FILE, RemoteRows, remote_rows_of
from thinktime.results.result import Result

if TYPE_CHECKING:
    from thinktime.distributed.transfer import Transfer

_PARTLY = "some"
"""The value of `run.rows` if rows are lost for ever."""


@checked
def collect(
    result: str | Path,
    *,
    on: str | None = None,
    remove: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Result:
    """Fetch the rows that a run left on its nodes, into `requests.parquet` of its directory.

    Args:
        result: The directory of the result.
        on: Work on a Ray cluster: ray for one on this machine, ray://HOST:PORT or auto for a
            running one. Rows on this machine need none.
        remove: Remove the rows on the nodes after all have been copied.
        progress: Called with the name of each generator whose rows are fetched.

    Raises:
        InputError: if the result has no rows elsewhere, or a node cannot be reached without `on`.
        RunError: if there is no such cluster, or rows that should be on a node are not there.
    """
    found = Result.load(result)
    there = remote_rows_of(found.summary)
    if found.path is None or not there:
        raise _core.InputError(f"{result}: none of its rows are on other machines")
    for one in there:
        if re.fullmatch(r"generator-\d+", Path(one.path).name) is None:
            raise _core.InputError(f"{result}: {one.path} is no folder in which a run leaves rows")
    far = [one for one in there if one.missing is None and not is_here(one.path)]
    if far and on is None:
        nodes = ", ".join(dict.fromkeys(one.node for one in far))
        raise _core.InputError(f"{result}: its rows are on {nodes}: name their Ray cluster (`on`)")
    with ExitStack() as stack:
        transfer = None if on is None else stack.enter_context(_connected(on))
        folder = Path(stack.enter_context(TemporaryDirectory(prefix=".rows-", dir=found.path)))
        files = []
        for number, one in enumerate(there):
            if progress is not None:
                progress(one.generator)
            file = folder / f"{number}.parquet"
            if _fetched(one, file, transfer):
                files.append(file)
        _merge(files, folder / ROWS)
        (folder / ROWS).replace(found.path / ROWS)
        _note(found, whole=len(files) == len(there))
        for one in there if remove else ():
            _removed(one, transfer)
    return Result.load(found.path)


def _connected(on: str) -> AbstractContextManager[Transfer]:
    from thinktime.distributed.transfer import transfer_from

    return transfer_from(on)


def _fetched(one: RemoteRows, to: Path, transfer: Transfer | None) -> bool:
    """Fetch the file of a generator; returns whether there was one. Only lost rows may be missing.

    Raises RunError if rows that should be there are missing.
    """
    try:
        if is_here(one.path):
            copied(one.path, to)
        elif transfer is not None:
            transfer.copied(one, to)
        else:
            return False
    except (OSError, _core.InputError) as error:
        if one.missing is not None:
            return False
        raise _core.RunError(f"rows of {one.generator} on {one.node}: {error}") from None
    _check_number(one, to)
    return True


def _check_number(one: RemoteRows, file: Path) -> None:
    """Raise RunError unless all left rows came, as far as their number is known."""
    import polars as pl
    from polars.exceptions import PolarsError

    try:
        came = int(pl.scan_parquet(file).select(pl.len()).collect().item())
    except (PolarsError, OSError) as error:
        raise _core.RunError(f"rows of {one.generator} on {one.node}: {error}") from None
    if one.rows is not None and came != one.rows:
        raise _core.RunError(
            f"rows of {one.generator} on {one.node}: {one.rows:,} were left, and {came:,} are there"
        )


def _removed(one: RemoteRows, transfer: Transfer | None) -> None:
    if is_here(one.path):
        removed(one.path)
    elif transfer is not None:
        with suppress(OSError):  # it was lost
            transfer.removed(one)


def _merge(files: Sequence[Path], to: Path) -> None:
    """One file of several, in the order in which attempts ended.

    Raises RunError if one is damaged.
    """
    if not files:
        raise _core.RunError("all of the rows are gone")
    import polars as pl
    from polars.exceptions import PolarsError

    try:
        rows = pl.concat([pl.scan_parquet(file) for file in files])
        ended = rows.sort("done_ns", nulls_last=True, maintain_order=True)
        ended.sink_parquet(to, compression="zstd")
    except PolarsError as error:
        raise _core.RunError(f"rows that were fetched cannot be put together: {error}") from None


def _note(result: Result, *, whole: bool) -> None:
    """Record in the result that its rows are here."""
    assert result.path is not None
    kept = result.options.get("rows", "all") if whole else _PARTLY
    run, count = re.subn(r'(?m)^rows = "none"$', f'rows = "{kept}"', result.run_toml, count=1)
    if count:
        write_whole(result.path / "run.toml", run)
    for one in result.summary["generators"]:
        one.pop("rows", None)
    text = json.dumps(result.summary, indent=2, ensure_ascii=False)
    write_whole(result.path / "summary.json", text + "\n")
    (result.path / FILE).unlink(missing_ok=True)
