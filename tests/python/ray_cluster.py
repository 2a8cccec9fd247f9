"""A Ray cluster of three nodes on this machine, for tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl
import pytest

import thinktime as tt


@contextmanager
def three_nodes() -> Iterator[Any]:
    """Start it, connect to it, and end it; nobody beyond this machine can reach it."""
    pytest.importorskip("ray", reason="Ray is not installed")
    from thinktime.distributed import connection

    for name, value in connection.SURROUNDINGS.items():
        os.environ.setdefault(name, value)
    import ray
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    try:
        for _ in range(2):
            cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, logging_level="error", log_to_driver=False)
        cluster.wait_for_nodes()
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def frame(result: tt.Result) -> pl.DataFrame:
    """The rows of a result."""
    assert result.requests is not None
    return pl.DataFrame(result.requests)
