"""The paths of packets from host to host."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable


def ways(host: str, links: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By each host that can be reached from this one, the next neighbour, by fewest links."""
    neighbours: dict[str, list[str]] = {}
    for one, other in links:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    found: dict[str, str] = {}
    waiting = deque((other, other) for other in neighbours.get(host, []))
    while waiting:
        at, first = waiting.popleft()
        if at == host or at in found:
            continue
        found[at] = first
        waiting.extend((other, first) for other in neighbours[at])
    return found
