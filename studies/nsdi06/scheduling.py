"""Principles (iv) to (vi): the gain of scheduling in open and closed systems."""

from __future__ import annotations

import exact
from figures import POLICY_NAMES
from lab import Lab
from points import Point, fixed_think
from saturated import CLIENTS, Saturated
from sweeps import Grid
from tables import CORRECTED, PARTLY, SUPPORTED, Cell, Principle, Table

GAIN_LOADS = [0.5, 0.7, 0.8, 0.9, 0.95, 0.98]
THINKS = [250.0, 500.0, 750.0, 1000.0, 1500.0, 2500.0]


def extra(grid: Grid) -> list[Point]:
    """Points that no figure of the paper needs."""
    closed = [Point("closed", policy) for policy in grid.policies]
    fixed = [fixed_think(one, think) for one in closed for think in _thinks(grid)]
    return [*_gain_points(grid).values(), *fixed]


def _gain_loads(grid: Grid) -> list[float]:
    return [load for load in GAIN_LOADS if load in (*grid.loads, *grid.high_loads)]


def _gain_points(grid: Grid) -> dict[tuple[int, float, str], Point]:
    clients = grid.clients if grid.scale >= 1 else [100]
    return {
        (n, load, policy): Point("closed", policy, load, clients=n)
        for n in clients
        for load in _gain_loads(grid)
        if n >= 100 or load <= 0.95  # few clients that hardly think: the search gets no nearer
        for policy in ("fcfs", "ps", "srpt")
    }


def _thinks(grid: Grid) -> list[float]:
    """Think times of the closed system, and that at which FCFS has load 0.9 with MPL 100."""
    at_load = exact.think_time(Point("closed"), 0.9) or 0.0
    return sorted([at_load, *(THINKS if grid.scale >= 1 else [500.0])])


def principles(lab: Lab, grid: Grid, zero: list[Saturated]) -> list[Principle]:
    """The three of them."""
    return [gain(lab, grid), conditions(lab, grid, zero), less_variability(lab, grid)]


def gain(lab: Lab, grid: Grid) -> Principle:
    """(iv): FCFS against the better policies, open and closed."""
    better = [one for one in ("ps", "pesjf", "srpt") if one in grid.policies]
    rows: list[list[Cell]] = []
    ratio = {
        (model, load, policy): lab[Point(model, "fcfs", load)].mean
        / lab[Point(model, policy, load)].mean
        for model in ("open", "closed")
        for load in grid.loads
        for policy in better
    }
    for load in grid.loads:
        rows.append([f"{load:g}", *(ratio[m, load, p] for m in ("open", "closed") for p in better)])
    header = [
        "load",
        *(f"{m}: FCFS / {POLICY_NAMES[p]}" for m in ("open", "closed") for p in better),
    ]
    top = grid.loads[-1]
    peaks = "; ".join(_peak_words(ratio, policy, grid.loads) for policy in better)
    sentence = (
        f"Changing FCFS for SRPT divides the open mean by {ratio['open', 0.9, 'srpt']:.1f} at load "
        f"0.9 and by {ratio['open', top, 'srpt']:.1f} at load {top:g}; in the closed system with "
        f"MPL 100 by {ratio['closed', 0.9, 'srpt']:.1f} at load 0.9. PS gains "
        f"{ratio['open', 0.9, 'ps']:.1f} open and {ratio['closed', 0.9, 'ps']:.1f} closed. In the "
        f"closed system the gain has a peak: {peaks}."
    )
    held = ratio["open", 0.9, "srpt"] > 2 * ratio["closed", 0.9, "srpt"]
    return Principle(
        "iv",
        "Open systems gain much from scheduling, closed ones far less.",
        SUPPORTED if held else CORRECTED,
        sentence,
        [
            Table(
                "Mean under FCFS over that of a better policy, C² = 8, MPL 100 (figure 6a)",
                header,
                rows,
            )
        ],
    )


def _peak_words(ratio: dict[tuple[str, float, str], float], policy: str, loads: list[float]) -> str:
    most, load = max((ratio["closed", load, policy], load) for load in loads)
    return f"{POLICY_NAMES[policy]} {most:.1f} at load {load:g}"


