"""The learned server in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from thinktime.learn.server.finer_log import finer
from thinktime.present import policies, units

if TYPE_CHECKING:
    from thinktime.learn import Learned
    from thinktime.learn.server import Server


QUICK = 1_000_000
"""Of more requests the server is learned only if its file is wanted: that takes seconds."""


def shown(learned: Learned, server: Server | None) -> Server | None:
    """The given server, or else the learned one, unless that takes long."""
    if server is not None or len(learned.log.requests) > QUICK:
        return server
    return learned.server()


def sentences(learned: Learned, server: Server | None) -> Iterator[str]:
    """The server, how surely it is known, and how to log the missing times."""
    if server is None and learned.log.requests.timed:
        yield "Of a log of this length it is learned if its file is wanted: `--system FILE`."
        return
    if server is None:
        field = next((one for one in learned.log.left_over if one.startswith("field ")), None)
        known = f"if it is {field}, name that in --format; else " if field else ""
        yield f"Without durations the log does not show it: {known}{finer(learned.log.formats)}."
        return
    shared = server.policy in policies.SHARED
    doubt = f"; guessed: {', '.join(server.guesses)}" if server.guesses else ""
    workers = units.counted(server.workers, "worker")
    yield (
        f"{workers}, {'shared by all' if shared else policies.words(server.policy)}; a request "
        f"takes {units.seconds(server.demand_s)} of work on average. Confidence: "
        f"{server.confidence}{doubt}."
    )
    yield server.estimate.reasons[0]
    if server.up_to is not None:
        times = server.up_to * learned.log.requests.span_s / learned.log.count
        yield (
            f"Simulations of it can be trusted up to {units.rate(server.up_to, 'requests/s')}, "
            f"{units.factor(times)} times the log's rate."
        )
    if server.estimate.coarse:
        yield units.sentence(finer(learned.log.formats))


def as_dict(server: Server | None) -> dict[str, Any] | None:
    """The object `server` of `--json`; None if the log has no durations."""
    if server is None:
        return None
    return {
        "policy": server.policy,
        "servers": server.workers,
        "demand_s": server.demand_s,
        "confidence": server.confidence,
        "guesses": list(server.guesses),
        "reason": server.estimate.reasons[0],
        "up_to": server.up_to,
    }
