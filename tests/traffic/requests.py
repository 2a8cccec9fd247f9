"""The columns that a log's reader would make of a log with a known truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
OBJECTS = ["css", "js", "map", "png", "gif", "jpg", "jpeg", "ico", "svg", "webp", "woff", "woff2"]


def columns_of(table: pl.DataFrame, facts: dict[str, Any]) -> dict[str, Any]:
    """`rows`, `paths`, `users`, `agents`, `hosts`, `resolution_s`, and `line`: of which line of
    the truth each row is.

    Stamps and durations are rounded down as the log's are.
    """
    step, stamp = facts["resolution_s"], facts["stamp"]
    took = table["done"].to_numpy() - table["arrival"].to_numpy()
    fine = facts["duration_resolution_s"]
    logged = np.floor(took / fine) * fine if fine else None
    stamped = np.floor(table[stamp].to_numpy() / step) * step
    if stamp == "done" and logged is not None:
        stamped = stamped - logged
    text = table.select(pl.col("host", "address", "agent", "method", "path", "referrer").cast(str))
    path = text["path"].str.split("?").list.first()
    referrer = text["referrer"].str.extract(r"^(?:\w+://[^/]*)?(/[^?#]*)", 1)
    order = np.argsort(stamped, kind="stable")
    names = {}

    def number(of: pl.Series, name: str) -> pl.Series:
        names[name] = of.unique(maintain_order=True)
        places = pl.DataFrame({"it": names[name], "n": np.arange(len(names[name]))})
        return pl.DataFrame({"it": of}).join(places, on="it", how="left", maintain_order="left")[
            "n"
        ]

    text, path, referrer = text[order], path[order], referrer[order]
    user = number(text["address"] + "\n" + text["agent"], "user")
    rows = pl.DataFrame(
        {
            "time_ns": np.round((facts["epoch"] + stamped[order]) * 1e6).astype(np.int64) * 1000,
            "duration_us": None if logged is None else np.round(logged[order] * 1e6),
            "user": user,
            "path": number(path, "path"),
            "referrer": pl.DataFrame({"it": referrer}).join(
                pl.DataFrame({"it": names["path"], "n": np.arange(len(names["path"]))}),
                on="it", how="left", maintain_order="left",
            )["n"],
            "host": number(text["host"], "host"),
            "bytes": table["bytes"][order],
            "status": table["status"][order],
            "method": text["method"].replace_strict(
                {name: n for n, name in enumerate(METHODS)}, default=7
            ),
        }
    )  # fmt: skip
    kinds = [pl.Int64, pl.UInt32, pl.UInt32, pl.UInt32, pl.UInt32, pl.UInt32, pl.UInt32, pl.UInt16]
    rows = rows.cast(dict(zip(rows.columns, [*kinds, pl.UInt8], strict=True)))
    both = pl.DataFrame({"user": names["user"]}).with_columns(
        pl.col("user").str.split_exact("\n", 1).struct.rename_fields(["address", "agent"])
    ).unnest("user")  # fmt: skip
    users = pl.DataFrame(
        {"address": number(both["address"], "address"), "agent": number(both["agent"], "agent")}
    ).cast(pl.UInt32)
    ending = names["path"].str.extract(r"\.(\w+)$", 1).str.to_lowercase()
    objects = ending.is_in(OBJECTS).fill_null(False)
    return {
        "rows": rows,
        "paths": pl.DataFrame({"path": names["path"], "object": objects}),
        "users": users,
        "agents": names["agent"],
        "hosts": names["host"],
        "resolution_s": step,
        "line": pl.Series(order),
    }  # fmt: skip
