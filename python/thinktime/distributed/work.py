"""Pieces of work that are done anywhere on a cluster, and again where a node was lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

_RETRIES = 5
"""So often a piece is done again whose node was lost."""


def each(
    do: Callable[..., Any], pieces: Sequence[tuple[Any, ...]], look: Callable[[], None]
) -> Iterator[tuple[int, Any]]:
    """Do each piece in a process of its own, on all cores of the cluster.

    Args:
        do: Does a piece; it is called with what the piece is made of.
        pieces: What each is made of.
        look: Called several times a second meanwhile; what it raises ends all.

    Yields:
        The place of a piece among all, and what it came to, in the order in which they end.

    Raises:
        What `do` raises.
    """
    import ray
    from ray.exceptions import RayTaskError

    remote = ray.remote(num_cpus=1, max_retries=_RETRIES, retry_exceptions=False)(do)
    calls = {remote.remote(*piece): place for place, piece in enumerate(pieces)}
    try:
        while calls:
            look()
            done, _ = ray.wait(list(calls), num_returns=1, timeout=0.1)
            for call in done:
                place = calls.pop(call)
                try:
                    yield place, ray.get(call)
                except RayTaskError as error:
                    raise error.cause from None
    finally:
        for call in calls:
            ray.cancel(call, force=True)
