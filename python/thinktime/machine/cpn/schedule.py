"""The pages of time sharing: how tasks come to queues, and cores to tasks.

The next steps are on the fusion place Agenda, a list of duties. An event puts its duties there and
is over when the list is empty. The order is that of `crates/core/src/system/machine/README.md`, One
event after another.
"""

from __future__ import annotations

from collections.abc import Mapping

from thinktime.machine.cpn.features import NetFeatures
from thinktime.machine.cpn.net import Kind, Page, Transition

IDLE = "idOf task = IDLE_ID"
BUSY = "idOf task <> IDLE_ID"
RUNS = "(c, task, t, v)"
RUNS_PARTS = "(c, (i, k, p, s), t, v)"


def queue_of(features: NetFeatures, cpu: str = "c") -> str:
    """The number of a core's run queue."""
    return "0" if features.one_queue else cpu


def all_running(features: NetFeatures) -> tuple[str, str]:
    """An inscription that binds the tasks of all cores, and the list of (core, task)."""
    each = range(features.cores)
    arc = " ++ ".join(f"1`({cpu}, task{cpu}, t{cpu}, v{cpu})" for cpu in each)
    return arc, "[" + ", ".join(f"({cpu}, task{cpu})" for cpu in each) + "]"


def leaves(features: NetFeatures, transition: Transition, core: str = "c") -> None:
    """Record when a task left a core, if tasks stay where they ran just before."""
    if features.dynamic is not None and features.dynamic.cache_affinity:
        after = f"insertRun ((i, {core}, now ()), lastRuns)"
        transition.change("Last Runs", "lastRuns", after)


def drawn_leaving(features: NetFeatures, page: Page, at: tuple[float, float]) -> None:
    """Draw the place that `leaves` needs."""
    if features.dynamic is not None and features.dynamic.cache_affinity:
        page.place("Last Runs", at)


def schedule(features: NetFeatures, kinds: Mapping[str, Kind]) -> Page:
    """The page of transition Schedule."""
    page = Page("Schedule", kinds)
    page.ports(0, {"Incoming": 0, "Ready": 1.5, "Expired": 3, "Running": 4.5})
    page.ports(3, {"Request": 3})
    page.ports(3, {"Response": 0}, "Out")
    page.place("Turn Ends", (1.5, 3))
    page.substitute("Enqueue", (0, 1.5), _enqueue(features, kinds))
    page.substitute("End Turn", (1, 1.5), _end_turn(features, kinds))
    page.substitute("Take", (2, 1.5), _take(features, kinds))
    page.substitute("Place", (3, 1.5), _place(features, kinds))
    page.substitute("Contend", (4, 1.5), _contend(features, kinds))
    page.substitute("Preempt", (5, 1.5), _preempt(features, kinds))
    if features.dynamic is not None:
        page.substitute("Settle", (6, 1.5), _settle(kinds))
    return page


def _enqueue(features: NetFeatures, kinds: Mapping[str, Kind]) -> Page:
    page = Page("Enqueue", kinds)
    page.ports(0, {"Incoming": 0})
    page.ports(1, {"Ready": -1, "Expired": 1})
    queue = queue_of(features)
    enter = page.transition("Enqueue", (0, 1), priority="P_WORK")
    enter.change("Incoming", "((i, c, p, s), array)::entries", "entries")
    for place, name, kind in (("Ready", "queue", "ToActive"), ("Expired", "expired", "ToExpired")):
        inserted = f"insertLast ((i, c, p, s), {name})"
        after = f"({queue}, if array = {kind} then {inserted} else {name})"
        enter.change(place, f"({queue}, {name})", after)
    return page


