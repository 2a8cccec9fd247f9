"""The figures of the paper as sweeps of points, in full and in short."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import exact
from figures import Curve, Figure, policy_curves
from points import MEAN, Point

AUCTION_POLICIES = ["fcfs", "ps", "psjf"]
SESSION_POLICIES = ["fcfs", "ps", "pesjf", "srpt"]


def _values(*values: float) -> list[float]:
    return list(values)


@dataclass(frozen=True)
class Grid:
    """The places of the curves' points."""

    scale: float = 1.0
    loads: list[float] = field(
        default_factory=lambda: _values(0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
    )
    auction_loads: list[float] = field(
        default_factory=lambda: _values(0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
    )
    high_loads: list[float] = field(default_factory=lambda: _values(0.98))
    """Closed systems only: open ones would take far more requests."""

    cv2: list[float] = field(default_factory=lambda: _values(1, 2, 4, 8, 12, 16, 20))
    clients: list[int] = field(default_factory=lambda: [10, 100, 1000])
    sessions: list[float] = field(default_factory=lambda: _values(1, 2, 4, 5, 7, 10, 15, 20))
    thinks: list[float] = field(
        default_factory=lambda: _values(1, 10, 30, 100, 300, 1000, 3000, 10_000, 100_000)
    )
    policies: list[str] = field(default_factory=lambda: ["fcfs", "peljf", "ps", "pesjf", "srpt"])
    closed_thinks: list[float] = field(
        default_factory=lambda: [10.0 ** (exponent / 4) for exponent in range(0, 21)]
    )


QUICK = Grid(
    scale=0.05,
    loads=[0.5, 0.9],
    auction_loads=[0.9],
    policies=["fcfs", "ps", "srpt"],
    high_loads=[],
    cv2=[1.0, 8.0],
    clients=[10, 100],
    sessions=[1.0, 4.0, 20.0],
    thinks=[1.0, 100.0, 10_000.0],
    closed_thinks=[10.0, 100.0, 1000.0, 10_000.0],
)


def figures(grid: Grid) -> list[Figure]:
    """All figures, in the order in which they are simulated."""
    return [*figure_5(grid), *figure_6(grid), *figure_7(grid), *figure_8(grid), *figure_2c(grid)]


def _by_policy(
    policies: list[str], xs: list[float], point: Callable[[str, float], Point]
) -> list[Curve]:
    return policy_curves(policies, {one: [(x, point(one, x)) for x in xs] for one in policies})


def figure_2c(grid: Grid) -> list[Figure]:
    """The auction site: closed (MPL 50), open, and partly open at load 0.9."""

    def closed(policy: str, load: float) -> Point:
        return Point("closed", policy, load, clients=50, auction=True)

    def opened(policy: str, load: float) -> Point:
        return Point("open", policy, load, auction=True)

    def partly(policy: str, session: float) -> Point:
        return Point("partly-open", policy, 0.9, session=session, think=0.09, auction=True)

    loads = grid.auction_loads
    names = AUCTION_POLICIES
    titles = ("auction site, closed, MPL 50", "auction site, open", "auction site, partly open")
    per_session = "mean number of requests per session (load 0.9)"
    return [
        Figure("2c-closed", titles[0], "load", _by_policy(names, loads, closed), y_log=True),
        Figure("2c-open", titles[1], "load", _by_policy(names, loads, opened), y_log=True),
        Figure(
            "2c-partly-open",
            titles[2],
            per_session,
            _by_policy(names, grid.sessions, partly),
            y_log=True,
        ),
    ]


def figure_5(grid: Grid) -> list[Figure]:
    """Open and closed under FCFS, against load and against C²; and the auction site."""

    def by_load(auction: bool) -> list[Curve]:
        loads = grid.auction_loads if auction else grid.loads
        opened = [(load, Point("open", load=load, auction=auction)) for load in loads]
        curves = [Curve("open", 0, opened)]
        for index, clients in enumerate(grid.clients):
            points = [
                (load, Point("closed", load=load, clients=clients, auction=auction))
                for load in loads
            ]
            curves.append(Curve(f"closed, MPL {clients}", index + 1, points))
        return curves

    by_cv2 = [Curve("open", 0, [(cv2, Point("open", cv2=cv2)) for cv2 in grid.cv2])]
    for index, clients in enumerate(grid.clients):
        points = [(cv2, Point("closed", cv2=cv2, clients=clients)) for cv2 in grid.cv2]
        by_cv2.append(Curve(f"closed, MPL {clients}", index + 1, points))
    return [
        Figure("5a", "FCFS, E[S] = 10 s, C² = 8", "load", by_load(False), y_log=True),
        Figure("5b", "FCFS, E[S] = 10 s, load 0.9", "C² of the service demand", by_cv2),
        Figure("5c", "FCFS, auction site", "load", by_load(True), y_log=True),
    ]


def figure_6(grid: Grid) -> list[Figure]:
    """Scheduling policies, closed with MPL 100 and open, against load and against C²."""
    found = []
    for model, words in (("closed", "closed, MPL 100"), ("open", "open")):

        def by_load(policy: str, load: float, model: str = model) -> Point:
            return Point(model, policy, load)

        loads = [*grid.loads, *(grid.high_loads if model == "closed" else [])]
        curves = _by_policy(grid.policies, loads, by_load)
        found.append(Figure(f"6a-{model}", f"{words}, C² = 8", "load", curves, y_log=True))
    for model, words in (("closed", "closed, MPL 100"), ("open", "open")):

        def by_cv2(policy: str, cv2: float, model: str = model) -> Point:
            return Point(model, policy, cv2=cv2)

        curves = _by_policy(grid.policies, grid.cv2, by_cv2)
        x_label = "C² of the service demand"
        found.append(Figure(f"6b-{model}", f"{words}, load 0.9", x_label, curves, y_log=True))
    return found


def figure_7(grid: Grid) -> list[Figure]:
    """The load of a closed FCFS system, against think time and against C²."""
    by_think, by_cv2 = [], []
    for index, clients in enumerate(grid.clients):
        name = f"MPL {clients}"
        points = [
            (think, Point("closed", load=None, clients=clients, think=think))
            for think in grid.closed_thinks
        ]
        by_think.append(Curve(name, index + 1, points))
        think = exact.think_time(Point("closed", cv2=1.0, clients=clients), 0.9) or MEAN
        points = [
            (cv2, Point("closed", load=None, cv2=cv2, clients=clients, think=think))
            for cv2 in grid.cv2
        ]
        by_cv2.append(Curve(f"{name}, E[Z] {think:,.0f} s", index + 1, points))
    title = "load of a closed system, FCFS, "
    think_label, cv2_label = "mean think time (s)", "C² of the service demand"
    return [
        Figure("7a", f"{title}C² = 8", think_label, by_think, shown="busy", x_log=True),
        Figure("7b", f"{title}think time fixed", cv2_label, by_cv2, shown="busy"),
    ]


def figure_8(grid: Grid) -> list[Figure]:
    """Partly open: against the number of requests per session, and against the think time."""
    found = []
    for letter, load in (("a", 0.9), ("b", 0.6)):

        def by_session(policy: str, session: float, load: float = load) -> Point:
            return Point("partly-open", policy, load, session=session)

        curves = _by_policy(SESSION_POLICIES, grid.sessions, by_session)
        title = f"partly open, load {load}, C² = 8, E[Z] = E[S]"
        label = "mean number of requests per session"
        found.append(Figure(f"8{letter}", title, label, curves, y_log=True))

    def by_think(policy: str, think: float) -> Point:
        return Point("partly-open", policy, 0.6, think=think)

    curves = _by_policy(SESSION_POLICIES, grid.thinks, by_think)
    title, label = "partly open, load 0.6, p = 0.75, C² = 8", "mean think time (s)"
    for letter, shown in (("c", "mean"), ("d", "busy")):
        found.append(Figure(f"8{letter}", title, label, curves, shown=shown, x_log=True))
    return found
