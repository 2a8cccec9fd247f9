"""The access log of a site, as nginx writes it, and the truth behind it."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import mean, stdev

from road.simulator import Visit, visits
from road.site import Site

MILLIS = (
    'nginx:$msec $remote_addr "$request" $status $body_bytes_sent $request_time "$http_user_agent"'
)
"""The format of logs with stamps in ms; others are nginx's `combined` with `$request_time`."""

START_S = 1_790_000_000
TARGETS = {"home": "GET /", "search": "GET /search?q=a", "cart": "POST /cart", "health": "GET /up"}
TRUE_REQUESTS = 40_000
PARTS, PARTS_MAX = 3, 24
KNOWN = 0.03
"""The truth is the mean of parts of `TRUE_REQUESTS`, until its standard error is this share."""


def write(site: Site, path: Path) -> str | None:
    """Write the log; returns its format, None if it is found by itself."""
    found = sorted(visits(site, site.length_s, site.seed), key=lambda one: one.end_s)
    line = _millis if site.millis else _seconds
    path.write_text("".join(map(line, found)), encoding="utf-8")
    return MILLIS if site.millis else None


def true_p99_s(site: Site) -> float:
    """The 99th percentile of response times at this site, measured until it is known to about 3 %;
    infinite if it is overloaded. A busy site needs several times as long as a quiet one."""
    if site.load >= 0.99:
        return float("inf")
    length_s = TRUE_REQUESTS / (4 * site.rate)
    found: list[float] = []
    while len(found) < PARTS_MAX:
        seed = site.seed + 1 + len(found)
        took = sorted(one.end_s - one.begin_s for one in visits(site, length_s, seed))
        found.append(took[int(0.99 * len(took))])
        if len(found) >= PARTS and stdev(found) <= KNOWN * len(found) ** 0.5 * mean(found):
            break
    return mean(found)


def _target(one: Visit) -> str:
    return TARGETS.get(one.page) or f"GET /item/{1 + one.user % 400}"


def _agent(one: Visit) -> str:
    if one.page == "health":
        return "kube-probe/1.30"
    return f"Mozilla/5.0 (X11; Linux) Firefox/1{one.user % 20}.0"


def _address(user: int) -> str:
    return f"10.{user // 62500}.{user // 250 % 250}.{user % 250}"


def _millis(one: Visit) -> str:
    return (
        f'{START_S + one.end_s:.3f} {_address(one.user)} "{_target(one)} HTTP/1.1" 200 4000 '
        f'{one.end_s - one.begin_s:.3f} "{_agent(one)}"\n'
    )


def _seconds(one: Visit) -> str:
    stamp = time.strftime("%d/%b/%Y:%H:%M:%S", time.gmtime(START_S + one.end_s))
    return (
        f'{_address(one.user)} - - [{stamp} +0000] "{_target(one)} HTTP/1.1" 200 4000 "-" '
        f'"{_agent(one)}" "-" rt={one.end_s - one.begin_s:.3f}\n'
    )
