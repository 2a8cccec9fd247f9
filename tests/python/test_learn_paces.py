"""Requests by a clock and from a fixed number of hands, behind one address, are not mixed up.

Each log is made here by a few lines of its own, with a fixed seed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from thinktime.learn import learn
from thinktime.learn.logs.log import read
from thinktime.learn.populations import Population, tell_apart

Law = Callable[[Random], float]
LAWS: dict[str, Law] = {
    "alike": lambda random: random.lognormvariate(-2.7, 0.3),
    "varied": lambda random: random.expovariate(12),
    "spread": lambda random: random.uniform(0.01, 0.14),
    "the same": lambda random: 0.07,
}
COUNT = 6000


def no_time(random: Random) -> float:
    """No think time."""
    return 0.0


def written(path: Path, requests: list[tuple[float, float]]) -> Path:
    lines = ["start_time,duration_s,address,path,status,user_agent,referer"]
    requests = sorted(requests)
    for at, took in requests:
        stamp = f"{1_700_000_000 + at:.3f},{took:.3f}"
        lines.append(f"{stamp},10.0.0.1,/tick,200,Go-http-client/2.0,")
    path.write_text("\n".join(lines) + "\n")
    return path


def told(path: Path, requests: list[tuple[float, float]]) -> Population:
    """The only population of a log."""
    (found,) = tell_apart(read([written(path, requests)]).requests).populations
    return found


def by_clock(law: Law, gap: float, jitter: float, seed: int) -> list[tuple[float, float]]:
    random = Random(seed)
    return [(n * gap + random.uniform(-jitter, jitter) * gap, law(random)) for n in range(COUNT)]


def from_hands(law: Law, hands: int, think: Law, seed: int) -> list[tuple[float, float]]:
    random = Random(seed)
    free = [random.random() * 0.1 for _ in range(hands)]
    heapq.heapify(free)
    made = []
    for _ in range(COUNT):
        at, took = heapq.heappop(free), law(random)
        made.append((at, took))
        heapq.heappush(free, at + took + think(random))
    return made


@pytest.mark.parametrize("jitter", [0.0, 0.25, 0.5])
@pytest.mark.parametrize("gap", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("law", LAWS)
def test_a_clock_is_no_client_that_waits(
    law: str, gap: float, jitter: float, tmp_path: Path
) -> None:
    """Answers may take longer than the gaps, or almost no part of them."""
    found = told(tmp_path / "log.csv", by_clock(LAWS[law], gap, jitter, 11))
    assert found.model == "open" or found.confidence == "unsure", found


@pytest.mark.usefixtures("brief_advice")
@pytest.mark.parametrize("hands", [1, 3, 12])
@pytest.mark.parametrize("law", ["alike", "varied", "spread"])
def test_hands_that_ask_again_at_once_are_known(law: str, hands: int, tmp_path: Path) -> None:
    made = from_hands(LAWS[law], hands, no_time, 12)
    (found,) = learn([written(tmp_path / "log.csv", made)], fidelity=False).split.populations
    assert (found.model, found.clients) == ("closed", hands), found


@pytest.mark.usefixtures("brief_advice")
@pytest.mark.parametrize("spread", [0.0, 0.002, 0.01])
@pytest.mark.parametrize("hands", [2, 3])
def test_hands_whose_answers_take_the_same_are_no_clock_for_sure(
    hands: int, spread: float, tmp_path: Path
) -> None:
    made = from_hands(lambda random: 0.5 * (1 + random.gauss(0, spread)), hands, no_time, 15)
    (found,) = learn([written(tmp_path / "log.csv", made)], fidelity=False).split.populations
    assert (found.model, found.clients) == ("closed", hands) or found.confidence == "unsure", found


@pytest.mark.parametrize("think", [0.05, 0.2, 1.0])
@pytest.mark.parametrize("hands", [4, 12])
def test_hands_that_think_are_not_said_to_ask_at_once(
    hands: int, think: float, tmp_path: Path
) -> None:
    made = from_hands(LAWS["varied"], hands, lambda random: random.expovariate(1 / think), 13)
    found = told(tmp_path / "log.csv", made)
    assert found.confidence != "sure", found


def test_many_clocks_behind_one_address_are_open(tmp_path: Path) -> None:
    random = Random(14)
    made = [
        (begin + 30 * n, LAWS["alike"](random))
        for begin in [random.uniform(0, 30) for _ in range(60)]
        for n in range(100)
    ]
    found = told(tmp_path / "log.csv", made)
    assert found.model == "open" or found.confidence == "unsure", found
