"""Principles (vii) and (viii): partly-open systems."""

from __future__ import annotations

import exact
from figures import POLICY_NAMES
from lab import Lab
from points import MEAN, Point
from sweeps import SESSION_POLICIES, Grid
from tables import CORRECTED, PARTLY, SUPPORTED, Cell, Principle, Table

THINKS = [0.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0]
LONG_THINK = 10_000.0


def extra(grid: Grid) -> list[Point]:
    """Points that no figure of the paper needs."""
    long = [
        Point("partly-open", policy, 0.9, session=session, think=LONG_THINK)
        for session in grid.sessions
        for policy in ("fcfs", "srpt")
    ]
    short = [
        Point("partly-open", policy, load, think=think)
        for load in (0.6, 0.9)
        for think in _thinks(grid)
        for policy in SESSION_POLICIES
    ]
    return [*long, *short]


def _thinks(grid: Grid) -> list[float]:
    return THINKS if grid.scale >= 1 else [0.0, 100.0, 10_000.0]


def principles(lab: Lab, grid: Grid) -> list[Principle]:
    """Both."""
    return [session_length(lab, grid), think_time(lab, grid)]


def session_length(lab: Lab, grid: Grid) -> Principle:
    """(vii): policies by the mean number of requests per session, short and long think times."""

    def spread(session: float, think: float) -> float:
        fcfs, srpt = (
            lab[Point("partly-open", one, 0.9, session=session, think=think)].mean
            for one in ("fcfs", "srpt")
        )
        return fcfs / srpt

    rows: list[list[Cell]] = []
    for session in grid.sessions:
        means = [
            lab[Point("partly-open", one, 0.9, session=session)].mean for one in SESSION_POLICIES
        ]
        rows.append([f"{session:g}", *means, spread(session, 10.0), spread(session, LONG_THINK)])
    header = [
        "requests per session",
        *(POLICY_NAMES[one] for one in SESSION_POLICIES),
        "FCFS / SRPT",
        f"FCFS / SRPT at E[Z] = {LONG_THINK:,.0f} s",
    ]
    caption = "Mean response time in seconds at load 0.9, C² = 8, E[Z] = 10 s = E[S] (figure 8a)"
    ends = {session: spread(session, 10.0) for session in grid.sessions}
    far = {session: spread(session, LONG_THINK) for session in grid.sessions}
    least, most = grid.sessions[0], grid.sessions[-1]
    return Principle(
        "vii",
        "A partly-open system is like an open one up to about 5 requests a session, and like a "
        "closed one from about 10.",
        PARTLY if ends[most] < 0.5 * ends[least] else CORRECTED,
        _spread_words(ends, far),
        [Table(caption, header, rows), cut_over()],
    )


def _spread_words(ends: dict[float, float], far: dict[float, float]) -> str:
    least, most = min(ends), max(ends)
    between = "" if 10.0 not in ends else f"{ends[5.0]:.1f} with 5, {ends[10.0]:.1f} with 10 and "
    return (
        f"With think times as long as a service, FCFS takes {ends[least]:.1f} times as long as "
        f"SRPT with one request a session, {between}{ends[most]:.1f} with {most:g}; most of the "
        "change is over by five. Without think times FCFS is exactly like an open system whose "
        "C² - 1 is divided by the requests per session; PS does not change at all. But it takes "
        f"short think times: at {LONG_THINK:,.0f} s, a thousand times E[S], the factor is "
        f"{far[least]:.1f} with one request a session and still {far[most]:.1f} with {most:g}, so "
        "that such a system stays open whatever its sessions are."
    )


def cut_over() -> Table:
    """FCFS over PS without think times, exactly: it moves with C² as the paper's rule does."""
    counts = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    rows: list[list[Cell]] = []
    for cv2 in (4.0, 8.0, 49.0):
        points = [Point("partly-open", cv2=cv2, session=count, think=0.0) for count in counts]
        rows.append(
            [f"{cv2:g}", *(exact.at_once_again(point) * (1 - 0.9) / MEAN for point in points)]
        )
    caption = "Mean under FCFS over that under PS at load 0.9 without think times, exact"
    return Table(caption, ["C²", *(f"{count:g} per session" for count in counts)], rows)


