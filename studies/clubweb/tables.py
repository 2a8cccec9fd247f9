"""The study's tables, in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

import plan
from cells import MANY, PUBLISHED, Cell
from order import ratio

Found = Mapping[str, Mapping[str, list[float]]]

TITLES = {
    "cpu": "CPU-bound, files in memory",
    "disk": "Disk-bound, files in memory",
    "caches": "CPU-bound, caches of 32 MB",
    "static": "Static files alone, caches of 32 MB",
}


def urls(programs: int) -> str:
    """The number of URLs in words."""
    return f"{programs:,} {'URL' if programs == 1 else 'URLs'}"


def text(found: Found) -> str:
    """All tables."""
    parts = [
        "# ClubWeb: the tables\n\nTimes are 90th percentiles of page response times in ms, means "
        "over the runs. Ratios are those of two policies' geometric means, with 95 % intervals of "
        "runs in pairs on the same seeds. A load is that of the busiest station, were no file to "
        "come from a disk.\n",
        *(_order(found, system, programs) for system, programs in _orders()),
        _spreads(found),
        _thresholds(found),
        _static_thresholds(found),
        _today(found),
        _hundred(found),
        _slowed(found),
    ]
    return "\n".join(parts)


def _orders() -> Iterable[tuple[str, int]]:
    for system in TITLES:
        yield from (
            (system, programs) for programs in ((MANY,) if system == "static" else (1, MANY))
        )


def table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    rule = "|" + "---|" * len(headings)
    return "\n".join([_row(headings), rule, *map(_row, lines)]) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _mean(found: Found, cell: Cell, figure: str = "p90_ms") -> str:
    value = statistics.fmean(found[cell.key][figure])
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _percent(found: Found, cell: Cell, figure: str) -> str:
    values = found[cell.key].get(figure)
    return "–" if values is None else f"{100 * statistics.fmean(values):.0f} %"


def _against(found: Found, cell: Cell, cap: Cell, figure: str = "p90_ms") -> tuple[str, str]:
    """The ratio to CAP, and the one with the smaller figure."""
    one = ratio(found[cell.key][figure], found[cap.key][figure])
    return one.words, one.order("LARD", "CAP")


def _order(found: Found, system: str, programs: int) -> str:
    spread = "" if system == "static" else f", {urls(programs)} of each dynamic kind"
    headings = ["sessions/s", "CAP", "LARD", "LARD / CAP", "faster", "Mb/s, CAP", "LARD",
                "LARD / CAP", "hit ratio, CAP", "LARD"]  # fmt: skip
    lines = []
    for rate in plan.RATES[system]:
        cap, lard = (Cell(system, one, rate, programs) for one in ("cap", PUBLISHED))
        times, flow = _against(found, lard, cap), _against(found, lard, cap, "megabits")
        lines.append([
            f"{rate}", _mean(found, cap), _mean(found, lard), *times,
            _mean(found, cap, "megabits"), _mean(found, lard, "megabits"), flow[0],
            _percent(found, cap, "hit_ratio"), _percent(found, lard, "hit_ratio"),
        ])  # fmt: skip
    return f"\n## {TITLES[system]}{spread}\n\n" + table(headings, lines)


def _spreads(found: Found) -> str:
    """LARD against CAP by the number of URLs."""
    lines = []
    for system in ("cpu", "disk"):
        for load in plan.LOADS:
            ratios = []
            for programs in plan.SPREADS:
                cap, lard = (
                    plan.at_load(system, one, load, programs) for one in ("cap", PUBLISHED)
                )
                ratios.append(_against(found, lard, cap)[0])
            lines.append([TITLES[system].split(",")[0], f"{load:g}", *ratios])
    headings = ["", "load", *(urls(one) for one in plan.SPREADS)]
    title = "\n## LARD / CAP, by the number of URLs of each kind of dynamic request\n\n"
    return title + table(headings, lines)


def _thresholds(found: Found) -> str:
    lines = []
    for system in ("cpu", "disk"):
        for programs in (plan.ONE, MANY):
            for load in plan.BUSY:
                cap = plan.at_load(system, "cap", load, programs)
                cells = [plan.at_load(system, plan.lard(one), load, programs)
                         for one in plan.THRESHOLDS]  # fmt: skip
                name = f"{TITLES[system].split(',')[0]}, {urls(programs)}"
                lines.append([name, f"{load:g}", *(_against(found, one, cap)[0] for one in cells)])
    headings = ["", "load", *(f"low {low}, high {high}" for low, high in plan.THRESHOLDS)]
    return "\n## LARD / CAP, by LARD's thresholds\n\n" + table(headings, lines)


def _static_thresholds(found: Found) -> str:
    lines = []
    for rate in (10, 30):
        cap = Cell("static", "cap", rate)
        cells = [Cell("static", plan.lard(one), rate) for one in plan.THRESHOLDS]
        lines.append([f"{rate}", *(_against(found, one, cap)[0] for one in cells)])
    headings = ["sessions/s", *(f"low {low}, high {high}" for low, high in plan.THRESHOLDS)]
    return "\n## The same for static files alone\n\n" + table(headings, lines)


def _today(found: Found) -> str:
    cases = [(system, load) for system in ("cpu", "disk") for load in plan.BUSY]
    lines = []
    for dispatch in plan.TODAY:
        cells = [(plan.at_load(system, dispatch, load), plan.at_load(system, "cap", load))
                 for system, load in cases]  # fmt: skip
        lines.append([
            f"`{dispatch}`",
            *(f"{_mean(found, one)}: {_against(found, one, cap)[0]}" for one, cap in cells),
        ])  # fmt: skip
    headings = ["", *(f"{TITLES[system].split(',')[0]}, {load:g}" for system, load in cases)]
    return "\n## Policies of today: p90, and its ratio to CAP's\n\n" + table(headings, lines)


def _hundred(found: Found) -> str:
    cells = plan.hundred()
    lines = []
    for dispatch in plan.HUNDRED:
        mine = [one for one in cells if one.dispatch == dispatch]
        caps = [next(x for x in cells if x.system == one.system) for one in mine]
        lines.append([
            f"`{dispatch}`",
            *(f"{_mean(found, one)}: {_against(found, one, cap)[0]}"
              for one, cap in zip(mine, caps, strict=True)),
        ])  # fmt: skip
    headings = ["", "CPU-bound, 0.9", "Disk-bound, 0.9"]
    title = "\n## A hundred servers: p90, and its ratio to CAP's\n\n"
    return title + table(headings, lines)


def _slowed(found: Found) -> str:
    """The slow-down of each policy by one slow server of seven."""
    pairs = plan.slowed()
    lines = []
    for dispatch in plan.SLOWED:
        mine = [pair for pair in pairs if pair[0].dispatch == dispatch]
        ratios = [ratio(found[slow.key]["p90_ms"], found[one.key]["p90_ms"]) for one, slow in mine]
        lines.append([
            f"`{dispatch}`",
            *(f"{_mean(found, slow)}: {by.words}"
              for (_, slow), by in zip(mine, ratios, strict=True)),
        ])  # fmt: skip
    headings = ["", *(f"{TITLES[system].split(',')[0]}, {load:g}"
                      for system in ("cpu", "disk") for load in plan.SLOWED_LOADS)]  # fmt: skip
    title = "\n## One server of seven at half its speed: p90, and its ratio to that without\n\n"
    return title + table(headings, lines)
