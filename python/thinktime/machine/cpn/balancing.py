"""The pages of dynamic balancing: figures 4 to 8 of MOSS, each policy a page of its own.

An attempt begins when Trigger puts all cores on Start and on IsBalancing, and ends when IsBalancing
is empty. Until then the duty that asked for it stays on top of the Agenda.
"""

from __future__ import annotations

from collections.abc import Mapping

from thinktime.machine.cpn.features import Balancing, NetFeatures
from thinktime.machine.cpn.net import Kind, Page, Transition
from thinktime.machine.cpn.schedule import BUSY, IDLE, RUNS

PAIR = "pair (senderList, receiverList, partners)"
LISTS = {"Start": 1.0, "Load": 2.0, "Sender": 3.0, "Receiver": 4.0, "Pairs": 5.0}


def dynamic_balancing(features: NetFeatures, dynamic: Balancing, kinds: Mapping[str, Kind]) -> Page:
    """The page of transition Dynamic Balancing (figure 4)."""
    page = Page("Dynamic Balancing", kinds)
    page.ports(0, {"Incoming": 0, "Ready": 1, "Expired": 2, "Running": 3})
    for name, column in LISTS.items():
        page.place(name, (column - 0.5, 3))
    page.place("IsBalancing", (0, 4))
    page.substitute("Trigger", (0, 2), _trigger(dynamic, kinds))
    page.substitute("DetermineLoad", (1, 2), _determine_load(dynamic, kinds))
    page.substitute("DetermineRole", (2, 2), _determine_role(dynamic, kinds))
    page.substitute("Couple", (3.3, 2), _couple(dynamic, kinds))
    page.substitute("Balance", (4.6, 2), _balance(dynamic, kinds))
    return page


# ---- figure 2e: information policy


def _trigger(dynamic: Balancing, kinds: Mapping[str, Kind]) -> Page:
    page = Page("Trigger", kinds)
    page.ports(0, {"Incoming": 0, "Agenda": 1, "Running": 2})
    page.ports(2, {"Start": 0, "IsBalancing": 1})
    causes = {"On Fork": ("on-fork", "Forked"), "On Wake": ("on-wake", "Woken")}
    for column, (name, (event, work)) in enumerate(causes.items()):
        if dynamic.sender or event in dynamic.events:
            begin = page.transition(name, (column - 1, 1), priority="P_WORK")
            _begins(begin).look("Agenda", f"({work}, x, c)::duties")
    if dynamic.receiver or "on-idle" in dynamic.events:
        _trigger_when_left(dynamic, page)
    if dynamic.periodic:
        page.place("Clock", (4, 1))
        page.place("Ended", (4, 2))
        begin = page.transition("Periodic", (3.5, 0.4), "n < TASKS", "P_PERIODIC")
        _begins(begin).change("Agenda", "[]", "[(Elapsed, 0, 0)]")
        begin.change("Clock", "()", "1`()@+PERIODIC").look("Ended", "n")
    return page


def _begins(transition: Transition) -> Transition:
    transition.look("Incoming", "[]")
    return transition.change("Start", "[]", "CPUS").change("IsBalancing", "[]", "CPUS")


def _trigger_when_left(dynamic: Balancing, page: Page) -> None:
    """A task has left its core: the core is idle, or has taken the next one."""
    idle = page.transition("On Idle", (1, 1), IDLE, "P_WORK")
    _begins(idle).look("Agenda", "(Left, x, c)::duties").look("Running", RUNS)
    enough = BUSY
    if dynamic.receiver:
        fell, guard = "", BUSY
        if dynamic.bounds is not None:
            page.ports(2, {"Ready": 2, "Expired": 3})
            fell = "determineLoad (queue^^expired, idOf task)"
            fell = _as_taker(dynamic, fell) + " < LOWER_BOUND"
            guard, enough = f"{BUSY} andalso {fell}", f"{BUSY} andalso not ({fell})"
        begins = page.transition("Load Has Fallen", (2, 1), guard, "P_WORK")
        _begins(begins).look("Agenda", "(Left, x, c)::duties").look("Running", RUNS)
        if not fell:
            return
        _look_at_load(dynamic, page, begins)
    stays = page.transition("Enough Left", (3, 1), enough, "P_WORK")
    stays.change("Agenda", "(Left, x, c)::duties", "duties").look("Running", RUNS)
    stays.look("Incoming", "[]").look("IsBalancing", "[]")
    if dynamic.receiver:
        _look_at_load(dynamic, page, stays)


