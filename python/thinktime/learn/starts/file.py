"""The starts of all populations in one small file, and the lines that a workload reads them by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from thinktime.learn.starts.models import Model
from thinktime.learn.starts.population import Starts
from thinktime.results.files import write_table

NAME = "starts.parquet"
PLAIN = re.compile(r"[^A-Za-z0-9-]+")


def columns(names: list[str]) -> dict[str, str]:
    """A name for the columns of each population: letters, digits and `-`, no two alike.

    None begins with a digit, which a workload file would take for a number.
    """
    found: dict[str, str] = {}
    for name in names:
        plain = PLAIN.sub("-", name).strip("-") or "population"
        if plain[0].isdigit():
            plain = f"population-{plain}"
        one, number = plain, 2
        while one in found.values():
            one, number = f"{plain}-{number}", number + 1
        found[name] = one
    return found


def write_starts(
    path: Path,
    chosen: Mapping[str, tuple[Starts, Model]],
    named: Mapping[str, str] | None = None,
) -> None:
    """Write the data that the models of the populations, by name, need in a file.

    ``named`` has the names of `columns`, if there are populations besides the chosen ones.

    For a trace the file has its starts in microseconds from the log's beginning (`NAME_us`), for a
    changing rate its rates a second by steps (`NAME_rate`). Shorter columns end in nulls. It has no
    data of users. If no model needs a file, none is written.
    """
    series = []
    named = columns(list(chosen)) if named is None else named
    for name, (starts, model) in chosen.items():
        column = named[name]
        if model.rates is None:
            series.append(pl.Series(f"{column}_us", starts.times_ns // 1000, dtype=pl.Int64))
        elif not model.constant:
            series.append(pl.Series(f"{column}_rate", model.rates, dtype=pl.Float64))
    if series:
        longest = max(len(one) for one in series)
        table = pl.DataFrame([one.extend_constant(None, longest - len(one)) for one in series])
        write_table(path, table, compression="zstd", statistics=False)


def arrival_keys(starts: Starts, model: Model, column: str, file: str = NAME) -> dict[str, str]:
    """The keys of `[arrivals]` for a model: `process`, and `rate` and `profile` if needed.

    ``column`` is the population's by `columns`, ``file`` that of `write_starts`. Several
    populations begin at the same moment of the log, and a trace counts until the log's end: few
    starts at its beginning have no rate of their own.
    """
    if model.rates is None:
        end_us = max(round(starts.covered.span_s * 1e6), int(starts.times_ns.max()) // 1000)
        return {"process": f"trace({file}, column={column}_us, begin=0s, end={end_us / 1e6:.6f}s)"}
    keys = {"rate": f"{model.rate:.6g}/s", "process": model.process}
    if not model.constant:
        every = np.format_float_positional(model.width_s, trim="-")
        keys["profile"] = f"rates({file}, column={column}_rate, every={every}s)"
    return keys
