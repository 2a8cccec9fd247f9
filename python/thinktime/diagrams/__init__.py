"""Workloads and systems as diagrams: users, and the parts that serve them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.diagrams import users
from thinktime.diagrams.population import populations_of
from thinktime.present import units
from thinktime.present.page import Section

if TYPE_CHECKING:
    from thinktime import Workload

DIAGRAMS_MAX = 6
"""At most this many are drawn side by side; a number stands for the rest."""


def of_workload(workload: Workload) -> Section:
    """The populations of a workload alone."""
    found = [users.diagram_of(one, one.name or workload.name) for one in populations_of(workload)]
    left = len(found) - DIAGRAMS_MAX
    more = f" Of {units.count(len(found))} the first {DIAGRAMS_MAX} are drawn." if left > 0 else ""
    return Section("workload", "The workload", ASKS + more, None, found[:DIAGRAMS_MAX])


ASKS = (
    "From top to bottom: the arrivals of sessions, their requests, and their return to ask again."
)
