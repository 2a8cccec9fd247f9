"""The slow and exact simulator of one station in a closed system; see `reference`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from reference import Given, Job, Ranks, new_job, simulate, station


def closed(
    policy: str,
    servers: int,
    clients: Sequence[Sequence[Given]],
    *,
    ranks: Ranks | None = None,
    arrivals_first: bool = False,
) -> list[list[tuple[Fraction, Fraction]]]:
    """The exact times at which each request of each client was sent and done.

    A client thinks, sends a request, waits until it is done, and thinks again; the first think
    time begins at 0. A client whose list is at its end sends no more.

    Args:
        policy: As for `reference.departures`.
        servers: The number of servers.
        clients: For each client (think, demand) or (think, demand, kind) of its requests, in
            nanoseconds. Think times may be zero: then the next request is sent at the very instant
            of the response, after the freed server has taken a waiting job, if there was one.
        ranks: As for `reference.departures`.
        arrivals_first: As for `reference.departures`.
    """
    left = [list(requests) for requests in clients]
    times: list[list[tuple[Fraction, Fraction]]] = [[] for _ in clients]

    def send(client: int, now: Fraction) -> Job | None:
        return new_job(client, now, left[client].pop(0), ranks) if left[client] else None

    def follow(job: Job, now: Fraction) -> Job | None:
        times[job.owner].append((job.arrival, now))
        return send(job.owner, now)

    first = [send(client, Fraction(0)) for client in range(len(clients))]
    simulate(
        station(policy, servers),
        [job for job in first if job],
        follow=follow,
        arrivals_first=arrivals_first,
    )
    return times
