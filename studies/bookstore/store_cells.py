"""The runs of the study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import classes
import mixes

RUNS = 3
"""The number of runs of a cell at the highest load, where consecutive runs differ much."""

LOWER = 0.3
"""This share of a run at the highest load is enough at a lower one, where queues soon end."""


@dataclass(frozen=True)
class Cell:
    """Runs of a kind: the users, the scheduling of the backends, and the requested load."""

    model: str
    policy: str
    load: float
    part: float = 1.0
    """Relative to the length of a run."""

    times: int = 1
    """The number of runs."""

    pools: bool = False
    """Whether each class has a pool of connections of its own."""


def cells(loads: list[float], quick: bool) -> Iterator[Cell]:
    """All cells that this user may run; of the quick study three."""
    may = classes.permitted()
    if quick:
        policy = "PESJF" if "PESJF" in may else may[0]
        yield from (Cell(model, policy, loads[0]) for model in mixes.MODELS)
        return
    yield from (cell for cell in _every(loads) if cell.policy in may)


def _every(loads: list[float]) -> Iterator[Cell]:
    highest = loads[-1]
    for load in loads[:-1]:
        for model in ("open", "closed"):
            for policy in ("default", "PESJF", "PELJF"):
                yield Cell(model, policy, load, LOWER)
    for policy in ("default", "PESJF", "PELJF"):
        for model in ("open", "partly open", "closed"):
            yield Cell(model, policy, highest, times=RUNS)
    yield from (Cell("open", p, highest) for p in ("PESJF, idle", "PESJF, nice", "PESJF, group"))
    yield Cell("open", "PESJF", highest, pools=True)
