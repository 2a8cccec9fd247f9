"""The published rule of thumb for the system model of a site's traffic.

Source: Schroeder, Wierman, Harchol-Balter, 'Open Versus Closed: A Cautionary Tale' (NSDI 2006),
section 8: up to 5 requests a session a partly-open system behaves as an open one, from 10 on as a
closed one.
"""

from __future__ import annotations

from thinktime.learn.traffic.traffic import Traffic

OPEN_UP_TO = 5.0
CLOSED_FROM = 10.0
STAYS = 0.5
"""In a closed system users do not come and go. This share of all sessions' time must belong to
users who are there for half of the log or more."""


def stay(traffic: Traffic) -> bool:
    """Whether most of the users present at a time are there for most of the log."""
    sessions, requests = traffic.count("staying_sessions"), traffic.count("staying_requests")
    share = float(traffic.raw["staying_seconds"] / max(traffic.raw["session_seconds"], 1e-9))
    return share >= STAYS and requests >= CLOSED_FROM * max(sessions, 1)


def rule_of_thumb(traffic: Traffic) -> tuple[str, str]:
    """The model, and why."""
    mean = traffic.requests_per_session
    if stay(traffic):
        return "closed", "users stay: most of the time is that of sessions as long as the log"
    text = f"a session makes {mean:.3g} requests on average"
    if mean <= OPEN_UP_TO:
        return "open", f"{text}: up to {OPEN_UP_TO:g} a partly-open system behaves as an open one"
    if mean >= CLOSED_FROM:
        return (
            "closed",
            f"{text}: from {CLOSED_FROM:g} a partly-open system behaves as a closed one",
        )
    return "partly-open", f"{text}: neither few enough for an open nor enough for a closed system"
