"""The table and the figures of the real runs, beside the simulation of the same files and seeds."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import plan
from cells import MANY, PUBLISHED, Cell, Length
from order import ratio
from tables import TITLES, table, urls

Found = Mapping[str, Mapping[str, Any]]

SYSTEMS = ("cpu", "disk")
SPREADS = (plan.ONE, MANY)
WAYS = ("real", "simulated")


def wanted() -> list[Cell]:
    """The cells, those after one another that have the same servers."""
    return [
        plan.at_load(system, dispatch, load, programs)
        for system in SYSTEMS
        for programs in SPREADS
        for load in plan.LOADS
        for dispatch in ("cap", PUBLISHED)
    ]


def name(cell: Cell, seed: int) -> str:
    """The name of a run in real.json."""
    return f"{cell.key} | seed {seed}"


def said(length: Length) -> dict[str, Any]:
    """The length, as in real.json; there may be more runs later."""
    return {key: value for key, value in asdict(length).items() if key != "runs"}


def show(folder: Path, found: Found, length: Length) -> None:
    """Write table and figures."""
    (folder / "figures").mkdir(exist_ok=True)
    (folder / "real.md").write_text(text(found, length), encoding="utf-8")
    for system in SYSTEMS:
        _figure(folder / "figures" / f"real-{system}.svg", found, length, system)


def text(found: Found, length: Length) -> str:
    """All tables."""
    late = sum(one["late"] is not None for one in found.values())
    again = sum(one["tries"] > 1 for one in found.values())
    lines = [_line(found, length, *of) for of in _groups()]
    return (
        "# ClubWeb: the real switch\n\nThe 90th percentile of page response time in ms and the "
        "throughput in Mb/s, by the real switch before seven processes that model a server each, "
        f"and simulated. Runs of {length.measured_s:g} s after {length.warmup_s:g} s, means over "
        "the seeds; ratios are those of geometric means, with 95 % intervals of runs in pairs on "
        f"the same seeds.\n\nOf {len(found)} real runs {again} were done again, and {late} came "
        f"late all the same; those are left out.\n\n{_lateness(found)}\n\n{_together(found)}\n\n"
        + table(_HEADINGS, [line[:10] for line in lines])
        + "\nThroughput, and how far what is real is from what is simulated: the ratio of the two "
        "on the same seeds.\n\n"
        + table(_FLOW_HEADINGS, [[*line[:3], *line[10:]] for line in lines])
    )


_HEADINGS = ["", "URLs", "load", "pairs", "CAP, real", "simulated", "LARD, real", "simulated",
             "LARD / CAP, faster, real", "simulated"]  # fmt: skip
_FLOW_HEADINGS = ["", "URLs", "load", "Mb/s, CAP, real", "simulated", "LARD, real", "simulated",
                  "p90, CAP, real / simulated", "LARD, real / simulated"]  # fmt: skip


def _lateness(found: Found) -> str:
    good = [one for one in found.values() if one["late"] is None]
    late, waited = (sorted(one[key] for one in good) for key in ("late_ms", "waited_ms"))
    if not good:
        return "No run was punctual."
    return (
        f"In those that count the generator was late by {statistics.median(late):.2g} ms on "
        f"average (median of the runs; at most {late[-1]:.2g}), and switch and servers together "
        f"waited for a core for {statistics.median(waited):.2g} ms a request (at most "
        f"{waited[-1]:.2g})."
    )


def _together(found: Found) -> str:
    """The differences between real and simulated figures, over all runs that count."""
    good = [one for one in found.values() if one["late"] is None]
    if not good:
        return ""
    times, flows = (
        ratio(*([one[way][figure] for one in good] for way in WAYS)).words
        for figure in ("p90_ms", "megabits")
    )
    return (
        f"Over these runs together, as if each were independent, the 90th percentile is {times} "
        f"times that of the simulation, and the throughput {flows} times."
    )


def _groups() -> list[tuple[str, int, float]]:
    return [(system, programs, load)
            for system in SYSTEMS for programs in SPREADS for load in plan.LOADS]  # fmt: skip


def _punctual(found: Found, length: Length, cell: Cell) -> dict[int, Mapping[str, Any]]:
    """By seed, the runs of a cell that did not come late."""
    runs = {seed: found.get(name(cell, seed)) for seed in range(1, length.runs + 1)}
    return {seed: one for seed, one in runs.items() if one is not None and one["late"] is None}


def _pairs(found: Found, length: Length, cap: Cell, lard: Cell) -> list[list[Mapping[str, Any]]]:
    """The punctual runs of both policies, seed by seed."""
    one, other = (_punctual(found, length, cell) for cell in (cap, lard))
    return [[one[seed], other[seed]] for seed in one if seed in other]


def _line(found: Found, length: Length, system: str, programs: int, load: float) -> list[str]:
    cap, lard = (plan.at_load(system, one, load, programs) for one in ("cap", PUBLISHED))
    pairs = _pairs(found, length, cap, lard)
    line = [TITLES[system].split(",")[0], urls(programs), f"{load:g}", f"{len(pairs)}"]
    if not pairs:
        return line + ["–"] * 12
    values = {
        (way, figure, at): [pair[at][way][figure] for pair in pairs]
        for way in WAYS for figure in ("p90_ms", "megabits") for at in (0, 1)
    }  # fmt: skip
    means = {key: statistics.fmean(of) for key, of in values.items()}
    times = [f"{means[way, 'p90_ms', at]:,.0f}" for at in (0, 1) for way in WAYS]
    flows = [f"{means[way, 'megabits', at]:.3g}" for at in (0, 1) for way in WAYS]
    for way in WAYS:
        one = ratio(values[way, "p90_ms", 1], values[way, "p90_ms", 0])
        order = one.order("LARD", "CAP") if len(pairs) > 1 else "cannot tell"
        times.append(f"{one.words}: {order}")
    apart = [ratio(values["real", "p90_ms", at], values["simulated", "p90_ms", at]).words
             for at in (0, 1)]  # fmt: skip
    return [*line, *times, *flows, *apart]


def _figure(path: Path, found: Found, length: Length, system: str) -> None:
    from pictures import LABELS, NAMES, SPREADS, LineChart

    title = f"{TITLES[system]}, 7 servers, real and simulated"
    chart = LineChart(title, "load", LABELS["p90_ms"], y_log=True)
    lines = [(programs, dispatch) for programs in SPREADS for dispatch in ("cap", PUBLISHED)]
    for style, (programs, dispatch) in enumerate(lines):
        for way in WAYS:
            points = {}
            for load in plan.LOADS:
                cell = plan.at_load(system, dispatch, load, programs)
                if runs := _punctual(found, length, cell):
                    points[load] = statistics.fmean(one[way]["p90_ms"] for one in runs.values())
            name = f"{NAMES[dispatch]}, {SPREADS[programs]}, {way}"
            dashed = way == "simulated"
            chart.line(name, list(points), list(points.values()), dashed=dashed, style=style)
    chart.save(path)
