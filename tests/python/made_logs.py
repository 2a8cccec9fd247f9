"""Access logs made from known workloads, for tests that learn them back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

THINKS: dict[str, Draw] = {
    "exp": lambda generator, n: generator.exponential(7.0, n),
    "pareto": lambda generator, n: generator.pareto(1.4, n) + 1.0,
    "lognormal": lambda generator, n: generator.lognormal(1.5, 1.0, n),
}
"""Think times in seconds, by law."""

MEDIANS = {"exp": 7.0 * np.log(2), "pareto": 2 ** (1 / 1.4), "lognormal": float(np.exp(1.5))}
MEANS = {"exp": 7.0, "pareto": 3.5, "lognormal": float(np.exp(2.0))}

AGENTS = [
    f"Mozilla/5.0 (X11; Linux x86_64; rv:{n}.0) Gecko/20100101 Firefox/{n}.0" for n in range(9)
]
CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
START = 1_790_000_000


@dataclass(frozen=True)
class Known:
    """A workload that is known, and the log that it makes."""

    stay: float = 0.75
    """The probability of a further request."""

    think: str = "exp"
    sessions: int = 30_000
    rate: float = 2.0
    """Sessions a second."""

    sine: bool = False
    """Whether the rate swings between a third and five thirds of its mean, once in 20 minutes."""

    micros: bool = False
    """Whether stamps are exact to the microsecond, in a CSV; else one-second stamps, combined."""

    shared: bool = False
    """Whether a third of the sessions come from 200 addresses, with agents of their own."""

    crawlers: bool = False
    """Whether a crawler makes a quarter as many requests again, a health check one every 10 s."""


def make(known: Known, path: Path, seed: int = 1) -> int:
    """Write the log; returns the number of persons' requests."""
    generator = np.random.default_rng(seed)
    starts = _starts(known, generator)
    lengths = generator.geometric(1 - known.stay, known.sessions)
    session = np.repeat(np.arange(known.sessions), lengths)
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    thinks = THINKS[known.think](generator, len(session))
    thinks[first] = 0
    upto = np.cumsum(thinks)
    times = starts[session] + upto - upto[first][session]
    users = np.arange(known.sessions)
    addresses = np.array([f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}" for n in users])
    agents = generator.integers(0, len(AGENTS), known.sessions)
    if known.shared:
        chosen = generator.uniform(size=known.sessions) < 1 / 3
        pool = generator.integers(0, 200, known.sessions)
        addresses[chosen] = np.array([f"192.168.0.{n}" for n in pool])[chosen]
    names = np.array([AGENTS[n] for n in agents])
    if known.shared:
        names = np.array([f"{name} build/{n}" for n, name in enumerate(names)])
    # A log ends; later requests are not in it.
    end = starts[-1]
    kept = times <= end
    items = generator.zipf(1.5, len(session)) % 500 + 1
    rows = [
        (time, addresses[n], f"/item/{item}", names[n])
        for time, n, item in zip(times[kept], session[kept], items[kept], strict=True)
    ]
    count = len(rows)
    if known.crawlers:
        for n, time in enumerate(np.sort(generator.uniform(0, end, count // 4))):
            rows.append((time, "66.249.0.1", f"/item/{n % 997}", CRAWLER))
        for time in np.arange(0, end, 10.0):
            rows.append((time, "10.255.255.1", "/healthz", "probe"))
    rows.sort()
    path.write_text(_csv(rows) if known.micros else _combined(rows), encoding="utf-8")
    return count


def _starts(known: Known, generator: np.random.Generator) -> NDArray[np.float64]:
    if not known.sine:
        return np.cumsum(generator.exponential(1 / known.rate, known.sessions))
    # By thinning a Poisson process of the largest rate.
    often = int(known.sessions * 1.8)
    times = np.cumsum(generator.exponential(0.6 / known.rate, often))
    share = (1 + 2 / 3 * np.sin(2 * np.pi * times / 1200)) / (5 / 3)
    return times[generator.uniform(size=often) < share][: known.sessions]


def _combined(rows: list[tuple[float, str, str, str]]) -> str:
    dates: dict[int, str] = {}
    lines = []
    for time, address, path, agent in rows:
        second = START + int(time)
        date = dates.get(second)
        if date is None:
            date = datetime.fromtimestamp(second, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
            dates[second] = date
        lines.append(f'{address} - - [{date}] "GET {path} HTTP/1.1" 200 512 "-" "{agent}"\n')
    return "".join(lines)


def _csv(rows: list[tuple[float, str, str, str]]) -> str:
    lines = ["time,address,method,path,status,agent\n"]
    for time, address, path, agent in rows:
        lines.append(f'{START + time:.6f},{address},GET,{path},200,"{agent}"\n')
    return "".join(lines)
