"""Requests that the server holds, and load tests in a log: clients with one always in progress."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np

from thinktime.learn.logs.log import read
from thinktime.learn.populations import Population, Populations, tell_apart

BROWSERS = [
    f"Mozilla/5.0 (X11; Linux x86_64; rv:{n}.0) Gecko Firefox/{n}.0" for n in range(110, 130)
]
BEGIN = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
SPAN_S = 7200.0
Line = tuple[float, float, str, str, str, str]
"""Its arrival and its duration in seconds, the address, the path, the referrer, the agent."""


def told(folder: Path, found: list[Line]) -> Populations:
    rows = []
    for came, took, address, path, referrer, agent in sorted(
        found, key=lambda one: one[0] + one[1]
    ):
        stamp = BEGIN + datetime.timedelta(seconds=int(came + took))
        rows.append(
            f'{address} - - [{stamp:%d/%b/%Y:%H:%M:%S} +0000] "GET {path} HTTP/1.1" 200 500 '
            f'"{referrer}" "{agent}" {took:.3f}\n'
        )
    (folder / "access.log").write_text("".join(rows))
    return tell_apart(read([folder / "access.log"]).requests)


def visitors(draw: np.random.Generator) -> list[Line]:
    found: list[Line] = []
    for user, begin in enumerate(draw.uniform(0, SPAN_S, 800)):
        came, referrer, agent = float(begin), "-", BROWSERS[user % 20]
        for _ in range(draw.geometric(0.25)):
            path, took = f"/item/{draw.integers(200)}", float(draw.exponential(0.02))
            if came < SPAN_S:
                found.append(
                    (came, took, f"10.0.{user // 250}.{user % 250}", path, referrer, agent)
                )
            came, referrer = came + took + draw.lognormal(2.5, 1), f"https://shop.example{path}"
    return found


def only(found: Populations, kind: str) -> Population:
    (one,) = [one for one in found.populations if one.kind == kind]
    return one


def test_browsers_that_hold_a_request_are_closed_clients(tmp_path: Path) -> None:
    """Long polling: the answer comes when there is news, the next request at once, from a page."""
    draw = np.random.default_rng(11)
    found = visitors(draw)
    for client in range(40):
        came = float(draw.uniform(0, 30))
        while came < SPAN_S:
            took = min(float(draw.exponential(60)), 30.0)
            address = f"10.1.0.{client}"
            found.append(
                (came, took, address, "/events", "https://shop.example/", BROWSERS[client % 20])
            )
            came += took + 0.03
    populations = told(tmp_path, found)
    loop, people = only(populations, "loop"), only(populations, "people")
    assert (loop.model, loop.clients) == ("closed", 40)
    assert loop.requests == sum(path == "/events" for _, _, _, path, _, _ in found)
    assert (people.model, people.users) == ("partly-open", 800)


def test_a_load_test_has_as_many_clients_as_requests_under_way(tmp_path: Path) -> None:
    """All behind one address for 90 s: it was called one client."""
    draw = np.random.default_rng(12)
    found = visitors(draw)
    for _ in range(20):
        came = 3600 + float(draw.uniform(0, 1))
        while came < 3690:
            took = 0.05 + float(draw.exponential(0.2))
            path = f"/item/{draw.integers(200)}"
            found.append((came, took, "192.0.2.1", path, "-", "k6/0.49.0 (https://k6.io/)"))
            came += took
    populations = told(tmp_path, found)
    assert only(populations, "loop").clients == 20
    assert "overload" not in [one.name for one in populations.findings]
