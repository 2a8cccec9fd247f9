"""A site: its visitors, its server, and the stamps of its log."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from random import Random

PAGES = {"home": 0.5, "item": 1.0, "search": 2.0, "cart": 1.5}
"""The mean demand of each page, relative to that of `item`."""

CHOSEN = (("item", 0.6), ("search", 0.25), ("cart", 0.1), ("home", 0.05))
"""The page after any other one. A session begins at home."""

PAGES_A_SESSION = 4.0
THINK_S = 4.0

MEAN = 1 / PAGES_A_SESSION * PAGES["home"] + (1 - 1 / PAGES_A_SESSION) * sum(
    share * PAGES[page] for page, share in CHOSEN
)
"""The mean demand of all requests, relative to that of `item`."""

CV2S = (0.0, 0.25, 1.0, 4.0, 8.0)
LENGTHS_S = (300.0, 900.0, 1800.0, 7200.0)
REQUESTS_MAX = 40_000


@dataclass(frozen=True)
class Site:
    """A site whose truth is known."""

    seed: int
    policy: str
    """`fcfs`, `ps`, or `pool`: half of a demand passes beside all others, as in a program, and the
    other half holds one of the `servers` connections, first come, first served."""

    servers: int
    demand_s: float
    """The mean demand of a request."""

    cv2: float
    """C² of the demands of each page."""

    load: float
    """The load of the servers on average."""

    length_s: float
    millis: bool
    """Whether stamps are in ms; else in s."""

    checks: bool
    """Whether a health check asks every 10 s, beside the server."""

    @property
    def rate(self) -> float:
        """Sessions a second."""
        held_s = self.demand_s / 2 if self.policy == "pool" else self.demand_s
        return self.load * self.servers / held_s / PAGES_A_SESSION

    def busier(self, factor: float) -> Site:
        """The site with this many times the traffic."""
        return replace(self, load=self.load * factor)

    def demand(self, page: str, random: Random) -> float:
        """The demand of a request for a page, in seconds."""
        return self.demand_s / MEAN * PAGES[page] * _drawn(self.cv2, random)


def site_of(seed: int) -> Site:
    """A site at random."""
    random = Random(seed)
    site = Site(
        seed=seed,
        policy=random.choice(("fcfs", "fcfs", "ps", "ps", "pool")),
        servers=random.randint(1, 8),
        demand_s=math.exp(random.uniform(math.log(0.02), math.log(0.2))),
        cv2=random.choice(CV2S),
        load=random.uniform(0.1, 0.55),
        length_s=random.choice(LENGTHS_S),
        millis=random.random() < 0.6,
        checks=random.random() < 0.7,
    )
    # A long log of a quick site has too many lines for a test.
    most_s = REQUESTS_MAX / (site.rate * PAGES_A_SESSION)
    return replace(site, length_s=min(site.length_s, most_s))


def _drawn(cv2: float, random: Random) -> float:
    """A value with mean 1: constant, Erlang, exponential, or of two phases with equal work."""
    if cv2 == 0:
        return 1.0
    if cv2 < 1:
        return random.gammavariate(1 / cv2, cv2)
    if cv2 == 1:
        return random.expovariate(1.0)
    first = (1 + math.sqrt((cv2 - 1) / (cv2 + 1))) / 2
    chosen = first if random.random() < first else 1 - first
    return random.expovariate(2 * chosen)
