"""What is true of a log: a row for each of its lines, and the facts of the whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from traffic.servers import TRUE_OF_REQUESTS

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

    def write(self, log: Path) -> None:
        """Write it beside the log: `NAME.truth.parquet` and `NAME.truth.json`."""
        self.table.write_parquet(log.with_suffix(".truth.parquet"))
        text = json.dumps(self.facts, indent=2) + "\n"
        log.with_suffix(".truth.json").write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, log: Path) -> Truth:
        """Read what was written beside the log."""
        facts = json.loads(log.with_suffix(".truth.json").read_text(encoding="utf-8"))
        return cls(pl.read_parquet(log.with_suffix(".truth.parquet")), facts)
