"""Files fetched from the nodes of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinktime.distributed.connection import Cluster, connected
from thinktime.results import node_rows
from thinktime.results.remote_rows import RemoteRows

_PIECE = 32 * 2**20
"""The size of one piece in bytes."""

_ANSWER_S = 120.0
"""The time that a node may take for a piece."""


@dataclass(frozen=True)
class Transfer:
    """Fetches files from nodes, identified by their addresses."""

    cluster: Cluster

    def copied(self, one: RemoteRows, to: Path) -> None:
        """Copy the rows of a generator.

        Raises:
            OSError: The node or the file is not there.
            InputError: The file is damaged.
        """
        with to.open("wb") as file:
            while content := self._done(one.node, node_rows.piece, one.path, file.tell(), _PIECE):
                file.write(content)

    def removed(self, one: RemoteRows) -> None:
        """Remove them from the node."""
        self._done(one.node, node_rows.removed, one.path)

    def _done(self, address: str, do: Callable[..., Any], *given: object) -> Any:
        """The result of a function on the node."""
        import ray
        from ray.exceptions import RayError
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        found = [node for node in self.cluster.nodes if node.address == address]
        if not found:
            raise OSError(f"there is no node {address} in the cluster")
        where = NodeAffinitySchedulingStrategy(found[0].id, soft=False)
        remote = ray.remote(num_cpus=0, scheduling_strategy=where)(do)
        try:
            return ray.get(remote.remote(*given), timeout=_ANSWER_S)
        except RayError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, OSError | node_rows.InputError):
                raise cause from None
            raise OSError(f"the node {address} does not answer: {type(error).__name__}") from None


@contextmanager
def transfer_from(on: str) -> Iterator[Transfer]:
    """Fetch from the nodes of this cluster. Raises as `connected`."""
    with connected(on) as cluster:
        yield Transfer(cluster)
