"""The page on top: figure 3 of MOSS, with the tasks' behaviour beside it."""

from __future__ import annotations

from collections.abc import Mapping

from thinktime.machine.cpn import tasks
from thinktime.machine.cpn.balancing import dynamic_balancing
from thinktime.machine.cpn.features import NetFeatures
from thinktime.machine.cpn.net import Kind, Page
from thinktime.machine.cpn.schedule import schedule

PLACES = {
    "New": (0.0, 0.0),
    "Incoming": (2.0, 0.0),
    "Ready": (4.0, 0.0),
    "Expired": (5.0, 0.0),
    "WakeUp": (0.0, 2.0),
    "Waiting": (2.0, 2.0),
    "Running": (4.0, 2.0),
    "Request": (6.0, 1.0),
    "Response": (6.0, 2.0),
    "PutToSleep": (2.0, 4.0),
    "Terminate": (6.0, 4.0),
}


def overview(features: NetFeatures, kinds: Mapping[str, Kind]) -> Page:
    """The page on top of the whole net."""
    page = Page("MOSS", kinds)
    for name, at in PLACES.items():
        page.place(name, at)
    page.substitute("Tasks", (7.5, 2.5), tasks.behaviour(kinds))
    page.substitute("Initialise Task", (1, 0), tasks.initialise_task(features, kinds))
    page.substitute("Schedule", (4, 1), schedule(features, kinds))
    page.substitute("Start Waiting", (3, 3), tasks.start_waiting(kinds))
    page.substitute("Stop Waiting", (1, 1.5), tasks.stop_waiting(features, kinds))
    page.substitute("Terminate", (5, 3), tasks.terminate(kinds))
    if features.dynamic is not None:
        below = dynamic_balancing(features, features.dynamic, kinds)
        page.substitute("Dynamic Balancing", (3, -1), below)
    for log, column in {"Finished": 0.0, "First Cores": 1.0, "Moves": 2.0, "Ended": 3.0}.items():
        page.place(log, (column, 5.2))
    return page
