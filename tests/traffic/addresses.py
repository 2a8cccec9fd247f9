"""Addresses and agents: the marks of a user in a log."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from random import Random

# The forms of browsers' agents, unchanged for years.
_WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Safari/537.36"
_MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
_PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS {}_{} like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/{}.{} Mobile/15E148 Safari/604.1"
)
BROWSERS = [
    *(f"{_WINDOWS} {_CHROME.format(n)}" for n in range(128, 122, -1)),
    *(_PHONE.format(17, n, 17, n) for n in range(5, 0, -1)),
    *(f"Mozilla/5.0 (Linux; Android 10; K) {_CHROME.format(n)}" for n in range(128, 124, -1)),
    *(f"{_MAC} {_CHROME.format(n)}" for n in range(128, 125, -1)),
    *(f"{_WINDOWS[:-1]}; rv:{n}.0) Gecko/20100101 Firefox/{n}.0" for n in range(130, 126, -1)),
    *(
        f"Mozilla/5.0 (X11; Linux x86_64; rv:{n}.0) Gecko/20100101 Firefox/{n}.0"
        for n in (130, 115)
    ),
]
"""Agents of browsers, the most frequent first."""

CRAWLERS = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "CCBot/2.0 (https://commoncrawl.org/faq/)",
]
"""Agents of crawlers that identify themselves."""

_UPTO = list(accumulate(1 / (n + 1) for n in range(len(BROWSERS))))


def browser(random: Random) -> str:
    """An agent, by Zipf's law."""
    return random.choices(BROWSERS, cum_weights=_UPTO)[0]


def dotted(network: int, number: int) -> str:
    """An IPv4 address: networks are 10.0.0.0/16 and its followers, of 65,536 addresses each."""
    whole = (10 << 24) + (network << 16) + number
    return ".".join(str(whole >> shift & 255) for shift in (24, 16, 8, 0))


@dataclass(frozen=True)
class Addresses:
    """The addresses of users.

    A share of them comes from `behind` addresses that they share with others; the first of these is
    the most used, with `heavy` of that share. All others have an address of their own. The networks
    of two populations should differ; a population of more users takes the networks that follow.
    """

    network: int = 0
    shared: float = 0.0
    behind: int = 1
    heavy: float = 0.0
    agent: str | None = None
    """The agent of all of them; browsers' by default."""

    def of(self, user: int, random: Random) -> tuple[str, str]:
        """The address and the agent of a user, whose number is that of the population."""
        agent = browser(random) if self.agent is None else self.agent
        if self.shared and random.random() < self.shared:
            first = self.heavy and random.random() < self.heavy
            number = 0 if first else random.randrange(self.behind)
            # The networks from 200 on are those of shared addresses.
            return dotted(200 + self.network, number), agent
        return dotted(self.network + (user >> 16), user & 0xFFFF), agent

    def facts(self) -> dict[str, float]:
        """The truth about them."""
        return {"shared": self.shared, "behind": self.behind if self.shared else 0}
