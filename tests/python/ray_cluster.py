"""A Ray cluster of three nodes on this machine, for tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl
import pytest

import thinktime as tt

NOTICED = {
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "5000",
    "RAY_health_check_failure_threshold": "3",
}
"""That a node is gone is noticed after three seconds; one that is only slow has five to answer."""

OURS = "THINKTIME_TESTS"
"""The mark in the environment of a cluster's processes."""


@contextmanager
def three_nodes() -> Iterator[Any]:
    """Start it, connect to it, and end it."""
    pytest.importorskip("ray", reason="Ray is not installed")
    from thinktime.distributed import connection

    for name, value in (connection.SURROUNDINGS | NOTICED).items():
        os.environ.setdefault(name, value)
    os.environ[OURS] = str(os.getpid())
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        for number in range(3):  # the first is the head
            cluster.add_node(num_cpus=1, **({} if number else {"include_dashboard": False}))
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
