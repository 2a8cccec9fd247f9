"""The bookstore's database: a private cluster of PostgreSQL on one core, filled with books."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from string import Template

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from postgres_cluster import USER, Database, serving

HERE = Path(__file__).parent
SETTINGS = (
    "shared_buffers=512MB", "work_mem=16MB", "max_connections=150", "synchronous_commit=off",
    "jit=off", "max_parallel_workers_per_gather=0", "autovacuum=off", "checkpoint_timeout=1h",
    "max_wal_size=4GB",
)  # fmt: skip


@dataclass(frozen=True)
class Size:
    """The size of the store."""

    books: int = 10_000
    customers: int = 144_000


SMALL = Size(books=1000, customers=3000)


@dataclass(frozen=True)
class Store:
    """A filled database, and the file of its customers."""

    database: Database
    customers: Path

    def url(self, port: int) -> str:
        """The target at a port of this machine."""
        return f"postgresql://{USER}@127.0.0.1:{port}/postgres"

    def bytes(self) -> int:
        """Its size on disk."""
        return int(self.database.sql("select pg_database_size('postgres')"))


@contextmanager
def filled(size: Size, core: int) -> Iterator[Store]:
    """A database of this size whose processes are confined to a core; it is ended by its number."""
    with serving(*SETTINGS) as database:
        assert database.process is not None
        confine(database.process.pid, core)
        text = Template((HERE / "schema.sql").read_text("utf-8"))
        database.sql(text.substitute(books=size.books, customers=size.customers))
        database.sql("vacuum analyze")
        database.sql("checkpoint")
        customers = database.directory / "customers.csv"
        rows = "\n".join(map(str, range(1, size.customers + 1)))
        customers.write_text(f"customer\n{rows}\n")
        yield Store(database, customers)


def confine(pid: int, core: int) -> None:
    """Keep a process, its children and all that they start on one core."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for one in [pid, *map(int, children)]:
        with suppress(ProcessLookupError):  # a backend whose client is gone does not matter
            os.sched_setaffinity(one, {core})
