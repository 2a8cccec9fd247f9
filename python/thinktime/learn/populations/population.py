"""What is told of populations: their labels, their descriptions, and what else was noticed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SURE, LIKELY, UNSURE = "sure", "likely", "unsure"


@dataclass(frozen=True)
class Population:
    """One population of a log."""

    name: str
    """Unique in the log, such as `people` or `pollers-2`."""

    kind: str
    """people, loop, even, crawler, scanner, or callers."""

    model: str
    """open, closed, or partly-open: what the population is, whatever a rule of thumb says."""

    confidence: str
    """Of the model: sure, likely, or unsure."""

    reason: str
    would_change: str
    """What would make this another verdict."""

    requests: int
    users: int
    """Addresses with their agents."""

    clients: int | None = None
    """How many there are, where the population is closed, as the workload file has them."""

    interval_s: float | None = None
    """Of loops the think time, from an answer to the next request; of even programs the distance
    of their requests; its median."""

    think: str | None = None
    """What is known of the law of the interval: `fixed`, `near-fixed`, `none` (no think time) or
    `varied`; null where it was not looked at."""

    host: str = ""
    """Where it asks, if the log names hosts and all of it goes to one."""

    paths: tuple[str, ...] = ()
    """The paths that it asks for most, with `#` for numbers; of programs."""


@dataclass(frozen=True)
class Finding:
    """Something that a reader of the log should know."""

    name: str
    text: str
    share: float
    """How much of the log it is about, by requests or, where it is about time, by time."""


@dataclass(frozen=True)
class Populations:
    """All populations of a log."""

    labels: NDArray[np.uint16]
    """For each row its population's place in `populations`."""

    populations: tuple[Population, ...]
    """Those of people first, then programs, each by their requests."""

    findings: tuple[Finding, ...]

    def of(self, name: str) -> NDArray[np.bool_]:
        """Which rows are this population's."""
        place = [one.name for one in self.populations].index(name)
        return np.asarray(self.labels == place)
