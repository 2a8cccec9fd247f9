"""Ports of this machine for tests."""

import socket

# Held until the tests end: otherwise the kernel may give the port to any other socket meanwhile.
_HELD: list[socket.socket] = []


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    """A port that nobody listens on, and that nobody gets who does not ask for it by its number.

    Connections to it are refused until a server that names it listens there; servers of TCP can,
    since all of them allow that an address is bound again. A datagram to it is refused as well.
    """
    holder = socket.socket(socket.AF_INET, kind)
    if kind is socket.SOCK_STREAM:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    if kind is socket.SOCK_DGRAM:
        # The kernel refuses what comes from anybody but the peer, which is the socket itself.
        holder.connect(holder.getsockname())
    _HELD.append(holder)
    return int(holder.getsockname()[1])
