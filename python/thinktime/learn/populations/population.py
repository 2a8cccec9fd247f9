"""The results for populations: their labels, their descriptions, and further findings."""

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
    """open, closed, or partly-open: the population's own model, whatever a rule of thumb says."""

    confidence: str
    """The confidence in the model: sure, likely, or unsure."""

    reason: str
    would_change: str
    """The change that would lead to another verdict."""

    requests: int
    users: int
    """Addresses with their agents."""

    clients: int | None = None
    """The number of clients of a closed population, as in the workload file."""

    interval_s: float | None = None
    """The median think time of loops, from an answer to the next request; for even programs the
    median distance of their requests."""

    think: str | None = None
    """The known law of the interval: `fixed`, `near-fixed`, `none` (no think time) or `varied`;
    null if it was not examined."""

    host: str = ""
    """Its host, if the log names hosts and all requests go to one."""

    paths: tuple[str, ...] = ()
    """Its most frequent paths, with `#` for numbers; for programs only."""


@dataclass(frozen=True)
class Finding:
    """A finding that a reader of the log should know."""

    name: str
    text: str
    share: float
    """The share of the log that it concerns, by requests or, if it concerns time, by time."""


@dataclass(frozen=True)
class Populations:
    """All populations of a log."""

    labels: NDArray[np.uint16]
    """The place in `populations` of each row's population."""

    populations: tuple[Population, ...]
    """Those of people first, then programs, each by their requests."""

    findings: tuple[Finding, ...]

    def of(self, name: str) -> NDArray[np.bool_]:
        """Whether each row belongs to this population."""
        place = [one.name for one in self.populations].index(name)
        return np.asarray(self.labels == place)
