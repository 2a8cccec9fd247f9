"""Workloads made by hand from the truth about a log: correct, or with one error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from traffic.requests import columns_of
from traffic.scenarios import scenario

from thinktime.learn.logs.requests import Requests

LEAD_S = 600.0
"""The length of the omitted beginning of a log: its users are still there later."""


@dataclass(frozen=True)
class Case:
    """A log's requests, and the parts of a workload made from it."""

    requests: Requests
    kinds: NDArray[np.int64]
    names: list[str]
    starts_s: NDArray[np.float64]
    """The beginnings of sessions, since 1970; including those of the omitted beginning."""

    visitors: dict[str, Any]
    begins: NDArray[np.bool_]

    def text(self, folder: Path, **changes: Any) -> str:
        """A workload that is as the log's visitors are, but for the changes; see `_TEXT`."""
        pl.DataFrame({"start_s": self.starts_s}).write_parquet(folder / "starts.parquet")
        values = {"process": "trace(starts.parquet)", "rate": None, "exponent": None} | changes
        lines = ['name = "by hand"', "[arrivals]", 'model = "partly-open"']
        lines.append(f'process = "{values["process"]}"')
        if values["rate"] is not None:
            lines.append(f"rate = {values['rate']}")
        first = _shares(self.visitors["first"])
        lines += ["[session]", f'think = "{self.visitors["think"]}"', f"first = {first}"]
        for name, kind in self.visitors["requests"].items():
            lines += ["[[request]]", f'name = "{name}"', f'get = "{_target(kind, values)}"']
            size = f"const({self.mean_bytes(name)}B)" if _fixed(kind) else kind["size"]
            lines.append(f'size = "{values.get("size", size)}"')
            lines.append(f"next = {_shares(self.visitors['matrix'][name])}")
        return "\n".join(lines) + "\n"

    def mean_bytes(self, name: str) -> int:
        """The mean size of the log's responses of a kind."""
        of = self.requests.rows["bytes"].to_numpy()[self.kinds == self.names.index(name)]
        return round(float(of.mean())) if len(of) else 0

    def poisson(self, folder: Path, **changes: Any) -> str:
        """The same with sessions that come as a Poisson process of the mean rate."""
        rate = len(self.starts_s) / (self.starts_s[-1] - self.starts_s[0])
        return self.text(folder, process="poisson", rate=rate, **changes)

    def without_durations(self) -> Case:
        """The same log without durations."""
        rows = self.requests.rows.with_columns(pl.lit(None, pl.UInt32).alias("duration_us"))
        return replace(self, requests=replace(self.requests, rows=rows))


def case(name: str, seed: int = 1, scale: float = 0.4) -> Case:
    """A scenario's log with one population, without its first ten minutes."""
    made = scenario(name, seed, scale)
    return of_truth(made.truth.table, made.truth.facts)


def of_truth(table: pl.DataFrame, facts: dict[str, Any]) -> Case:
    """The case of a log's truth."""
    columns = columns_of(table, facts)
    line = columns.pop("line").to_numpy()
    truth = table.with_row_index("line")
    begun = truth.sort("arrival").group_by("session", maintain_order=True).first()
    begun = begun.filter(pl.col("page") == 0)
    kept = columns["rows"]["time_ns"].to_numpy() * 1e-9 >= facts["epoch"] + LEAD_S
    requests = Requests(**columns)
    (visitors,) = facts["populations"].values()
    names = list(visitors["requests"])
    numbers = {kind: number for number, kind in enumerate(names)}
    kinds = table["kind"].cast(str).replace_strict(numbers).to_numpy()[line]
    first = np.zeros(len(table), np.bool_)
    first[begun["line"].to_numpy()] = True
    return Case(
        requests.only(pl.Series(kept)), kinds[kept].astype(np.int64), names,
        np.sort(begun["arrival"].to_numpy() + facts["epoch"]), visitors, first[line][kept],
    )  # fmt: skip


def _shares(of: dict[str, float]) -> str:
    return "{ " + ", ".join(f"{name} = {share}" for name, share in of.items()) + " }"


def _fixed(kind: dict[str, Any]) -> bool:
    """Whether it has one path, which is not a query."""
    return "{" not in kind["template"].partition("?")[0]


def _target(kind: dict[str, Any], values: dict[str, Any]) -> str:
    path = kind["template"].partition("?")[0]
    exponent = kind["zipf_s"] if values["exponent"] is None else values["exponent"]
    law = f"{{zipf(n={kind['paths']}, s={exponent})}}"
    for place in ("{id}", "{name}", "{uuid}"):
        path = path.replace(place, law)
    return path