# ---- figure 2b: load index


def _look_at_load(dynamic: Balancing, page: Page, transition: Transition) -> None:
    """Bind the input of a core's load."""
    transition.look("Ready", "(c, queue)").look("Expired", "(c, expired)")
    if dynamic.load_index == "ageing-queue-length":
        page.place("Aged Load", (4, 3))
        transition.look("Aged Load", "(c, aged)")
    elif dynamic.load_index == "average-queue-length":
        page.place("Counts", (4, 3))
        transition.look("Counts", "(c, counts)")


def _as_giver(dynamic: Balancing, now: str) -> str:
    if dynamic.load_index == "average-queue-length":
        return "averageLoad (counts, now ())"
    return f"Int.min (aged, {now})" if dynamic.load_index == "ageing-queue-length" else now


def _as_taker(dynamic: Balancing, now: str) -> str:
    return _as_giver(dynamic, now).replace("Int.min", "Int.max")


def _determine_load(dynamic: Balancing, kinds: Mapping[str, Kind]) -> Page:
    """Figure 5; the load on place Load is (core, that as a giver, that as a taker)."""
    page = Page(f"DetermineLoad ({dynamic.load_index})", kinds)
    page.ports(0, {"Incoming": 0, "Start": 1, "Load": 2})
    page.ports(2, {"Ready": 0, "Expired": 1, "Running": 2})
    determine = page.transition("DetermineCurrentLoad", (1, 1), priority="P_WORK")
    determine.change("Start", "c::cpus", "cpus").look("Incoming", "[]").look("Running", RUNS)
    _look_at_load(dynamic, page, determine)
    now = "determineLoad (queue^^expired, idOf task)"
    loads = f"(c, {_as_giver(dynamic, now)}, {_as_taker(dynamic, now)})"
    determine.change("Load", "loads", f"loads^^[{loads}]")
    if dynamic.load_index == "ageing-queue-length":
        _age(page)
    elif dynamic.load_index == "average-queue-length":
        count = "length (queue^^expired) + (if idOf task = IDLE_ID then 0 else 1)"
        guard = f"lastCount counts <> {count}"
        keep = page.transition("Keep Count", (3, 2.5), guard, "P_COLLECT")
        keep.look("Ready", "(c, queue)").look("Expired", "(c, expired)").look("Running", RUNS)
        keep.change("Counts", "(c, counts)", f"(c, recordCount (now (), {count}, counts))")
    return page


def _age(page: Page) -> None:
    """At each tick, before all else of that time, every core's load ages by one step."""
    page.place("Tick", (3, 0))
    page.place("To Age", (3, 2))
    page.place("Ended", (4, 0))
    tick = page.transition("Tick", (3, 1), "n < TASKS", "P_TICK")
    tick.change("Tick", "()", "1`()@+TIME_SPAN").change("To Age", "[]", "CPUS")
    tick.look("Ended", "n")
    age = page.transition("Age", (3, 3), priority="P_TICK")
    age.change("To Age", "c::cpus", "cpus")
    age.look("Ready", "(c, queue)").look("Expired", "(c, expired)").look("Running", RUNS)
    now = "determineLoad (queue^^expired, idOf task)"
    age.change("Aged Load", "(c, aged)", f"(c, aged128 (aged, {now}))")


# ---- figure 2c: transfer policy


def _determine_role(dynamic: Balancing, kinds: Mapping[str, Kind]) -> Page:
    """Figure 6, or under a relative policy a page on which each core is both."""
    name = "relative" if dynamic.bounds is None else "threshold"
    page = Page(f"DetermineRole ({name})", kinds)
    page.ports(0, {"Start": 0, "Load": 1})
    page.ports(2, {"Sender": 0, "Receiver": 2})
    guards = {"IsBoth": ""}
    if dynamic.bounds is not None:
        low, high = "takerLoad < LOWER_BOUND", "giverLoad > UPPER_BOUND"
        balanced = f"not ({low}) andalso not ({high})"
        guards = {"IsSender": high, "IsBalanced": balanced, "IsReceiver": low}
    for column, (name, guard) in enumerate(guards.items()):
        role = page.transition(name, (column, 1), guard, "P_WORK")
        role.look("Start", "[]").change("Load", "(c, giverLoad, takerLoad)::loads", "loads")
        if name in ("IsBoth", "IsSender"):
            after = "insertDescending ((c, giverLoad), senderList)"
            role.change("Sender", "senderList", after)
        if name in ("IsBoth", "IsReceiver"):
            after = "insertAscending ((c, takerLoad), receiverList)"
            role.change("Receiver", "receiverList", after)
    return page


