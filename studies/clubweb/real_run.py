"""A run of the study by the real switch, and the simulation of the same files and seed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cells import Cell, Length, megabits, system_of, workload_of

import thinktime as tt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from listening import Listening, listening

WAITED = 0.10
"""Servers and switch that waited for a core for more than this share of the response time are late:
the share by which lateness of the generator spoils a run."""


@dataclass(frozen=True)
class _Files:
    """The files of a run, as servers and switch read them."""

    system: Path
    workload: Path


def compared(
    folder: Path, cells: Sequence[Cell], seed: int, length: Length, tries: int
) -> Iterator[tuple[Cell, dict[str, Any]]]:
    """By cell, the figures of a real run and a simulation; cells that have the same servers.

    A late run is done again, `tries` times in all.
    """
    first = _written(folder, cells[0], seed)
    command = ["serve", str(first.system), "--workload", str(first.workload)]
    alone = ([*command, "--server", str(number)] for number in range(cells[0].servers))
    with listening(*alone) as servers:
        for cell in cells:
            for attempt in range(1, tries + 1):
                found = _run(folder, cell, seed, length, servers) | {"tries": attempt}
                if found["late"] is None:
                    break
            yield cell, found | {"simulated": _simulated(cell, seed, length)}


def _written(folder: Path, cell: Cell, seed: int) -> _Files:
    files = _Files(folder / "system.toml", folder / "workload.toml")
    files.system.write_text(system_of(cell).to_toml(), encoding="utf-8")
    files.workload.write_text(workload_of(cell, seed).to_toml(), encoding="utf-8")
    return files


def _run(
    folder: Path, cell: Cell, seed: int, length: Length, servers: Sequence[Listening]
) -> dict[str, Any]:
    files = _written(folder, cell, seed)
    command = ["switch", str(files.system), "--workload", str(files.workload), f"--seed={seed}"]
    with listening([*command, *(f"--server={one.url}" for one in servers)]) as (switch,):
        pids = [switch.pid, *(one.pid for one in servers)]
        before = _waited_s(pids)
        result = tt.run(
            files.workload,
            switch.url,
            demands=files.system,
            warmup=length.warmup_s,
            duration=length.warmup_s + length.measured_s,
        )
        waited_s = _waited_s(pids) - before
    summary = result.summary
    if summary["errors"]:
        raise SystemExit(f"{cell.key}: requests failed: {summary['errors_by_kind']}")
    each_s = waited_s / len(result.requests)
    return {
        "real": _figures(result, length),
        "late": _late(result, each_s),
        "late_ms": _short(1e3 * summary["lateness_s"]["mean"]),
        "waited_ms": _short(1e3 * each_s),
    }


def _simulated(cell: Cell, seed: int, length: Length) -> dict[str, float]:
    result = tt.simulate(
        workload_of(cell, seed),
        system_of(cell),
        warmup=length.warmup_s,
        duration=length.warmup_s + length.measured_s,
        rows="all",
    )
    return _figures(result, length)


def _figures(result: tt.Result, length: Length) -> dict[str, float]:
    pages = result.summary["page_response_time_s"]
    return {
        "p90_ms": _short(1e3 * pages["p90"]),
        "mean_ms": _short(1e3 * pages["mean"]),
        "megabits": _short(megabits(result, length)),
    }


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _late(result: tt.Result, waited_s: float) -> str | None:
    """The cause of a run's lateness, if any."""
    if result.untrusted is not None:
        return result.untrusted
    share = waited_s / result.summary["response_time_s"]["mean"]
    if share > WAITED:
        return (
            f"switch and servers waited for a core for {1e3 * waited_s:.2g} ms a request, "
            f"{100 * share:.0f} % of the mean response time"
        )
    return None


def _waited_s(pids: Sequence[int]) -> float:
    """The total time so far that threads of these processes were ready, but did not run."""
    return sum(
        int((thread / "schedstat").read_text().split()[1]) / 1e9
        for pid in pids
        for thread in Path(f"/proc/{pid}/task").iterdir()
    )
