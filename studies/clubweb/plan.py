"""The cells of the study, by their figures and tables."""

from __future__ import annotations

from dataclasses import replace

from cells import MANY, PUBLISHED, Cell, Length

FULL = {"cpu": 50.7, "disk": 33.5, "caches": 50.7}
"""Sessions a second that would load the busiest station of seven servers fully, were no file to
come from a disk: what `--load` makes of the workload."""

RATES = {
    "cpu": (10, 20, 30, 35, 40, 45, 50, 55),
    "disk": (5, 10, 15, 20, 25, 30, 35),
    "caches": (5, 10, 15, 20, 25, 30, 35, 40),
    "static": (5, 10, 15, 20, 30, 40),
}
"""The offered loads of figures 9 and 10, in sessions a second."""

ONE = 1
SPREADS = (ONE, 10, 100, 1000, MANY)
LOADS = (0.3, 0.6, 0.9)
BUSY = (0.6, 0.9)

THRESHOLDS = ((1, 3), (2, 5), (5, 13), (12, 33), (25, 65), (50, 130))
"""LARD's two thresholds, in the ratio of those that were published."""

TODAY = (
    "cap",
    PUBLISHED,
    "lard(low=2, high=5)",
    "lard-r(low=25, high=65, keep=20s)",
    "lard-r(low=2, high=5, keep=20s)",
    "random",
    "round-robin",
    "least-connections",
    "jsq(2)",
    "least-work-left",
    "join-idle-queue",
    "consistent-hash(balance=1.25)",
    "peak-ewma",
    "least-request",
    "prequal",
    "prequal(quantile=0.5)",
    "prequal(quantile=0)",
)
"""The policies that are compared with CAP. `jsq` is `least-connections` where weights are equal."""

HUNDRED = (
    "cap",
    PUBLISHED,
    "lard(low=2, high=5)",
    "lard-r(low=25, high=65, keep=20s)",
    "jsq(2)",
    "least-connections",
    "prequal",
    "prequal(quantile=0)",
)

SLOWED = (
    "cap",
    PUBLISHED,
    "lard(low=2, high=5)",
    "round-robin",
    "least-connections",
    "jsq(2)",
    "least-work-left",
    "join-idle-queue",
    "consistent-hash(balance=1.25)",
    "peak-ewma",
    "prequal",
    "prequal(quantile=0)",
)
"""The policies under which a server becomes slow."""

SLOWED_LOADS = (0.4, 0.6)
SLOW = '\n[[cluster.change]]\nat = "20s"\nserver = 3\ndoes = "slows(0.5)"\n'
"""One server of seven does everything at half its speed, from the end of the warm-up on."""

AT_ONCE = Length()
CACHED = Length(warmup_s=100)
SHORT = Length(warmup_s=10, measured_s=20, runs=5)


def policies(system: str) -> tuple[str, ...]:
    """Those of the figures: with static files alone, hashing too."""
    return ("cap", PUBLISHED, "hash") if system == "static" else ("cap", PUBLISHED)


def figure(system: str, programs: int) -> list[Cell]:
    """The cells of figures 9 and 10."""
    return [
        Cell(system, dispatch, rate, programs)
        for dispatch in policies(system)
        for rate in RATES[system]
    ]


def at_load(system: str, dispatch: str, load: float, programs: int = MANY) -> Cell:
    """A cell at a share of the full load."""
    return Cell(system, dispatch, round(load * FULL[system], 2), programs)


def lard(thresholds: tuple[int, int]) -> str:
    """LARD with these thresholds."""
    return f"lard(low={thresholds[0]}, high={thresholds[1]})"


def spreads() -> list[Cell]:
    """CAP and LARD by the number of URLs that dynamic requests have."""
    return [
        at_load(system, dispatch, load, programs)
        for system in ("cpu", "disk")
        for load in LOADS
        for programs in SPREADS
        for dispatch in ("cap", PUBLISHED)
    ]


def thresholds() -> list[Cell]:
    """LARD with other thresholds, and CAP beside it."""
    return [
        at_load(system, dispatch, load, programs)
        for system in ("cpu", "disk")
        for programs in (ONE, MANY)
        for load in BUSY
        for dispatch in ("cap", *map(lard, THRESHOLDS))
    ]


def static_thresholds() -> list[Cell]:
    """The same for static files alone."""
    rates = (10, 30)
    return [
        Cell("static", dispatch, rate)
        for rate in rates
        for dispatch in ("cap", *map(lard, THRESHOLDS))
    ]


def today() -> list[Cell]:
    """The policies of today beside CAP."""
    return [
        at_load(system, dispatch, load)
        for system in ("cpu", "disk")
        for load in BUSY
        for dispatch in TODAY
    ]


def hundred() -> list[Cell]:
    """A hundred servers, each with as many sessions as one of seven."""
    few = [at_load(system, one, 0.9) for system in ("cpu", "disk") for one in HUNDRED]
    return [Cell(one.system, one.dispatch, one.rate, one.programs, 100) for one in few]


def slowed() -> list[tuple[Cell, Cell]]:
    """A cell with all servers as they are, and one with a slow one."""
    cells = [
        at_load(system, dispatch, load)
        for system in ("cpu", "disk")
        for load in SLOWED_LOADS
        for dispatch in SLOWED
    ]
    return [(one, replace(one, change=SLOW)) for one in cells]


def everything() -> dict[Cell, Length]:
    """All cells, each once, and how long each is simulated."""
    cells: dict[Cell, Length] = {}
    for programs in (ONE, MANY):
        for system in ("cpu", "disk"):
            cells |= dict.fromkeys(figure(system, programs), AT_ONCE)
        cells |= dict.fromkeys(figure("caches", programs), CACHED)
    cells |= dict.fromkeys([*figure("static", MANY), *static_thresholds()], CACHED)
    cells |= dict.fromkeys([*spreads(), *thresholds(), *today()], AT_ONCE)
    cells |= dict.fromkeys([one for pair in slowed() for one in pair], AT_ONCE)
    return cells | dict.fromkeys(hundred(), SHORT)