def _end_turn(features: NetFeatures, kinds: Mapping[str, Kind]) -> Page:
    page = Page("End Turn", kinds)
    page.ports(0, {"Turn Ends": 0})
    page.place("Due Turns", (1, 0))
    page.ports(1, {"Running": 0})
    page.ports(2, {"Expired" if features.expired else "Ready": 0})
    page.ports(1, {"Request": 2.8})
    page.ports(0, {"Response": 3}, "Out")
    page.ports(2, {"Agenda": 2, "Finished": 3})
    drawn_leaving(features, page, (1, 2.5))
    over = page.transition("Turn Is Over", (0.5, -0.7), priority="P_COLLECT")
    over.take("Turn Ends", "(c, v)").change("Due Turns", "turns", "insertDue ((c, v), turns)")
    stale = page.transition(
        "Was Preempted", (-1, 0.5), "v <> w orelse idOf task = IDLE_ID", "P_COLLECT"
    )
    stale.change("Due Turns", "(c, w)::turns", "turns").look("Running", RUNS)
    done = page.transition("Burst Done", (2, 0.4), "d <= s", "P_TURN")
    done.change("Due Turns", "(c, v)::turns", "turns")
    done.change("Running", RUNS_PARTS, "(c, (i, k, p, s - d), t, v)")
    done.take("Request", "(i, d)").put("Response", "i")
    done.change("Finished", "completions", "completions^^[(i, now ())]")
    left = ", (Left, 0, c)" if asks_when_left(features) else ""
    done.change("Agenda", "[]", f"[(Take, 0, c){left}]")
    leaves(features, done)
    used = page.transition("Slice Used Up", (1, 1.5), "d > s", "P_TURN")
    used.change("Due Turns", "(c, v)::turns", "turns")
    used.change("Running", RUNS_PARTS, "(c, IDLE_TASK, t, v)")
    used.change("Request", "(i, d)", "(i, d - s)")
    queue = queue_of(features)
    refilled = f"({queue}, insertLast ((i, k, p, fullSlice p), queue))"
    used.change("Expired" if features.expired else "Ready", f"({queue}, queue)", refilled)
    used.change("Agenda", "[]", "[(Take, 0, c)]")
    leaves(features, used)
    return page


def asks_when_left(features: NetFeatures) -> bool:
    """Whether balancing may be tried when a task has left a core."""
    dynamic = features.dynamic
    return dynamic is not None and (dynamic.receiver or "on-idle" in dynamic.events)


def _take(features: NetFeatures, kinds: Mapping[str, Kind]) -> Page:
    page = Page("Take", kinds)
    page.ports(0, {"Incoming": 0, "Agenda": 2})
    page.ports(2, {"Ready": 0, "Expired": 1, "Running": 2})
    page.ports(1, {"Request": 3})
    page.ports(2, {"Turn Ends": 3}, "Out")
    queue = queue_of(features)
    best = page.transition("Take Best", (2.4, 1), IDLE, "P_WORK")
    best.change("Agenda", "(Take, x, c)::duties", "duties").look("Incoming", "[]")
    best.change("Ready", f"({queue}, (i, k, p, s)::queue)", f"({queue}, queue)")
    best.change("Running", RUNS, "(c, (i, c, p, s), now (), v + 1)")
    best.look("Request", "(i, d)")
    best.put("Turn Ends", "1`(c, v + 1)@+(Int.min (s, d))")
    nobody = page.transition("Nobody Waits", (1.4, 1), IDLE, "P_WORK")
    nobody.change("Agenda", "(Take, x, c)::duties", "duties").look("Incoming", "[]")
    nobody.look("Ready", f"({queue}, [])").look("Expired", f"({queue}, [])")
    nobody.look("Running", RUNS)
    if features.expired:
        guard = f"{IDLE} andalso length expired > 0"
        swap = page.transition("Swap Arrays", (0.4, 1), guard, "P_WORK")
        swap.look("Agenda", "(Take, x, c)::duties").look("Incoming", "[]")
        swap.change("Ready", f"({queue}, [])", f"({queue}, expired)")
        swap.change("Expired", f"({queue}, expired)", f"({queue}, [])")
        swap.look("Running", RUNS)
    return page


