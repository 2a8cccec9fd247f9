"""What a simulation of clusters did otherwise than its reader may think, in words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from thinktime import _core
from thinktime.report import units

if TYPE_CHECKING:
    from thinktime import Result

_FAR = 0.05
"""A load that is above the one asked for by more than this share of it is far from it."""


def notes(result: Result) -> list[str]:
    """Which changes of servers happened, and the loads of stations that `--load` leaves out."""
    warmup_s, end_s = _measured(result)
    found = []
    for what, at_s in _changes(result):
        if at_s < warmup_s:
            found.append(f"{what}: before the measured time, which it lasts into")
        elif at_s <= end_s:
            after = units.seconds(at_s - warmup_s)
            found.append(f"{what}: within the measured time, {after} after its beginning")
    return found + [text for text, far in _loads(result) if not far]


def warnings(result: Result) -> list[str]:
    """Changes that never happened, and loads that are far above the one that was asked for."""
    _, end_s = _measured(result)
    found = [
        f"{what}: it never happened, because the simulation ended at {units.seconds(end_s)}"
        for what, at_s in _changes(result)
        if at_s > end_s
    ]
    return found + [text for text, far in _loads(result) if far]


def _measured(result: Result) -> tuple[float, float]:
    """When the measured time of a replication begins and ends, in seconds of its own clock."""
    summary = result.summary
    replications = len(summary.get("replication_means_s") or []) or 1
    warmup_s = float(summary.get("warmup_s") or 0.0)
    return warmup_s, warmup_s + float(summary.get("duration_s") or 0.0) / replications


def _clusters(result: Result) -> list[Mapping[str, Any]]:
    """The clusters of a simulation as its file has them."""
    if result.kind != "simulate" or not result.summary.get("clusters"):
        return []
    written = tomllib.loads(result.run_toml)
    return list(written.get("system", {}).get("cluster", []))


def _changes(result: Result) -> Iterator[tuple[str, float]]:
    """Each change in words, and when it happens in seconds."""
    for cluster in _clusters(result):
        for one in cluster.get("change", []):
            at_s = _core.Distribution(f"const({one['at']})").mean
            what = f"at {units.seconds(at_s)} {cluster['name']}/{one['server']} {one['does']}"
            yield what, at_s


def _loads(result: Result) -> Iterator[tuple[str, bool]]:
    """Stations that only misses visit, beside `--load`; and whether theirs is far above it."""
    clusters = _clusters(result)
    asked = tomllib.loads(result.run_toml).get("options", {}).get("load") if clusters else None
    if asked is None:
        return
    stations = result.summary.get("stations") or {}
    for cluster in clusters:
        for one in cluster.get("station", []):
            name = f"{cluster['name']}/{one.get('name')}"
            if "when" not in one or name not in stations:
                continue
            load = float(stations[name]["load"])
            reached = (
                f"a load of {float(asked):g} was asked for, and {name} reached "
                f"{units.number(load)}: it is left out, because only misses visit it"
            )
            yield reached, load > (1 + _FAR) * float(asked)
