"""The learned server as a system file, with the source of each number."""

from __future__ import annotations

from thinktime.importing.toml import key, quoted
from thinktime.learn.comments import note
from thinktime.learn.server.model import Demand, Server

SOURCES = {
    "all": "of all requests, as the policy says",
    "idle": "of requests that found the server idle",
    "quiet": "durations in the quietest times; the demand may be less",
    "given": "given, not learned",
}


def system_text(name: str, server: Server) -> str:
    """A system file, as `thinktime.System` reads it. ``name`` is that of the system."""
    parts = [
        note(
            f"Learned from durations: {server.work_s / server.span_s:.4g} s of work a second; the "
            f"server was idle {server.idle_share:.0%} of the time."
        )
        if server.idle_share or server.choice
        else note("Not learned from durations: the log has none."),
        f"name = {quoted(name)}",
        "",
        "[[station]]",
        'name = "server"',
        *(note(reason) for reason in server.reasons),
        f"servers = {server.workers}",
        f'policy = "{server.policy}"',
    ]
    return "\n".join([*parts, *_demands(server)]) + "\n"


def _demands(server: Server) -> list[str]:
    """A line for each kind of request; one for all if the demand was given."""
    first = server.demands[0]
    if first.source == "given":
        about = f"{first.mean_s * 1e3:.4g} ms on average for all requests, {SOURCES['given']}."
        return [note(about), f'demand = "{first.law.notation}"']
    lines = []
    for demand in server.demands:
        lines += [note(_about(demand)), f'demand.{key(demand.name)} = "{demand.law.notation}"']
    return lines


def _about(demand: Demand) -> str:
    within = 1.96 * demand.standard_error_s / demand.mean_s if demand.mean_s > 0 else 0.0
    seen = f" ± {within:.1%} ({demand.seen:,} seen)" if demand.seen > 1 else ""
    return (
        f"{demand.mean_s * 1e3:.4g} ms on average{seen}, {SOURCES[demand.source]}; "
        f"{demand.law.about}. Confidence: {demand.confidence}."
    )
