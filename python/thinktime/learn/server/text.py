"""The learned server as a system file, with the source of each number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from thinktime.importing.toml import key, quoted
from thinktime.learn.comments import note
from thinktime.learn.server.model import BESIDE, Demand, Server
from thinktime.present import units

NAMED = 3
"""More logs are counted, not named."""

SOURCES = {
    "policy": "of all requests, as the policy says",
    "nearest": "of those that were alone, or as the nearest policy says",
    "durations": "the durations themselves; the demand may be less",
    "others": "as that of other requests",
    "given": "given, not learned",
    BESIDE: "beside the server: these requests do not wait for its workers",
}


def system_text(name: str, server: Server, logs: Sequence[str]) -> str:
    """A system file, as `thinktime.System` reads it.

    ``name`` is that of the system; ``logs`` are the names of the logs.
    """
    about = (
        "Not learned from durations: the log has none."
        if server.demands[0].source == "given"
        else f"Learned from durations: {server.work_s / server.span_s:.4g} s of work a second; the "
        f"server was idle {units.percent(server.idle_share)} of the time."
    )
    lines = [
        note(about),
        f"name = {quoted(name)}",
        "",
        *_learned(server, logs),
        "",
        *_station(server.policy, server.workers, *map(note, server.estimate.reasons[1:])),
        *_demands(server),
        *_delays(server),
    ]
    return "\n".join(lines) + "\n"


def laws_of(server: Server) -> dict[str, str]:
    """The laws of demands by kind that queues; by `""` if one was given for all."""
    if server.demands[0].source == "given":
        return {"": server.demands[0].law.notation}
    return {one.name: one.law.notation for one in server.served}


def _station(policy: str, workers: int, *comments: str) -> list[str]:
    """The lines of the station, without its demands."""
    head = ["[[station]]", 'name = "server"']
    return [*head, *comments, f"servers = {workers}", f'policy = "{policy}"']


def _line(name: str, law: str) -> str:
    """The demand of a kind of requests."""
    return f'demand.{key(name)} = "{law}"' if name else f'demand = "{law}"'


def _learned(server: Server, logs: Sequence[str]) -> list[str]:
    """The table that says how surely the server is known."""
    names = [Path(log).name for log in logs]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    lines = [
        "[learned]",
        f"from = {quoted(', '.join(names[:NAMED]) + more)}",
        f'confidence = "{server.confidence}"',
        *([f"guesses = [{', '.join(map(quoted, server.guesses))}]"] if server.guesses else []),
        f"reason = {quoted(server.estimate.reasons[0])}",
    ]
    if server.up_to is not None:
        lines += [
            note("All models that explain the log agree on p99 up to this rate."),
            f'up_to = "{server.up_to:.4g}/s"',
        ]
    return lines


def _demands(server: Server) -> list[str]:
    """A line for each kind of request; one for all if the demand was given."""
    laws, first = laws_of(server), server.demands[0]
    if "" in laws:
        about = f"{first.mean_s * 1e3:.4g} ms on average for all requests, {SOURCES['given']}."
        return [note(about), _line("", laws[""])]
    lines = []
    for demand in server.served:
        lines += [note(_about(demand)), _line(demand.name, laws[demand.name])]
    return lines


def _delays(server: Server) -> list[str]:
    """A behaviour for each kind of request that passes the queue."""
    lines = []
    for one in server.beside:
        steps = f"steps = [{{ delay = {quoted(one.law.notation)} }}]"
        request = f"request = {quoted(one.name)}"
        lines += ["", "[[behaviour]]", note(_about(one)), request, steps]
    return lines


def _about(demand: Demand) -> str:
    within = 1.96 * demand.standard_error_s / demand.mean_s if demand.mean_s > 0 else 0.0
    seen = f" ± {units.percent(within)} ({demand.seen:,} seen)" if demand.seen > 1 else ""
    return (
        f"{demand.mean_s * 1e3:.4g} ms on average{seen}, {SOURCES[demand.source]}; "
        f"{demand.law.about}. Confidence: {demand.confidence}."
    )