def _place(features: NetFeatures, kinds: Mapping[str, Kind]) -> Page:
    """A task that comes to an idle core runs there at once."""
    page = Page("Place", kinds)
    page.ports(0, {"Incoming": 0, "Agenda": 1})
    page.ports(2, {"Running": 0.5})
    idle, before, after = IDLE, "(Place, x, c)::duties", "[(Take, 0, c)]"
    arc = RUNS
    if features.one_queue:  # any idle core may take the new task
        arc, running = all_running(features)
        chosen = f"idleCore (y, {running})"
        idle, before = f"isIdle ({chosen},\n{running})", "(Place, x, y)::duties"
        after = f"[(Take, 0, {chosen})]"
    for name, column, guard, rest in (
        ("Place Idle", 0, idle, after),
        ("Place Busy", 1, f"not ({idle})", "duties"),
    ):
        place = page.transition(name, (column, 1), guard, "P_WORK")
        place.change("Agenda", before, rest).look("Incoming", "[]").look("Running", arc)
    return page


def _contend(features: NetFeatures, kinds: Mapping[str, Kind]) -> Page:
    """A waiting task takes the core if its priority is strictly better."""
    page = Page("Contend", kinds)
    page.ports(0, {"Incoming": 0, "Agenda": 1})
    page.ports(2, {"Ready": 0, "Running": 1})
    queue, arc, task, core = "(c, queue)", RUNS, "task", "c"
    if features.one_queue:
        arc, running = all_running(features)
        core = f"worstCore ((0, priorityOf task0),\n{running})"
        queue, task = "(0, queue)", f"taskOn ({core}, {running})"
    for name, column, guard, rest in (
        ("Goes First", 0, f"goesFirst (x, queue, {task})", f"(Preempt, x, {core})::duties"),
        ("Has To Wait", 1, f"hasToWait (x, queue, {task})", "duties"),
    ):
        contend = page.transition(name, (column, 1), guard, "P_WORK")
        contend.change("Agenda", "(Contend, x, y)::duties", rest)
        contend.look("Incoming", "[]").look("Ready", queue).look("Running", arc)
    if not features.one_queue:
        runs = page.transition("Already Runs", (2, 1), "idOf task = x", "P_WORK")
        runs.change("Agenda", "(Contend, x, y)::duties", "duties")
        runs.look("Incoming", "[]").look("Running", RUNS)
    return page


def _preempt(features: NetFeatures, kinds: Mapping[str, Kind]) -> Page:
    page = Page("Preempt", kinds)
    page.ports(0, {"Incoming": 0, "Agenda": 1, "Request": 2})
    page.ports(2, {"Ready": 0, "Running": 2})
    drawn_leaving(features, page, (2.2, 1))
    queue = queue_of(features)
    preempt = page.transition("Preempt", (1, 1), priority="P_WORK")
    preempt.change("Agenda", "(Preempt, x, c)::duties", "(Take, 0, c)::duties")
    preempt.look("Incoming", "[]")
    preempt.change("Running", RUNS_PARTS, "(c, IDLE_TASK, t, v)")
    preempt.change("Request", "(i, d)", "(i, d - (now () - t))")
    ran = "(i, c, p, s - (now () - t))"
    preempt.change("Ready", f"({queue}, queue)", f"({queue}, insertFirst ({ran}, queue))")
    leaves(features, preempt)
    return page


def _settle(kinds: Mapping[str, Kind]) -> Page:
    """After moves an idle taker takes the best task, a busy one the best moved one, if better."""
    page = Page("Settle", kinds)
    page.ports(0, {"Incoming": 0, "Agenda": 1})
    page.ports(2, {"Moved": 0, "Running": 1, "Ready": 2})
    cases = {
        "Taker Is Idle": (IDLE, "(Take, 0, c)::duties"),
        "Moved Goes First": (
            "movedGoFirst (moved, queue, task)",
            "(Preempt, idOf (bestMoved (moved, queue)), c)::duties",
        ),
        "Moved Have To Wait": ("movedWait (moved, queue, task)", "duties"),
    }
    for column, (name, (guard, after)) in enumerate(cases.items()):
        settle = page.transition(name, (column, 1), guard, "P_WORK")
        settle.change("Agenda", "(Settle, x, c)::duties", after)
        settle.look("Incoming", "[]").look("Running", RUNS).change("Moved", "moved", "[]")
        settle.look("Ready", "(c, queue)")
    return page