# ---- figure 2d: location policy


def _couple(dynamic: Balancing, kinds: Mapping[str, Kind]) -> Page:
    """Figure 7."""
    page = Page(f"Couple ({dynamic.location})", kinds)
    page.ports(0, {"Start": 0, "Load": 1, "Sender": 2, "Receiver": 3})
    page.ports(2, {"IsBalancing": 0, "Agenda": 1, "Pairs": 3})
    page.place("Last Takers", (2, 2))
    cannot = "cannotBalance (senderList, receiverList)"
    ended = page.transition(
        "TerminateBalancing", (0.5, 1), f"length busy > 0 andalso {cannot}", "P_WORK"
    )
    ended.change("IsBalancing", "busy", "[]")
    ended.change("Agenda", "(work, x, c)::duties", "duties").look("Pairs", "[]")
    bind = page.transition("Bind", (2.5, 1), f"not ({cannot})", "P_WORK")
    bind.change("IsBalancing", "c::busy", f"bothOf ({PAIR})").change("Pairs", "[]", f"[{PAIR}]")
    bind.look("Last Takers", "partners")
    if dynamic.cache_affinity:
        page.place("Last Runs", (4, 1))
        page.place("Warm", (4, 2))
        bind.look("Last Runs", "lastRuns")
        bind.change("Warm", "warm", f"warmOn (giverOf ({PAIR}), lastRuns, now ())")
    for transition in (ended, bind):
        transition.look("Start", "[]").look("Load", "[]")
        transition.change("Sender", "senderList", "[]")
        transition.change("Receiver", "receiverList", "[]")
    return page


# ---- figure 2f: selection policy


def _balance(dynamic: Balancing, kinds: Mapping[str, Kind]) -> Page:
    """Figure 8: expired tasks before active ones."""
    order = ("high" if dynamic.best_first else "low") + ", "
    page = Page(f"Balance ({order}{'short' if dynamic.tail_first else 'long'})", kinds)
    page.ports(0, {"Moves": -0.5, "Last Takers": 0.5, "Pairs": 1.7, "IsBalancing": 3})
    page.ports(2, {"Ready": 0.2, "Expired": 1.2, "Incoming": 2.2})
    page.ports(1, {"Agenda": 4.2, "Moved": 1.7})
    if dynamic.cache_affinity:
        page.place("Warm", (-0.7, 2))
    warm = "warm" if dynamic.cache_affinity else "[]"
    may_go = f"somebodyMayGo (expired, queue, {warm})"
    move = page.transition("MoveTask", (0.5, 1), f"n > 0 andalso {may_go}", "P_WORK")
    move.change("Pairs", "[(k, r, n)]", "[(k, r, n - 1)]")
    move.change("Expired", "(k, expired)", f"(k, expiredLeft (expired, {warm}))")
    move.change("Ready", "(k, queue)", f"(k, activeLeft (expired, queue, {warm}))")
    move.change("Incoming", "[]", f"[entry (expired, queue, {warm}, r)]")
    move.change("Moved", "moved", f"moved^^(firstToMove (expired, queue, {warm}, r))")
    move.change("Moves", "moves", f"moves^^[move (expired, queue, {warm}, k, r)]")
    move.change("Last Takers", "partners", "remember ((k, r), partners)")
    finished = page.transition(
        "BalancingFinished", (3, 1), f"n <= 0 orelse not ({may_go})", "P_WORK"
    )
    finished.change("Pairs", "[(k, r, n)]", "[]").change("IsBalancing", "busy", "[]")
    finished.look("Ready", "(k, queue)").look("Expired", "(k, expired)").look("Incoming", "[]")
    after = "if length moved > 0\nthen (Settle, 0, r)::duties\nelse duties"
    finished.change("Agenda", "(work, x, c)::duties", after).look("Moved", "moved")
    for transition in (move, finished):
        if dynamic.cache_affinity:
            transition.look("Warm", "warm")
    return page
