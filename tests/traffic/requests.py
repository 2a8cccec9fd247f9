"""The columns that a log's reader would make from a log with a known truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
OBJECTS = ["css", "js", "map", "png", "gif", "jpg", "jpeg", "ico", "svg", "webp", "woff", "woff2"]


def columns_of(table: pl.DataFrame, facts: dict[str, Any]) -> dict[str, Any]:
    """`rows`, `paths`, `users`, `agents`, `hosts`, `resolution_s`, and `line`: each row's line in
    the truth.

    Stamps and durations are rounded down like the log's.
    """
    stamped, logged = _stamps(table, facts)
    order = np.argsort(stamped, kind="stable")
    text = table.select(pl.col("host", "address", "agent", "method", "path", "referrer").cast(str))
    text = text.with_columns(
        pl.col("path").str.split("?").list.first(),
        pl.col("referrer").str.extract(r"^(?:\w+://[^/]*)?(/[^?#]*)", 1),
        (pl.col("address") + "\n" + pl.col("agent")).alias("user"),
    )[order]
    names = {name: text[name].unique(maintain_order=True) for name in ("user", "path", "host")}
    methods = {name: n for n, name in enumerate(METHODS)}
    rows = pl.DataFrame(
        {
            "time_ns": np.round((facts["epoch"] + stamped[order]) * 1e6).astype(np.int64) * 1000,
            "duration_us": None if logged is None else np.round(logged[order] * 1e6),
            "user": _numbers(text["user"], names["user"]),
            "path": _numbers(text["path"], names["path"]),
            "referrer": _numbers(text["referrer"], names["path"]),
            "host": _numbers(text["host"], names["host"]),
            "bytes": table["bytes"][order],
            "status": table["status"][order],
            "method": text["method"].replace_strict(methods, default=len(METHODS)),
        }
    )
    kinds = [pl.Int64, *[pl.UInt32] * 6, pl.UInt16, pl.UInt8]
    both = names["user"].str.split_exact("\n", 1).struct.unnest()
    agents = both["field_1"].unique(maintain_order=True)
    address = _numbers(both["field_0"], both["field_0"].unique(maintain_order=True))
    users = {"address": address, "agent": _numbers(both["field_1"], agents)}
    ending = names["path"].str.extract(r"\.(\w+)$", 1).str.to_lowercase()
    objects = ending.is_in(OBJECTS).fill_null(False)
    return {
        "rows": rows.cast(dict(zip(rows.columns, kinds, strict=True))),
        "paths": pl.DataFrame({"path": names["path"], "object": objects}),
        "users": pl.DataFrame(users).cast(pl.UInt32),
        "agents": agents,
        "hosts": names["host"],
        "resolution_s": facts["resolution_s"],
        "line": pl.Series(order),
    }


def _stamps(table: pl.DataFrame, facts: dict[str, Any]) -> tuple[Any, Any]:
    """The arrival times of requests, and their durations (None if not logged), in seconds."""
    step, stamp, fine = (facts[name] for name in ("resolution_s", "stamp", "duration_resolution_s"))
    took = table["done"].to_numpy() - table["arrival"].to_numpy()
    logged = np.floor(took / fine) * fine if fine else None
    stamped = np.floor(table[stamp].to_numpy() / step) * step
    if stamp != "done" or logged is None:
        return stamped, logged
    # Stamps in whole seconds lose a duration in whole seconds.
    return stamped - (np.floor(logged / step) * step if step >= 1 else logged), logged


def _numbers(of: pl.Series, names: pl.Series) -> pl.Series:
    """The place of each value among the names; null for a value that is not among them."""
    places = pl.DataFrame({"it": names, "n": np.arange(len(names))})
    told = pl.DataFrame({"it": of}).join(places, on="it", how="left", maintain_order="left")
    return told["n"]
