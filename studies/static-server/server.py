"""A server of static files that says how much is left of each: `server.py PORT POLICY SIZES`.

POLICY is `fair` or `srpt`; SIZES is a JSON file with the size of each path. Under `srpt` the
priority of a connection's socket (`SO_PRIORITY`) follows what is left of its file, so that the
classes of the queue below send what is nearly done first. The kernel reads a
socket's priority whenever it makes a packet, also for bytes that were written before.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from bisect import bisect_left
from pathlib import Path

BOUNDS = (2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
"""Bytes that are left at the most in each class but the last: eight classes."""

CHUNK = 4096
BUFFER = 8192
"""What the kernel may hold of a connection, which it doubles; it is no longer ours to order."""

CLASSES = 1 << 16
"""The handle of the device's queue, 1:, as a class id has it."""

HEADER = 240
"""Bytes of a header."""

WAIT_S = 60


def priority_of(left: int) -> int:
    """The class, as `SO_PRIORITY` names it, of a socket with so many bytes left to send."""
    return CLASSES | (0x10 + bisect_left(BOUNDS, left))


def header(size: int) -> bytes:
    """A response's header, as long as that of nginx, so that both servers load the link alike."""
    said = f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\nPadding: "
    return f"{said:x<{HEADER - 4}}\r\n\r\n".encode()


async def answer(connection: socket.socket, size: int, srpt: bool) -> None:
    """Send a response of this size."""
    loop = asyncio.get_running_loop()
    head = header(size)
    left, now = len(head) + size, 0
    body = bytes(CHUNK)
    while left:
        wanted = priority_of(left)
        if srpt and wanted != now:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, wanted)
            now = wanted
        chunk = head + body[: min(CHUNK, left) - len(head)] if head else body[: min(CHUNK, left)]
        head = b""
        await loop.sock_sendall(connection, chunk)
        left -= len(chunk)


async def serve(connection: socket.socket, sizes: dict[str, int], srpt: bool) -> None:
    """Answer one request after another until the client is gone or says nothing for a minute."""
    loop = asyncio.get_running_loop()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
    held = b""
    try:
        while True:
            while b"\r\n\r\n" not in held:
                async with asyncio.timeout(WAIT_S):
                    data = await loop.sock_recv(connection, 4096)
                held += data
                if not data or len(held) > 16_384:
                    return
            request, _, held = held.partition(b"\r\n\r\n")
            path = request.split(b" ", 2)[1].decode("latin-1")
            if path not in sizes:
                await loop.sock_sendall(
                    connection, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
                )
                continue
            await answer(connection, sizes[path], srpt)
    except (OSError, TimeoutError, IndexError):
        pass  # a client that is gone, silent or talks nonsense loses its connection
    finally:
        connection.close()


async def listen(port: int, sizes: dict[str, int], srpt: bool) -> None:
    """Take connections until the process is ended."""
    loop = asyncio.get_running_loop()
    tasks = set()
    with socket.create_server(("0.0.0.0", port), backlog=512) as listener:
        listener.setblocking(False)
        while True:
            connection, _ = await loop.sock_accept(listener)
            connection.setblocking(False)
            task = asyncio.create_task(serve(connection, sizes, srpt))
            tasks.add(task)
            task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    _, number, policy, file = sys.argv
    asyncio.run(listen(int(number), json.loads(Path(file).read_text("utf-8")), policy == "srpt"))