def think_time(lab: Lab, grid: Grid) -> Principle:
    """(viii): policies by think time, at two loads."""
    mean = {
        (load, think, policy): lab[Point("partly-open", policy, load, think=think)].mean
        for load in (0.6, 0.9)
        for think in _thinks(grid)
        for policy in SESSION_POLICIES
    }
    reached = {
        load: [lab[Point("partly-open", "fcfs", load, think=think)].load for think in _thinks(grid)]
        for load in (0.6, 0.9)
    }
    tables = [_think_table(grid, mean, load, reached[load]) for load in (0.6, 0.9)]
    last = _thinks(grid)[-1]
    moved = mean[0.6, last, "fcfs"] / mean[0.6, 0.0, "fcfs"] > 1.2
    return Principle(
        "viii",
        "In a partly-open system the think time has little effect on the mean response time.",
        CORRECTED if moved else SUPPORTED,
        _think_words(mean, last, reached),
        tables,
    )


def _think_words(
    mean: dict[tuple[float, float, str], float], last: float, reached: dict[float, list[float]]
) -> str:
    near = 100.0

    def change(load: float, policy: str, think: float) -> float:
        return mean[load, think, policy] / mean[load, 0.0, policy]

    ends = {
        load: (
            exact.at_once_again(Point("partly-open", load=load)),
            exact.open_fcfs(load, 8.0, MEAN),
        )
        for load in (0.6, 0.9)
    }
    return (
        f"It is exact for the mean under PS (product form), and the load does not depend on it "
        f"(simulated: {_range_words(reached)}). Under FCFS "
        f"with C² = 8 the mean at load 0.6 and p = 0.75 rises from {ends[0.6][0]:.1f} s without "
        f"think times to the open system's {ends[0.6][1]:.1f} s (both exact), and at load 0.9 "
        f"from {ends[0.9][0]:.0f} s to {ends[0.9][1]:.0f} s: factors of "
        f"{ends[0.6][1] / ends[0.6][0]:.1f} and {ends[0.9][1] / ends[0.9][0]:.1f}. "
        f"Up to ten times E[S] "
        f"({near:g} s) it changes by {100 * (change(0.6, 'fcfs', near) - 1):.0f} % and "
        f"{100 * (change(0.9, 'fcfs', near) - 1):.0f} %; at {last:,.0f} s the simulated factors "
        f"are {change(0.6, 'fcfs', last):.2f} and {change(0.9, 'fcfs', last):.2f}. Under SRPT the "
        f"mean falls to {100 * change(0.9, 'srpt', last):.0f} % at load 0.9. Long think times "
        "spread a session's requests out until they come like strangers: the system becomes open."
    )


def _range_words(reached: dict[float, list[float]]) -> str:
    return ", ".join(
        f"{min(found):.3f} to {max(found):.3f} for {load:g}" for load, found in reached.items()
    )


def _think_table(
    grid: Grid, mean: dict[tuple[float, float, str], float], load: float, reached: list[float]
) -> Table:
    rows: list[list[Cell]] = [
        [f"{think:,.0f}", *(mean[load, think, one] for one in SESSION_POLICIES), f"{found:.3f}"]
        for think, found in zip(_thinks(grid), reached, strict=True)
    ]
    at_once = exact.at_once_again(Point("partly-open", load=load))
    rows.append(["exact, none", at_once, MEAN / (1 - load), None, None, f"{load:.3f}"])
    rows.append(
        [
            "exact, endless",
            exact.open_fcfs(load, 8.0, MEAN),
            MEAN / (1 - load),
            exact.two_kinds(Point("open", "pesjf", load)),
            exact.open_srpt(load),
            f"{load:.3f}",
        ]
    )
    caption = f"Mean response time in seconds at load {load}, p = 0.75, C² = 8 (figure 8c)"
    names = (POLICY_NAMES[one] for one in SESSION_POLICIES)
    return Table(caption, ["E[Z] (s)", *names, "load reached"], rows)
