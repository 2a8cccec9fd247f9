"""Requests from a seed: of people and programs with known habits, and meaningless ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from thinktime.learn.logs.requests import ROWS, Requests

PAGES, OBJECTS, CALLS, SCREENS = range(12), range(12, 24), range(24, 27), range(27, 30)
"""The paths by purpose; `OBJECTS` have an ending that shows it."""

PATHS = 30

FAILURES = (0, 429, 499, 500, 503)

Line = dict[str, float | int | None]
"""`time_s`, `took_s`, and the other columns by their names."""


@dataclass(frozen=True)
class Habits:
    """The habits of people, or of programs."""

    people: int = 40
    users: int = 40
    """The number of distinguishable users."""

    step_s: float = 1e-3
    """The steps of the stamps."""

    think_s: float = 6.0
    referred: float = 0.95
    """The share of the pages that name their predecessor."""

    back: float = 0.1
    """The share of pages that follow any earlier page, instead of the last one."""

    tabs: float = 0.0
    """The share of the pages that open a tab in parallel."""

    objects: int = 3
    """The most per page."""

    calls: int = 0
    """The number with the page as referrer."""

    screens: int = 0
    """The number beside it, without a referrer."""

    failing: float = 0.01
    polls: bool = False
    """Whether one path is requested at a fixed pace, and no other."""

    timed: bool = True


HABITS = {
    "plain": Habits(),
    "whole seconds": Habits(step_s=1.0, calls=1, think_s=2.0),
    "shared addresses": Habits(users=4),
    "one address": Habits(people=25, users=1, tabs=0.1),
    "tabs": Habits(tabs=0.4),
    "going back": Habits(back=0.6),
    "no referrers": Habits(referred=0.0),
    "few referrers": Habits(referred=0.4),
    "calls": Habits(calls=2, people=60),
    "screens": Habits(screens=2, referred=0.0, objects=1, people=60, users=60),
    "failures": Habits(failing=0.4),
    "pollers": Habits(polls=True, failing=0.1),
    "untimed": Habits(timed=False, calls=1),
}


def requests_of(habits: Habits, seed: int) -> Requests:
    """The requests of people with such habits."""
    chance = np.random.default_rng(seed)
    lines: list[Line] = []
    for person in range(habits.people):
        begin_s = float(chance.uniform(0, 2000))
        asks = _polls if habits.polls else _visit
        for line in asks(habits, chance, begin_s):
            lines.append(line | {"user": person % habits.users})
            while chance.random() < 0.7 and lines[-1]["status"] in FAILURES:
                time_s = lines[-1]["time_s"] + lines[-1]["took_s"] + float(chance.exponential(30))
                status = int(chance.choice([200, *FAILURES]))
                lines.append(lines[-1] | {"time_s": time_s, "status": status})
    return _made(lines, habits)


def _visit(habits: Habits, chance: np.random.Generator, now_s: float) -> Iterator[Line]:
    """One or two sessions of a person, with pages, their embedded objects, and tabs."""
    open_tabs: list[tuple[float, list[int]]] = [(now_s, [])]
    opened = 0
    while open_tabs:
        now_s, seen = open_tabs.pop()
        for _ in range(chance.geometric(0.15)):
            page = int(chance.choice(PAGES))
            wanted = int(chance.choice(seen)) if chance.random() < habits.back and seen else -1
            referrer = wanted if wanted >= 0 else (seen[-1] if seen else -1)
            named = referrer >= 0 and chance.random() < habits.referred
            yield _line(habits, chance, now_s, page, referrer if named else None)
            yield from _parts(habits, chance, now_s, page)
            seen.append(page)
            if chance.random() < habits.tabs and opened < 3:
                opened += 1
                open_tabs.append((now_s + float(chance.exponential(habits.think_s)), [page]))
            now_s += float(chance.exponential(habits.think_s))
            now_s += 2000.0 if chance.random() < 0.03 else 0.0


def _parts(habits: Habits, chance: np.random.Generator, now_s: float, page: int) -> Iterator[Line]:
    """The embedded objects and the calls of a page."""
    for paths, most, referrer in (
        (OBJECTS, habits.objects, page),
        (CALLS, habits.calls, page),
        (SCREENS, habits.screens, None),
    ):
        for path in chance.choice(paths, int(chance.integers(0, most + 1))):
            late_s = 20.0 if chance.random() < 0.02 else 0.0
            then_s = now_s + late_s + float(chance.exponential(0.05))
            named = referrer if chance.random() < 0.9 else None
            yield _line(habits, chance, then_s, int(path), named)


def _polls(habits: Habits, chance: np.random.Generator, now_s: float) -> Iterator[Line]:
    path = int(chance.choice(PAGES))
    for turn in range(50):
        yield _line(habits, chance, now_s + 5.0 * turn, path, None)


def _line(
    habits: Habits, chance: np.random.Generator, time_s: float, path: int, referrer: int | None
) -> Line:
    fails = chance.random() < habits.failing
    status = int(chance.choice(FAILURES if fails else (200, 304, 404)))
    took_s = float(chance.exponential(0.2)) if habits.timed else 0.0
    return {
        "time_s": time_s, "took_s": took_s, "path": path, "referrer": referrer, "status": status,
    }  # fmt: skip


def _made(lines: list[Line], habits: Habits) -> Requests:
    table = pl.DataFrame(lines, infer_schema_length=None)
    steps = (pl.col("time_s") / habits.step_s).floor()
    took = (pl.col("took_s") * 1e6).floor() if habits.timed else pl.lit(None)
    rows = table.select(
        (steps * round(habits.step_s * 1e9)).cast(pl.Int64).alias("time_ns"),
        took.cast(pl.UInt32).alias("duration_us"),
        *(pl.col(name).cast(ROWS[name]) for name in ("user", "path", "referrer", "status")),
    )
    objects = [path in OBJECTS for path in range(PATHS)]
    return requests(rows.sort("time_ns", maintain_order=True), objects, habits.step_s)


def requests(rows: pl.DataFrame, objects: list[bool], resolution_s: float) -> Requests:
    """Requests in the columns from which visits are made."""
    paths = pl.DataFrame(
        {"path": [f"/{path}" for path in range(len(objects))], "object": objects},
        schema={"path": pl.String, "object": pl.Boolean},
    )
    none = pl.Series([], dtype=pl.String)
    users = pl.DataFrame(schema={"address": pl.UInt32, "agent": pl.UInt32})
    return Requests(rows, paths, users, none, none, resolution_s)


def templates_of(requests: Requests, seed: int) -> np.ndarray:
    """A template for each path: its own, or one that it shares with others."""
    chance = np.random.default_rng(seed)
    known = requests.paths.height
    if chance.random() < 0.5:
        return np.arange(known)
    return chance.integers(0, max(known // 2, 1), known)


def senseless(seed: int) -> Requests:
    """Requests with unrelated columns, with many ties and extremes."""
    chance = np.random.default_rng(seed)
    many = int(chance.choice([1, 2, 3, 20, 300, 3000]))
    known = int(chance.choice([1, 2, 6, 100]))
    step_s = float(chance.choice([1e-6, 1e-3, 0.1, 1.0, 60.0]))
    # Gaps of no step, a few, or just as long as the decisive ones: 1, 10, 60, 300 and 1800 s.
    gaps_s = [0.0, step_s, 2.0, 1.0, 10.0, 60.0, 300.0, 1800.0]
    gap_s = chance.choice(gaps_s, many, p=chance.dirichlet(np.full(len(gaps_s), 0.5)))
    steps = np.floor(np.cumsum(gap_s) / step_s).astype(np.int64)
    users = int(chance.choice([1, 2, 5, 500]))
    user = chance.integers(0, users, many) * int(chance.choice([1, 70_000]))
    took = chance.choice([0, 1000, 10**6, 59 * 10**6, 4_294_967_293, 4_294_967_294], many)
    absent = chance.choice([0.0, 0.3, 1.0], 2)
    rows = pl.DataFrame(
        {
            "time_ns": 1_700_000_000_000_000_000 + steps * round(step_s * 1e9),
            "duration_us": _some_null(chance, took, absent[0]),
            "user": user,
            "path": chance.integers(0, known, many),
            "referrer": _some_null(chance, chance.integers(0, known, many), absent[1]),
            "status": chance.choice([200, 404, 498, *FAILURES], many),
        }
    )
    rows = rows.cast({name: ROWS[name] for name in rows.columns})
    return requests(rows, (chance.random(known) < chance.choice([0, 0.5, 1])).tolist(), step_s)


def _some_null(chance: np.random.Generator, values: np.ndarray, share: float) -> pl.Series:
    known = zip(values.tolist(), chance.random(len(values)).tolist(), strict=True)
    return pl.Series([None if draw < share else value for value, draw in known], dtype=pl.Int64)
