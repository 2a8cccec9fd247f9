"""PostgreSQL, for tests: an independent database, in a cluster of its own.

The same as studies have, but a missing program skips the test.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

# At the end: some files of studies are called like those of tests.
sys.path.append(str(Path(__file__).resolve().parents[2] / "studies"))

import postgres_cluster
from postgres_cluster import USER, Database

__all__ = ["USER", "Database", "cluster", "program", "serving"]


def program(name: str) -> str:
    """The path of a program of PostgreSQL. Skips the test if it is not installed."""
    try:
        return postgres_cluster.program(name)
    except postgres_cluster.NotInstalledError as error:
        pytest.skip(str(error))


@contextmanager
def cluster(*, authentication: str = "trust") -> Iterator[Database]:
    """A cluster whose server is not started yet, and is stopped at the end."""
    for name in ("initdb", "postgres", "psql"):
        program(name)
    with postgres_cluster.cluster(authentication=authentication) as database:
        yield database


@contextmanager
def serving(*settings: str, authentication: str = "trust") -> Iterator[Database]:
    """A database with these settings that takes connections."""
    with cluster(authentication=authentication) as database:
        database.start(*settings)
        yield database
