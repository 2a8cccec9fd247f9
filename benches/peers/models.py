"""The models that every tool simulates. Imports nothing but the standard library."""

from __future__ import annotations

import math
from dataclasses import dataclass

DEMAND = 0.01
"""The mean service demand of every model, in seconds."""


@dataclass(frozen=True)
class Model:
    """A single-server queue and its users. Times are in seconds."""

    name: str
    title: str
    load: float
    population: str = "open"
    """`open`, `closed` or `partly-open`."""
    policy: str = "fcfs"
    cv2: float = 1.0
    """Squared coefficient of variation of the demand: exponential, or H2 with balanced means."""
    clients: int = 0
    think: float = 0.0
    session_length: float = 1.0
    """Mean of the geometric number of requests of a session."""

    @property
    def rate(self) -> float:
        """Requests a second, nominal for a closed model."""
        return self.load / DEMAND

    @property
    def phases(self) -> list[tuple[float, float]]:
        """Probabilities and means of the exponential phases of the demand."""
        if self.cv2 == 1.0:
            return [(1.0, DEMAND)]
        first = (1.0 + math.sqrt((self.cv2 - 1.0) / (self.cv2 + 1.0))) / 2.0
        return [(share, DEMAND / (2.0 * share)) for share in (first, 1.0 - first)]


MODELS = {
    model.name: model
    for model in [
        Model("fcfs", "M/M/1 FCFS, load 0.8", 0.8),
        Model("h2", "M/H2/1 FCFS, C2 8, load 0.8", 0.8, cv2=8.0),
        Model("srpt", "M/M/1 SRPT, load 0.9", 0.9, policy="srpt"),
        Model("ps", "M/M/1 PS, load 0.9", 0.9, policy="ps"),
        Model("las", "M/M/1 LAS, load 0.9", 0.9, policy="las"),
        Model("closed", "closed FCFS, 1,000 clients", 0.8, "closed", clients=1000, think=12.45),
        Model("partly", "partly open FCFS, load 0.8", 0.8, "partly-open", "fcfs", 1.0, 0, 1.0, 5.0),
    ]
}
