"""A Ray cluster of three nodes on this machine, for tests.

Its start takes as long as ten tests. So all tests of a process share one, which conftest.py ends
once no more of them follow.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
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


_life = ExitStack()
_shared: list[tuple[Any, Path]] = []


def shared() -> Any:
    """The cluster of this process, with three nodes again if a test has removed one."""
    if not _shared:
        _shared.append(_life.enter_context(_three_nodes()))
    cluster, _ = _shared[0]
    while len(cluster.list_all_nodes()) < 3:
        cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    return cluster


def temporary() -> Path:
    """The folder of temporary files on the nodes of the shared cluster."""
    return _shared[0][1]


def end() -> None:
    """End the shared cluster, if there is one."""
    _life.close()
    _shared.clear()


@contextmanager
def _three_nodes() -> Iterator[tuple[Any, Path]]:
    """Start it, connect to it, and end it."""
    pytest.importorskip("ray", reason="Ray is not installed")
    from thinktime.distributed import connection

    for name, value in (connection.SURROUNDINGS | NOTICED).items():
        os.environ.setdefault(name, value)
    os.environ[OURS] = str(os.getpid())
    import ray
    from ray.cluster_utils import Cluster

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as surroundings:
        surroundings.setenv("TMPDIR", folder)
        surroundings.setenv("RAY_TMPDIR", "/tmp")
        cluster = Cluster()
        try:
            for number in range(3):  # the first is the head
                cluster.add_node(num_cpus=1, **({} if number else {"include_dashboard": False}))
            ray.init(address=cluster.address, logging_level="error", log_to_driver=False)
            cluster.wait_for_nodes()
            yield cluster, Path(folder)
        finally:
            ray.shutdown()
            cluster.shutdown()


def frame(result: tt.Result) -> pl.DataFrame:
    """The rows of a result."""
    assert result.requests is not None
    return pl.DataFrame(result.requests)
