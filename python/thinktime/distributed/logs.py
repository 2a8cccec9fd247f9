"""Logs of several files, read on all cores of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from thinktime import _core
from thinktime.distributed.connection import Cluster, connected
from thinktime.distributed.work import awaited

_Done = TypeVar("_Done")

LogPart = Callable[[list[str]], Iterator[bytes | None]]
"""Begins to read these files, and yields the contents of each, in their order; or None while there
is nothing new."""


def read(
    logs: Sequence[str], on: str, how: dict[str, Any], read_log: Callable[[LogPart], _Done]
) -> _Done:
    """Read logs on the cluster of this name; each node must have the files under the same names.

    Args:
        logs: As the user names them.
        on: Names the cluster, as in `connected`.
        how: The way to read each file, as for `thinktime._core.read_log_file`.
        read_log: Puts them in order, and joins their contents.

    Raises:
        InputError: if there is no such cluster, or a log is one that only this process can read.
    """
    if "-" in logs:
        raise _core.InputError("on: standard input is read by this process alone: name files, "
                               "which each node must have")  # fmt: skip
    with connected(on) as cluster:

        def elsewhere(names: list[str]) -> Iterator[bytes | None]:
            pieces = [(name, how) for name in names]
            for found in awaited(_read, pieces, at_once=2 * _cores(cluster)):
                yield None if found is None else found[1]

        return read_log(elsewhere)


def _cores(cluster: Cluster) -> int:
    return max(1, int(sum(node.cores for node in cluster.nodes)))


def _read(name: str, how: dict[str, Any]) -> bytes:
    return _core.read_log_file(name, **how)
