"""Pieces of work done anywhere on a cluster, and repeated if their node is lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

_RETRIES = 5
"""The number of times that a piece is repeated after the loss of its node."""


def each(
    do: Callable[..., Any], pieces: Sequence[tuple[Any, ...]], look: Callable[[], None]
) -> Iterator[tuple[int, Any]]:
    """Do each piece in a process of its own, on all cores of the cluster.

    Args:
        do: Does a piece; it is called with the piece's content.
        pieces: The content of each.
        look: Called several times a second meanwhile; its exception ends all.

    Yields:
        The place of a piece among all, and its result, in the order in which they end.

    Raises:
        What `do` raises.
    """
    for done in awaited(do, pieces):
        look()
        if done is not None:
            yield done


def awaited(
    do: Callable[..., Any],
    pieces: Sequence[tuple[Any, ...]],
    *,
    at_once: int | None = None,
) -> Generator[tuple[int, Any] | None, None, None]:
    """Like `each`, but also yields None several times a second while no piece ends.

    Args:
        do: Does a piece.
        pieces: The content of each.
        at_once: The most pieces that are in progress or wait to be taken; they come in their order.
            By default all are, and come as they end.

    Raises:
        What `do` raises.
    """
    import ray
    from ray.exceptions import RayTaskError

    remote = ray.remote(num_cpus=1, max_retries=_RETRIES, retry_exceptions=False)(do)
    waiting = deque(enumerate(pieces))
    calls: dict[Any, int] = {}
    try:
        while calls or waiting:
            while waiting and (at_once is None or len(calls) < at_once):
                place, piece = waiting.popleft()
                calls[remote.remote(*piece)] = place
            of = list(calls) if at_once is None else list(calls)[:1]
            done, _ = ray.wait(of, num_returns=1, timeout=0.1)
            if not done:
                yield None
            for call in done:
                place = calls.pop(call)
                try:
                    yield place, ray.get(call)
                except RayTaskError as error:
                    raise error.cause from None
    finally:
        for call in calls:
            ray.cancel(call, force=True)
