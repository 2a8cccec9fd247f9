"""The list of hostile clients, and the bounds that hold for each."""

from __future__ import annotations

from dataclasses import dataclass

DURATION_MAX_S = 600
RATE_MAX = 50_000
"""Events a second."""

HELD_MAX = 20_000
"""The most connections of one hostile client; with that many it opens no more."""


@dataclass(frozen=True)
class Kind:
    """The facts about a hostile client before its start."""

    event: str
    """The event that the rate counts."""

    needs_port: bool = True


KINDS = {
    "half-open": Kind("connects, and leaves without a message to the server"),
    "syn-flood": Kind("a SYN from an address at which nobody answers"),
    "connection-flood": Kind("a connection that is held and says nothing"),
    "slow-headers": Kind("a connection that sends a header field every second, and no end"),
    "slow-reading": Kind("a request whose response is read at a few bytes a second"),
    "slow-bodies": Kind("a request whose body comes at a byte a second"),
    "udp-flood": Kind("a datagram of 1400 bytes", needs_port=False),
    "icmp-flood": Kind("an echo request of 1400 bytes", needs_port=False),
    "garbage": Kind("a connection that sends what is no HTTP/1.1, and ends"),
    "rapid-reset": Kind("a request of HTTP/2 that is reset at once"),
    "continuation-flood": Kind("a frame of HTTP/2 with more header fields, and no end of them"),
}
"""By name; each is a file of this folder with a class `Client`."""
