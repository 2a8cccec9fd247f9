"""The road from a log to a decision: learned, simulated at twice the traffic, and judged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import thinktime as tt
from road.log import true_p99_s, write
from road.site import Site, site_of
from road.truths import TRUTHS
from thinktime.learn import learn
from thinktime.learn.server import Server, system_text

FACTOR = 2.0
REQUESTS = 200_000
WITHIN = 0.25


@dataclass(frozen=True)
class Answer:
    """The answer to "what is p99 at twice the traffic?", and the truth."""

    site: Site
    server: Server
    p99_s: float
    """Infinite if the tool says that there is no steady state."""

    trusted: bool
    true_s: float
    """By the generator's own simulator; infinite if the server is overloaded."""

    @property
    def right(self) -> bool:
        """Whether the answer is near the truth."""
        if math.isinf(self.p99_s) or math.isinf(self.true_s):
            return self.p99_s == self.true_s
        return abs(self.p99_s / self.true_s - 1) <= WITHIN

    @property
    def wrong(self) -> str:
        """What is wrong with it; empty if nothing is."""
        if self.trusted and not self.right:
            return "a wrong answer is trusted"
        site, server = self.site, self.server
        known = (server.policy, server.workers) == (site.policy, site.servers)
        if server.confidence == "high" and not known:
            return "the server is not the one that is known with high confidence"
        if server.workers < server.work_s / server.span_s:
            return "there are fewer servers than the work needs"
        return ""

    def __str__(self) -> str:
        """A row of the table of the road."""
        site, server = self.site, self.server
        stamps, up_to = "ms" if site.millis else "s", server.up_to or 0.0
        return (
            f"| {site.seed} | {site.policy} {site.servers}, {site.demand_s * 1e3:.0f} ms, C² "
            f"{site.cv2:g}, load {site.load:.2f} | {site.length_s / 60:.0f} min, {stamps} | "
            f"{server.policy} {server.workers}, {server.confidence}, up to {up_to:.3g}/s | "
            f"{self.p99_s * 1e3:.0f} ms, {'trusted' if self.trusted else 'not trusted'} | "
            f"{self.true_s * 1e3:.0f} ms | {self.wrong or ('right' if self.right else 'said so')} |"
        )


def asked(seed: int, folder: Path) -> Answer:
    """The answer for the site of a seed."""
    site = site_of(seed)
    log = folder / "access.log"
    learned = learn([log], format=write(site, log), fidelity=False)
    server = learned.server(reach=True)
    assert server is not None
    learned.save(folder / "site.toml")
    (folder / "server.toml").write_text(system_text("learned", server, [log.name]))
    p99_s, trusted = _simulated(folder)
    true_s = TRUTHS.get(seed) or true_p99_s(site.busier(FACTOR))
    return Answer(site, server, p99_s, trusted, true_s)


def _simulated(folder: Path) -> tuple[float, bool]:
    workload = tt.Workload.load(folder / "site.toml").scaled(FACTOR)
    try:
        found = tt.simulate(workload, folder / "server.toml", requests=REQUESTS, rows="none")
    except tt.InputError:  # no steady state
        return math.inf, False
    return found.summary["response_time_s"]["p99"], found.untrusted is None
