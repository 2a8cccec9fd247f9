"""A web service with three connections to its database: `python service.py SEED` prints its port.

Each page holds one connection for a random time, first come, first served. The health check needs
none.
"""

from __future__ import annotations

import asyncio
import sys
from random import Random

CONNECTIONS = 3
PAGES_S = {"/": 0.008, "/item": 0.013, "/search": 0.027, "/cart": 0.019}
"""The mean time that a page holds a connection; its law is exponential."""


class Service:
    """The service: its pool of connections and the draws of its queries."""

    def __init__(self, seed: int) -> None:
        """Make the pool."""
        self.random = Random(seed)
        self.pool = asyncio.Semaphore(CONNECTIONS)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, one after another."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await self.answer(head.split(b" ", 2)[1].decode())
                status = b"200 OK" if body else b"404 Not Found"
                length = str(len(body)).encode()
                writer.write(b"HTTP/1.1 %s\r\nContent-Length: %s\r\n\r\n" % (status, length) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def answer(self, target: str) -> bytes:
        """The body of a page; empty if no page has this name."""
        path = target.partition("?")[0]
        if path == "/health":
            return b"ok"
        mean_s = PAGES_S.get(path) or PAGES_S.get(path.rpartition("/")[0])
        if mean_s is None:
            return b""
        async with self.pool:
            await asyncio.sleep(self.random.expovariate(1 / mean_s))
        return b"x" * 2000


async def main(seed: int) -> None:
    """Serve until the process is ended."""
    server = await asyncio.start_server(Service(seed).serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
