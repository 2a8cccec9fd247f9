"""The pages around time sharing: the tasks' behaviour, creation, sleeps and end."""

from __future__ import annotations

from collections.abc import Mapping

from thinktime.machine.cpn.features import NetFeatures
from thinktime.machine.cpn.net import Kind, Page
from thinktime.machine.cpn.schedule import RUNS_PARTS, all_running


def behaviour(kinds: Mapping[str, Kind]) -> Page:
    """The page of transition Tasks: each task brings its bursts, and sleeps between them."""
    page = Page("Tasks", kinds)
    page.ports(0, {"New": 1, "WakeUp": 2, "Request": 3}, "Out")
    page.ports(2, {"PutToSleep": 2, "Terminate": 3}, "Out")
    page.ports(2, {"Response": 1}, "In")
    for name, at in {
        "Arrivals": (-1, 0),
        "Asleep": (-1, 2),
        "Due": (0, 1),
        "Sleeps": (0.5, 2.2),
        "Plans": (2, 1),
    }.items():
        page.place(name, at)
    arrives = page.transition("Arrives", (-0.5, 0.5), priority="P_COLLECT")
    arrives.take("Arrivals", "(i, spans)")
    arrives.change("Due", "dues", "insertOutside ((ARRIVALS + i, i, true, spans), dues)")
    rested = page.transition("Slept", (-0.5, 1.5), priority="P_COLLECT")
    rested.take("Asleep", "(n, i, spans)")
    rested.change("Due", "dues", "insertOutside ((n, i, false, spans), dues)")
    begin = page.transition("Begin", (1, 0.6), priority="P_OUTSIDE")
    begin.change("Due", "(n, i, true, d::spans)::dues", "dues").put("New", "i")
    wake = page.transition("Wake", (1, 1.2), priority="P_OUTSIDE")
    wake.change("Due", "(n, i, false, d::spans)::dues", "dues").put("WakeUp", "i")
    for transition in (begin, wake):
        transition.put("Request", "(i, d)").put("Plans", "(i, spans)")
    sleep = page.transition("Sleep", (1.5, 1.6), priority="P_WORK")
    sleep.take("Response", "i").take("Plans", "(i, d::spans)")
    sleep.put("PutToSleep", "i").put("Asleep", "1`(n, i, spans)@+d")
    sleep.change("Sleeps", "n", "n + 1")
    end = page.transition("End", (2.5, 1.6), priority="P_WORK")
    end.take("Response", "i").take("Plans", "(i, [])").put("Terminate", "i")
    return page


def _notice(features: NetFeatures, event: str, work: str) -> str:
    """The duty to try balancing, if an event triggers it."""
    dynamic = features.dynamic
    if dynamic is not None and (dynamic.sender or event in dynamic.events):
        return f"({work}, i, CPU), "
    return ""


def initialise_task(features: NetFeatures, kinds: Mapping[str, Kind]) -> Page:
    """The page of transition Initialise Task: one for each static policy."""
    page = Page(f"Initialise Task ({features.placement})", kinds)
    page.ports(0, {"New": 0}, "In")
    page.ports(0, {"Incoming": 2})
    page.ports(2, {"Agenda": 2, "First Cores": 3})
    new = page.transition("Initialise Task", (1, 1), priority="P_WORK")
    new.take("New", "i")
    core = "0"
    if features.placement == "cyclic-splitting":
        page.place("Next Core", (0, 2))
        new.change("Next Core", "c", f"(c + 1) mod {features.cores}")
        core = "c"
    elif features.placement == "least-loaded":
        page.ports(2, {"Ready": -1, "Expired": 0, "Running": 1})
        core = _least_loaded(features, page)
    new.change("Incoming", "[]", f"[(newTask (i, {core}), ToActive)]")
    notice = _notice(features, "on-fork", "Forked").replace("CPU", core)
    new.change("Agenda", "[]", f"[(Place, i, {core}),\n{notice}(Contend, i, {core})]")
    new.change("First Cores", "firstCores", f"firstCores^^[(i, {core})]")
    return page


def _least_loaded(features: NetFeatures, page: Page) -> str:
    """The core with the fewest tasks; with one queue only running tasks distinguish cores."""
    new = page.transitions["Initialise Task"]
    each = range(features.cores)
    new.look("Running", all_running(features)[0])
    waiting = [""] * features.cores
    if not features.one_queue:
        for place, name in (("Ready", "queue"), ("Expired", "expired")):
            new.look(place, " ++ ".join(f"1`({cpu}, {name}{cpu})" for cpu in each))
        waiting = [f"length (queue{cpu}^^expired{cpu}) + " for cpu in each]
    counts = [f"({c}, {waiting[c]}(if idOf task{c} = IDLE_ID then 0 else 1))" for c in each]
    return f"leastLoaded ({counts[0]}, [{', '.join(counts[1:])}])"


def start_waiting(kinds: Mapping[str, Kind]) -> Page:
    """The page of transition Start Waiting."""
    page = Page("Start Waiting", kinds)
    page.ports(0, {"PutToSleep": 0}, "In")
    page.ports(0, {"Running": 2})
    page.ports(2, {"Waiting": 1}, "Out")
    start = page.transition("Start Waiting", (1, 1), priority="P_WORK")
    start.take("PutToSleep", "i").change("Running", RUNS_PARTS, "(c, IDLE_TASK, t, v)")
    start.put("Waiting", "(i, c, p, s)")
    return page


def stop_waiting(features: NetFeatures, kinds: Mapping[str, Kind]) -> Page:
    """The page of transition Stop Waiting: one for each policy for woken tasks."""
    page = Page(f"Stop Waiting ({features.woken})", kinds)
    page.ports(0, {"WakeUp": 0, "Waiting": 1}, "In")
    page.ports(0, {"Incoming": 2})
    page.ports(2, {"Agenda": 2})
    stop = page.transition("Stop Waiting", (1, 1), priority="P_WORK")
    stop.take("WakeUp", "i").take("Waiting", "(i, c, p, s)")
    core = "c"
    if features.woken == "first-core":
        page.place("First Cores", (0, 2))
        stop.look("First Cores", "firstCores")
        core = "lookUp (i, firstCores)"
    elif features.woken == "idle-core":
        page.ports(2, {"Running": 0})
        arc, running = all_running(features)
        stop.look("Running", arc)
        core = f"idleCore (c, {running})"
    stop.change("Incoming", "[]", f"[((i, {core}, p, sliceAfterWait (p, s)), ToActive)]")
    notice = _notice(features, "on-wake", "Woken").replace("CPU", core)
    stop.change("Agenda", "[]", f"[(Place, i, {core}),\n{notice}(Contend, i, {core})]")
    return page


def terminate(kinds: Mapping[str, Kind]) -> Page:
    """The page of transition Terminate."""
    page = Page("Terminate", kinds)
    page.ports(0, {"Terminate": 0}, "In")
    page.ports(0, {"Running": 2})
    page.ports(2, {"Ended": 1})
    end = page.transition("Terminate", (1, 1), priority="P_WORK")
    end.take("Terminate", "i").change("Running", RUNS_PARTS, "(c, IDLE_TASK, t, v)")
    end.change("Ended", "n", "n + 1")
    return page
