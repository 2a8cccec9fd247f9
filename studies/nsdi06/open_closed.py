"""Principles (i) to (iii): open and closed systems under FCFS."""

from __future__ import annotations

import exact
from lab import Lab
from points import MEAN, Point
from sweeps import Grid
from tables import CORRECTED, SUPPORTED, Cell, Principle, Table

EXACT_CLIENTS = [10, 50, 100, 500, 1000, 5000]


def principles(lab: Lab, grid: Grid) -> list[Principle]:
    """The first three."""
    return [lower(lab, grid), convergence(grid), variability(lab, grid)]


def lower(lab: Lab, grid: Grid) -> Principle:
    """(i): mean response times by load."""
    rows: list[list[Cell]] = []
    for load in grid.loads:
        opened = lab[Point("open", load=load)].mean
        closed = [lab[Point("closed", load=load, clients=n)].mean for n in grid.clients]
        rows.append([f"{load:g}", opened, *closed, *(opened / mean for mean in closed)])
    names = [f"MPL {n}" for n in grid.clients]
    header = ["load", "open", *names, *(f"open / {name}" for name in names)]
    ratios = {load: lab[Point("open", load=load)].mean for load in grid.loads}
    at = {
        (load, n): ratios[load] / lab[Point("closed", load=load, clients=n)].mean
        for load in grid.loads
        for n in grid.clients
    }
    top, few, many = grid.loads[-1], grid.clients[0], grid.clients[-1]
    closed_srpt, open_srpt = (lab[Point(model, "srpt")].mean for model in ("closed", "open"))
    held = all(at[load, n] > 1 for load in grid.loads if load >= 0.5 for n in grid.clients)
    sentence = (
        f"Under FCFS the open mean is {at[0.9, few]:.1f} times that of MPL {few} at load 0.9 and "
        f"{at[top, few]:.1f} times at load {top:g}; for MPL {many} it is {at[0.9, many]:.1f} "
        f"times at load 0.9, and at load 0.5 it is {at[0.5, few]:.1f} and {at[0.5, many]:.2f} "
        "times. It is a principle about FCFS, though: under SRPT at load 0.9 the closed system "
        f"with MPL 100 takes {closed_srpt:.1f} s and the open one {open_srpt:.1f} s."
    )
    caption = "Mean response time in seconds under FCFS; E[S] = 10 s, C² = 8 (figure 5a)"
    return Principle(
        "i",
        "At the same load the mean response time of a closed system is far below that of an open "
        "one.",
        SUPPORTED if held else CORRECTED,
        sentence,
        [Table(caption, header, rows)],
    )


def convergence(grid: Grid) -> Principle:
    """(ii): the distance of the closed mean from the open one, exactly."""
    counts = [n for n in EXACT_CLIENTS if n <= 1000 or grid.scale >= 1]
    variabilities = [1.0, 4.0, 8.0, 20.0]
    share = {
        (load, cv2, n): closed_share(load, cv2, n)
        for load in (0.7, 0.9)
        for cv2 in variabilities
        for n in counts
    }
    tables = [
        Table(
            f"Closed mean in % of the open mean at load {load}, FCFS, exact",
            ["C²", *(f"MPL {n}" for n in counts)],
            [[f"{cv2:g}", *(100 * share[load, cv2, n] for n in counts)] for cv2 in variabilities],
        )
        for load in (0.9, 0.7)
    ]
    held = share[0.9, 8.0, 1000] < 0.9 and share[0.9, 8.0, 1000] > share[0.9, 8.0, 100]
    sentence = (
        f"At load 0.9 and C² = 8 MPL 1000 still gives only {100 * share[0.9, 8.0, 1000]:.0f} % of "
        f"the open mean, and MPL 100 gives {100 * share[0.9, 8.0, 100]:.0f} %. With exponential "
        f"demands MPL 500 gives {100 * share[0.9, 1.0, 500]:.0f} %, which agrees with the paper's "
        "figure of 500 for demands that vary little. It depends on the load as much as on C²: at "
        f"load 0.7 and C² = 8 MPL 100 gives {100 * share[0.7, 8.0, 100]:.0f} % and MPL 500 "
        f"{100 * share[0.7, 8.0, 500]:.0f} %."
    )
    return Principle(
        "ii",
        "A closed system approaches the open one as its MPL grows, but only slowly.",
        SUPPORTED if held else CORRECTED,
        sentence,
        tables,
    )


def closed_share(load: float, cv2: float, clients: int) -> float:
    """The closed mean as a share of the open one, FCFS, exactly."""
    point = Point("closed", load=load, cv2=cv2, clients=clients)
    think = exact.think_time(point, load) or 0.0
    # The interactive response-time law: the think time was solved for this load.
    return (clients * MEAN / load - think) / exact.open_fcfs(load, cv2, MEAN)


def variability(lab: Lab, grid: Grid) -> Principle:
    """(iii): mean response times by C²."""
    rows: list[list[Cell]] = []
    for cv2 in grid.cv2:
        closed = [lab[Point("closed", cv2=cv2, clients=n)].mean for n in grid.clients]
        rows.append([f"{cv2:g}", lab[Point("open", cv2=cv2)].mean, *closed])
    low, high = grid.cv2[0], grid.cv2[-1]
    growth = {
        n: lab[Point("closed", cv2=high, clients=n)].mean
        / lab[Point("closed", cv2=low, clients=n)].mean
        for n in grid.clients
    }
    opened = lab[Point("open", cv2=high)].mean / lab[Point("open", cv2=low)].mean
    few, many = grid.clients[0], grid.clients[-1]
    sentence = (
        f"From C² = {low:g} to {high:g} the open mean grows {opened:.1f} times, that of MPL {few} "
        f"{growth[few]:.1f} times"
        + "".join(f", that of MPL {n} {growth[n]:.1f} times" for n in grid.clients[1:])
        + f". So it holds for a small MPL; MPL {many} is already on the way to the open system, "
        "as the paper says too."
    )
    caption = "Mean response time in seconds under FCFS at load 0.9, E[S] = 10 s (figure 5b)"
    header = ["C²", "open", *(f"MPL {n}" for n in grid.clients)]
    return Principle(
        "iii",
        "How much demands vary matters a lot in open systems and little in closed ones.",
        SUPPORTED if growth[few] < 0.5 * opened else CORRECTED,
        sentence,
        [Table(caption, header, rows)],
    )
