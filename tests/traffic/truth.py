"""What is true of a log: a row for each of its lines, and the facts of the whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from traffic.servers import TRUE_OF_REQUESTS
from traffic.site import END

COLUMNS = ["arrival", "done", *TRUE_OF_REQUESTS, "status", "bytes"]
"""See README.md for their meanings."""

NAMES = ["population", "role", "kind", "host", "address", "agent", "method"]


@dataclass(frozen=True)
class Truth:
    """The truth of one log."""

    table: pl.DataFrame
    """One row for each line of the log, in its order."""

    facts: dict[str, Any]
    """Of the whole, and of each population; see README.md."""

    @classmethod
    def of(cls, rows: list[tuple[Any, ...]], facts: dict[str, Any]) -> Truth:
        """From the rows of a world, in the order of completion."""
        columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
        table = pl.DataFrame({name: list(values) for name, values in columns.items()})
        table = table.with_columns(pl.col(name).cast(pl.Categorical) for name in NAMES)
        facts = facts | {"lines": table.height}
        for name, of_population in facts["populations"].items():
            own = table.filter(pl.col("population") == name)
            of_population |= {
                "lines": own.height,
                "share": own.height / table.height,
                "users": own["user"].n_unique(),
                "sessions": own["session"].n_unique(),
                "retry_lines": own.filter(pl.col("retry") > 0).height,
                "work_s": float(own["demand"].sum()),
            }
        return cls(table, facts)

    def column(self, name: str) -> Any:
        """One column as a numpy array."""
        return self.table[name].to_numpy()

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries."""
        return self.table.iter_rows(named=True)

    def sessions(self, population: str) -> pl.DataFrame:
        """Each session of a population: its user, `begin`, `end`, and how many lines and pages.

        The columns are `session`, `user`, `begin`, `end`, `lines` and `pages`, in the order of
        `begin`. Of sessions that began before the log or ended after it, only a part is there.
        """
        own = self.table.filter(pl.col("population") == population)
        told = own.group_by("session").agg(
            pl.col("user").first(),
            pl.col("arrival").min().alias("begin"),
            pl.col("done").max().alias("end"),
            pl.len().alias("lines"),
            pl.col("page").n_unique().alias("pages"),
        )
        return told.sort("begin", "session")

    def transitions(self, population: str) -> dict[tuple[str, str], int]:
        """How often one kind of page came after another in a tab, by (from, to).

        After the last page of a tab comes `end`, even if the log ends before the session.
        """
        first = (pl.col("population") == population) & (pl.col("role") == "page")
        pages = self.table.filter(first & (pl.col("retry") == 0)).sort("session", "tab", "page")
        kind = pl.col("kind").cast(pl.String)
        after = kind.shift(-1).over("session", "tab").fill_null(END)
        counts = pages.select(kind, after.alias("after")).group_by("kind", "after").len()
        return {(kind, after): count for kind, after, count in counts.rows()}

    def inseparable(self) -> float:
        """The share of lines on the wrong side if each address with its agent had one population.

        Nobody who tells users by these two alone can do better.
        """
        sizes = self.table.group_by("address", "agent", "population").len()
        right = sizes.group_by("address", "agent").agg(pl.col("len").max())["len"].sum()
        return 1 - right / self.table.height

    def write(self, log: Path) -> None:
        """Write it beside the log: `NAME.truth.parquet` and `NAME.truth.json`."""
        self.table.write_parquet(log.with_suffix(".truth.parquet"))
        text = json.dumps(self.facts, indent=2) + "\n"
        log.with_suffix(".truth.json").write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, log: Path) -> Truth:
        """Read the truth beside the log."""
        facts = json.loads(log.with_suffix(".truth.json").read_text(encoding="utf-8"))
        return cls(pl.read_parquet(log.with_suffix(".truth.parquet")), facts)
