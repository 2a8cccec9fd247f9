"""Users of a study who are closed, partly open or open, and otherwise equal."""

from __future__ import annotations

from typing import Any

MODELS = ("closed", "partly open", "open")
REQUESTS_PER_SESSION = 5
"""On average, of the partly-open model."""


def users(model: str, clients: int) -> dict[str, Any]:
    """The tables `arrivals` and `session`; rate or think time is still to be set by a load.

    `clients` is the number of closed users.
    """
    arrivals: dict[str, Any] = {"model": model.replace(" ", "-")}
    if model == "closed":
        return {"arrivals": arrivals | {"clients": clients}, "session": {"think": "exp(1s)"}}
    arrivals["rate"] = "1/s"
    if model == "open":
        return {"arrivals": arrivals}
    requests = f"geometric({REQUESTS_PER_SESSION})"
    return {"arrivals": arrivals, "session": {"think": "exp(200ms)", "requests": requests}}
