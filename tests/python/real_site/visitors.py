"""Visitors of the site, who come on their own until this ends: `python visitors.py PORT RATE SEED`.

Each has an address of its own, asks for some pages with pauses between them, and leaves. A probe
of the service's health comes every second.
"""

from __future__ import annotations

import asyncio
import sys
from random import Random

THINK_S = 0.5
GOES_ON = 0.75
"""The probability that a visitor asks for another page: four pages on average."""

NEXT = (("item", 0.6), ("search", 0.25), ("cart", 0.15))
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:1{}) Gecko/20100101 Firefox/1{}"


async def _ask(connection: tuple[asyncio.StreamReader, asyncio.StreamWriter], target: str,
               agent: str) -> None:  # fmt: skip
    reader, writer = connection
    writer.write(f"GET {target} HTTP/1.1\r\nHost: shop\r\nUser-Agent: {agent}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-len"))
    await reader.readexactly(int(length.partition(b":")[2]))


async def _visit(port: int, number: int, random: Random) -> None:
    address = f"127.1.{number // 250}.{1 + number % 250}"
    connection = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    agent = AGENT.format(10 + number % 30, 10 + number % 30)
    await _ask(connection, "/", agent)
    while random.random() < GOES_ON:
        await asyncio.sleep(random.expovariate(1 / THINK_S))
        await _ask(connection, _target(random), agent)
    connection[1].close()


def _target(random: Random) -> str:
    page = random.choices(*zip(*NEXT, strict=True))[0]
    return {"item": f"/item/{random.randint(1, 300)}", "search": "/search?q=a", "cart": "/cart"}[
        page
    ]


async def _probe(port: int) -> None:
    while True:
        connection = await asyncio.open_connection("127.0.0.1", port)
        await _ask(connection, "/health", "kube-probe/1.30")
        connection[1].close()
        await asyncio.sleep(1)


async def main(port: int, rate: float, seed: int) -> None:
    """Let visitors come, this many a second."""
    random, visits = Random(seed), set()
    clock = asyncio.get_running_loop().time
    visits.add(asyncio.ensure_future(_probe(port)))
    next_s, number = clock(), 0
    while True:
        next_s += random.expovariate(rate)
        await asyncio.sleep(next_s - clock())
        visit = asyncio.ensure_future(_visit(port, number, Random(random.getrandbits(64))))
        visits.add(visit)
        visit.add_done_callback(visits.discard)
        number += 1


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))