def conditions(lab: Lab, grid: Grid, zero: list[Saturated]) -> Principle:
    """(v): the range in which a closed system gains from scheduling at all; and starvation."""
    points = _gain_points(grid)
    loads = _gain_loads(grid)
    ratio = {
        (n, load, policy): lab[points[n, load, "fcfs"]].mean / lab[points[n, load, policy]].mean
        for n, load, policy in points
    }
    counts = sorted({n for n, _, _ in points})
    rows: list[list[Cell]] = [
        [f"{n}", policy.upper(), *(ratio.get((n, load, policy)) for load in loads)]
        for n in counts
        for policy in ("ps", "srpt")
    ]
    header = ["MPL", "FCFS against", *(f"load {load:g}" for load in loads)]
    tables = [Table("Mean under FCFS over that of a better policy, closed, C² = 8", header, rows)]
    tables += [*_fixed_tables(lab, grid), _saturated_table(zero)]
    sentence = f"{_gain_words(ratio)} {_fixed_words(lab, grid)} {_saturated_words(zero)}"
    return Principle(
        "v",
        "In a closed system scheduling helps only in a narrow range: moderate load and high MPL.",
        PARTLY if ratio[100, 0.9, "ps"] < 3 < ratio[100, 0.9, "srpt"] else SUPPORTED,
        sentence,
        tables,
    )


def _gain_words(ratio: dict[tuple[int, float, str], float]) -> str:
    srpt = {(n, load): value for (n, load, policy), value in ratio.items() if policy == "srpt"}
    counts, loads = sorted({n for n, _ in srpt}), sorted({load for _, load in srpt})
    best = {n: max((value, load) for (m, load), value in srpt.items() if m == n) for n in counts}
    words = "; ".join(f"{g:.1f} for MPL {n} (at load {load:g})" for n, (g, load) in best.items())
    least = min(srpt[100, load] for load in loads)
    most = max(ratio[100, load, "ps"] for load in loads)
    return (
        f"PS gains a factor of {ratio[100, 0.9, 'ps']:.1f} over FCFS with MPL 100 at load 0.9, and "
        f"{most:.1f} at most; the paper speaks of 2.5. SRPT gains more: {words}. A high MPL it "
        f"does take, but the range of loads is not narrow: with MPL 100 SRPT gains {least:.1f} "
        f"and more at every load from {loads[0]:g} to {loads[-1]:g}."
    )


def _fixed_words(lab: Lab, grid: Grid) -> str:
    think = exact.think_time(Point("closed"), 0.9) or 0.0
    fcfs, srpt = (lab[fixed_think(Point("closed", one), think)].busy for one in ("fcfs", "srpt"))
    busy = [lab[fixed_think(Point("closed", one), 500.0)].mean for one in ("fcfs", "srpt")]
    return (
        "At the same think time, not the same load, there is nothing to gain from saturated "
        f"clients (E[Z] = 500 s: FCFS {busy[0]:.0f} s, SRPT {busy[1]:.0f} s); and where FCFS has "
        f"load {fcfs:.3f}, SRPT has {srpt:.3f}."
    )


def _saturated_words(zero: list[Saturated]) -> str:
    by_policy = {one.policy: one for one in sorted(zero, key=lambda one: one.requests)}
    fair, srpt = by_policy["ps"], by_policy["srpt"]
    return (
        f"Without think times every policy that lets all requests finish has a mean of N·E[S] = "
        f"1,000 s (FCFS {by_policy['fcfs'].mean:,.0f}, PS {fair.mean:,.0f}, PESJF "
        f"{by_policy['pesjf'].mean:,.0f}). Others let requests starve: under SRPT those that "
        f"finish see {srpt.finished:,.0f} s, half of N·E[S], and half of them take less than "
        f"{srpt.median:.1f} s, while the large ones wait for as long as the run lasts; under LCFS "
        f"the client that returns is always the newest, {by_policy['lcfs'].starving} of "
        f"{CLIENTS} clients starve from the start, and the others see 2·E[S] "
        f"({by_policy['lcfs'].finished:.1f} s); under preemptive LCFS one client has the server "
        f"for itself ({by_policy['plcfs'].finished:.1f} s). Over all requests, those that starve "
        "included, the mean is N·E[S] again, so that a simulation that stops without waiting for "
        "them shows a gain that does not exist."
    )


