"""A table of a result, in the forms in which other libraries take one."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from thinktime import _core

if TYPE_CHECKING:
    import polars as pl


class Table:
    """A table of a result, such as its rows.

    `polars.DataFrame(table)`, `pyarrow.table(table)` and duckdb read it without a copy, by the
    Arrow PyCapsule interface. `pandas.DataFrame(table)` takes it row by row; for millions of rows
    `pandas.DataFrame(table.to_dict())` is several times as fast.
    """

    def __init__(self, compiled: _core.Table) -> None:
        """Wrap the compiled half's table; users get tables from results."""
        self._compiled = compiled

    @property
    def column_names(self) -> list[str]:
        """The names of its columns."""
        return self._compiled.column_names

    def to_dict(self) -> dict[str, Any]:
        """Its columns as numpy arrays, by name; a number that is missing is NaN, a text None."""
        return {column.name: column.to_numpy() for column in self._frame().iter_columns()}

    def _frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame(self._compiled)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._compiled)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Its rows as named tuples."""
        row = namedtuple("Row", self.column_names)  # type: ignore[misc] # the names are data
        return map(row._make, self._frame().iter_rows())

    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any:
        """The table for readers of Arrow."""
        return self._compiled.__arrow_c_stream__(requested_schema)
