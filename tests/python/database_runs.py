"""Runs against a database, for tests."""

from __future__ import annotations

import polars as pl

import thinktime as tt

HEAD = 'name = "db"\n[arrivals]\nmodel = "closed"\nclients = {}\n[session]\nthink = "0s"\n'


def workload(requests: str, clients: int = 1) -> tt.Workload:
    """Clients that ask again and again, one by one, for these requests."""
    return tt.Workload(HEAD.format(clients) + requests, "w.toml")


def rows(result: tt.Result) -> pl.DataFrame:
    assert result.requests is not None
    return pl.DataFrame(result.requests)
