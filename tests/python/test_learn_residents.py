"""Users who stay for a whole log are clients beside its visitors, and are scaled as such."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import thinktime as tt
from thinktime.learn import Learned, learn

SPAN_S = 1800.0
FORMAT = (
    'nginx:$msec $remote_addr "$request" $status $body_bytes_sent $request_time "$http_user_agent"'
)
ANSWER_S, THINK_S = 0.03, 4.0


def line(end_s: float, address: str, took_s: float, agent: int) -> tuple[float, str]:
    page = ("/", "/a", "/b")[int(end_s * 1000) % 3]
    return end_s, (
        f'{1_790_000_000 + end_s:.3f} {address} "GET {page} HTTP/1.1" 200 4000 {took_s:.3f} '
        f'"Mozilla/5.0 (X11; Linux) Firefox/1{agent % 20}.0"\n'
    )


def chain(
    random: Random, begin_s: float, pages: float, address: str, agent: int
) -> list[tuple[float, str]]:
    """Pages of one person, each after the answer to the one before and a pause."""
    found: list[tuple[float, str]] = []
    at_s = begin_s
    while at_s < SPAN_S and len(found) < pages:
        took_s = random.expovariate(1 / ANSWER_S)
        found.append(line(at_s + took_s, address, took_s, agent))
        at_s += took_s + random.expovariate(1 / THINK_S)
    return found


def visitors(random: Random, rate: float) -> list[tuple[float, str]]:
    """Sessions of four pages at this rate."""
    found, at_s, number = [], random.expovariate(rate), 0
    while at_s < SPAN_S:
        number += 1
        found += chain(random, at_s, 4, f"10.1.{number // 250}.{number % 250}", number)
        at_s += random.expovariate(rate)
    return found


def learned(lines: list[tuple[float, str]], folder: Path) -> Learned:
    log = folder / "access.log"
    kept = sorted(one for one in lines if one[0] < SPAN_S)
    log.write_text("".join(text for _, text in kept), encoding="utf-8")
    return learn([log], format=FORMAT, fidelity=False)


@pytest.mark.usefixtures("brief_advice")
@pytest.mark.parametrize("seed", [1, 2])
def test_users_who_stay_are_clients(seed: int, tmp_path: Path) -> None:
    """Six of some 900 users stay. At twice the traffic there are twice as many requests a second:
    the number that 900 sessions and twelve clients make varies by 2 %."""
    random = Random(seed)
    lines = visitors(random, 0.5)
    for number in range(6):
        address = f"10.9.0.{number}"
        lines += chain(random, random.uniform(0, 5), float("inf"), address, number)
    found = learned(lines, tmp_path)
    closed = [one for one in found.split.populations if one.model == "closed"]
    assert [one.clients for one in closed] == [6]
    assert {one.model for one in found.split.populations} == {"closed", "partly-open"}
    found.save(tmp_path / "site.toml")
    workload = tt.Workload.load(tmp_path / "site.toml")
    rates = [
        tt.simulate(workload.scaled(factor), station(), duration=SPAN_S, rows="none").summary[
            "throughput"
        ]
        for factor in (1.0, 2.0)
    ]
    assert rates[0] == pytest.approx(len(lines) / SPAN_S, rel=0.1)
    assert rates[1] == pytest.approx(2 * rates[0], rel=0.1)


@pytest.mark.usefixtures("brief_advice")
def test_an_address_of_many_people_is_no_client(tmp_path: Path) -> None:
    """Sessions behind one address, several at a time, do not wait for one another."""
    random = Random(3)
    lines = visitors(random, 0.5)
    at_s = 0.0
    while at_s < SPAN_S:
        lines += chain(random, at_s, 4, "10.9.0.1", 1)
        at_s += random.expovariate(0.5)
    assert {one.model for one in learned(lines, tmp_path).split.populations} == {"partly-open"}


def station() -> tt.System:
    return tt.System(
        f'name = "s"\n[[station]]\nname = "s"\nservers = 8\ndemand = "exp({ANSWER_S}s)"\n'
    )