def _saturated_table(zero: list[Saturated]) -> Table:
    rows: list[list[Cell]] = [
        [
            _policy_name(one.policy),
            one.requests,
            one.mean,
            one.finished,
            one.median,
            one.p99,
            one.starving,
            one.others,
        ]
        for one in zero
    ]
    header = [
        "policy",
        "requests",
        "mean of all (s)",
        "mean of those finished in the run (s)",
        "median (s)",
        "p99 (s)",
        "starving",
        "mean of the others (s)",
    ]
    caption = (
        "No think time, MPL 100: N·E[S] = 1,000 s. A request starves that is under way for more "
        "than a tenth of the run"
    )
    return Table(caption, header, rows)


def _policy_name(policy: str) -> str:
    return POLICY_NAMES.get(policy, policy.upper().replace("(", " (quantum ").replace("S)", " s)"))


def _fixed_tables(lab: Lab, grid: Grid) -> list[Table]:
    means: list[list[Cell]] = []
    loads: list[list[Cell]] = []
    for think in _thinks(grid):
        found = [lab[fixed_think(Point("closed", one), think)] for one in grid.policies]
        means.append([f"{think:,.0f}", *(answer.mean for answer in found)])
        # Not the throughput times E[S]: a sample's mean demand is not E[S], and the product may
        # exceed 1.
        loads.append([f"{think:,.0f}", *(f"{answer.busy:.3f}" for answer in found)])
    header = ["E[Z] (s)", *(POLICY_NAMES[one] for one in grid.policies)]
    caption = "at the same think time instead of the same load, closed, MPL 100, C² = 8"
    return [
        Table(f"Mean response time in seconds {caption}", header, means),
        Table(f"Load (share of time that the server was busy) {caption}", header, loads),
    ]


def less_variability(lab: Lab, grid: Grid) -> Principle:
    """(vi): growth with C² by policy."""
    low, high = grid.cv2[0], grid.cv2[-1]
    mean = {
        (model, policy, cv2): lab[Point(model, policy, cv2=cv2)].mean
        for model in ("open", "closed")
        for policy in grid.policies
        for cv2 in (low, high)
    }
    growth = {
        (model, policy): mean[model, policy, high] / mean[model, policy, low]
        for model, policy, _ in mean
    }
    rows: list[list[Cell]] = [
        [
            POLICY_NAMES[policy],
            *(mean["open", policy, cv2] for cv2 in (low, high)),
            growth["open", policy],
            *(mean["closed", policy, cv2] for cv2 in (low, high)),
            growth["closed", policy],
        ]
        for policy in grid.policies
    ]
    parts = [f"{model}, C² = {cv2:g}" for model in ("open", "closed") for cv2 in (low, high)]
    header = ["policy", *parts[:2], "open: growth", *parts[2:], "closed: growth"]
    words = _growth_words(growth, grid.policies)
    sentence = f"From C² = {low:g} to {high:g} at load 0.9 the mean grows by these factors, {words}"
    held = growth["open", "srpt"] < 1.5 < growth["open", "fcfs"] and growth["closed", "srpt"] < 1.5
    return Principle(
        "vi",
        "Scheduling takes away much of what variable demands do, in open and closed systems.",
        SUPPORTED if held else CORRECTED,
        sentence,
        [Table("Mean response time in seconds at load 0.9 (figure 6b)", header, rows)],
    )


def _growth_words(growth: dict[tuple[str, str], float], policies: list[str]) -> str:
    words = ", ".join(
        f"{POLICY_NAMES[one]} {growth['open', one]:.1f} and {growth['closed', one]:.1f}"
        for one in policies
    )
    return (
        f"open and closed (MPL 100): {words}. Only policies that part short from long requests, "
        "or share the server, take the effect away; serving the long ones first makes it worse."
    )
