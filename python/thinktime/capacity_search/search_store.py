"""A search whose answer is stored, and returned when Ctrl-C ends it."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from thinktime import _core
from thinktime.capacity_search.answer import Capacity, What, answer
from thinktime.capacity_search.probe import Probe
from thinktime.capacity_search.search import Search
from thinktime.operations.outcome import Unwritten
from thinktime.results.files import check_place, why_unwritten, write_table, write_whole
from thinktime.trials import Store

PROBES = "probes.parquet"
ANSWER = "capacity.json"
PAGE = "capacity.html"
POINTS = "points"
"""The folder of the probes of a search that was interrupted."""


class CapacityStopped(KeyboardInterrupt):
    """Ctrl-C ended a search.

    Attributes:
        capacity: The answer so far.
        unwritten: Why it could not be written; empty if it could.
    """

    def __init__(self, capacity: Capacity, unwritten: str = "") -> None:
        """Keep the answer so far."""
        super().__init__("interrupted")
        self.capacity = capacity
        self.unwritten = unwritten


def search_kept(
    search: Search,
    prober: Callable[[float, Store], Probe],
    named: tuple[What, str],
    output: str | Path | None,
    progress: Callable[[Probe], None] | None,
    known: Mapping[str, Any] = MappingProxyType({}),
) -> Capacity:
    """Search, and store the answer in a directory, if there is one.

    A search that Ctrl-C ended there is continued: `prober` receives the store of its probes.
    `known` are fields of the answer that do not depend on the probes.

    Raises:
        InputError: if the directory is a file, or holds other things than a capacity.
        CapacityStopped: on Ctrl-C.
        Unwritten: if the answer cannot be written; with the answer.
    """
    partial = _place(output)
    directory = None if partial is None else Path(partial.path)
    store = _store(directory, output)

    def keep_probe(probe: Probe) -> None:
        if directory is not None:  # what cannot be kept now is said at the end
            so_far = answer(search, *named, interrupted=True)
            why_unwritten(lambda: _keep(so_far, directory))
        if progress is not None:
            progress(probe)

    try:
        interrupted = _is_interrupted(lambda: search.run(lambda at: prober(at, store), keep_probe))
    finally:
        if partial is not None and not search.probes:
            partial.abandon()  # an older result is worth more than this one

    def stored() -> tuple[Capacity, str]:
        return _stored(replace(answer(search, *named, interrupted), **known), partial)

    try:
        found, why = stored()
    except KeyboardInterrupt:  # after the last probe
        interrupted = True
        found, why = stored()
    if interrupted:
        raise CapacityStopped(found, why)
    if why:
        raise Unwritten(found, why)
    if directory is not None:  # the next search measures anew
        shutil.rmtree(Path(str(output)) / POINTS, ignore_errors=True)
    return found


def _is_interrupted(work: Callable[[], None]) -> bool:
    """Work, and whether Ctrl-C ended it."""
    try:
        work()
    except KeyboardInterrupt:
        return True
    return False


def _store(directory: Path | None, output: str | Path | None) -> Store:
    """The store of the probes, with those of an interrupted search."""
    store = Store(None if directory is None else directory / POINTS)
    if directory is not None and output is not None and (Path(output) / POINTS).is_dir():
        shutil.copytree(Path(output) / POINTS, directory / POINTS, dirs_exist_ok=True)
    return store


def _stored(found: Capacity, partial: _core.Partial | None) -> tuple[Capacity, str]:
    """The answer, and why it could not be written; an empty text if it could."""
    if partial is None or not len(found.probes):
        return found, ""
    why = why_unwritten(lambda: _finish(found, partial))
    kept = why and (Path(partial.path) / PROBES).exists()
    return found, f"{why}; the probes are kept in {partial.path}" if kept else why


def _finish(found: Capacity, partial: _core.Partial) -> None:
    """Write the answer and its page, and put them in their place."""
    from thinktime.capacity_search.report import report_of
    from thinktime.present import page

    directory = Path(partial.path)
    _keep(found, directory)
    page.write(report_of(found).page, directory / PAGE)
    partial.finish()


def _place(output: str | Path | None) -> _core.Partial | None:
    """The directory in which the search stores its answer; the libraries for that are loaded."""
    # Loaded before the search: if Ctrl-C came while a library loads, nothing could be stored,
    # and numpy, once it is loaded in part, cannot be loaded again.
    import numpy as np  # noqa: F401 - loaded alone, as said above
    import polars  # noqa: F401 - the same

    if output is None:
        return None
    check_place(Path(output), ANSWER, "capacity")
    return _core.Partial(Path(output))


def _keep(found: Capacity, directory: Path) -> None:
    write_table(directory / PROBES, found.probes)
    write_whole(directory / ANSWER, json.dumps(found.to_dict(), indent=2) + "\n")


def share(given: float | str) -> float:
    """A share between 0 and 1, exclusive, as in 0.05 or `5%`.

    Raises:
        InputError: if it is not a share.
    """
    text = str(given).strip()
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 1:
        raise _core.InputError(f"`{given}` is not a precision such as 5% or 0.05")
    return value
