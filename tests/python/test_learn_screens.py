"""The parts of a page or a screen: beats, parallel calls, and the order within a second."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest

from thinktime import Distribution
from thinktime.learn import Learned, learn

pytestmark = pytest.mark.usefixtures("brief_advice")
BEGIN = datetime.datetime(2026, 3, 2, 8, tzinfo=datetime.UTC)
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:{0}.0) Gecko/20100101 Firefox/{0}.0"
SPAN_S = 3 * 3600.0
PAGES = 4.0
Line = tuple[float, float, int, str, str, str]
"""When it came and how long it took, the user, the path, the referrer, the agent."""


def learned(folder: Path, lines: list[Line], digits: int = 3) -> Learned:
    """Made from stamps of ends with durations."""
    rows = []
    lines = [line for line in lines if 0 <= line[0] < SPAN_S]
    for came, took, user, asked, referrer, agent in sorted(lines, key=lambda one: one[0] + one[1]):
        at = BEGIN + datetime.timedelta(seconds=came + took)
        fraction = f".{at.microsecond // 1000:03d}" if digits else ""
        rows.append(
            f'{{"time":"{at:%Y-%m-%dT%H:%M:%S}{fraction}Z","remote_addr":"10.0.{user // 250}.'
            f'{user % 250}","request":"GET {asked} HTTP/1.1","status":200,"bytes_sent":500,'
            f'"request_time":{took:.3f},"http_referer":"{referrer}","http_user_agent":"{agent}"}}\n'
        )
    (folder / "access.log").write_text("".join(rows))
    return learn([folder / "access.log"], fidelity=False)


def begins(draw: np.random.Generator, count: int) -> list[float]:
    return np.sort(draw.uniform(0, SPAN_S, count)).tolist()


def test_pages_of_a_second_keep_their_order(tmp_path: Path) -> None:
    """By end less duration a page that took longer came before the one that led to it."""
    draw, lines = np.random.default_rng(51), []
    for user, at in enumerate(begins(draw, 1500)):
        referrer, agent = "-", BROWSER.format(100 + user % 40)
        for _ in range(draw.geometric(1 / PAGES)):
            asked, took = f"/item/{draw.integers(1, 60)}", float(draw.exponential(0.05))
            lines.append((at, took, user, asked, referrer, agent))
            at, referrer = at + took + float(draw.exponential(5.0)), asked
    (part,) = learned(tmp_path, lines, digits=0).parts
    assert part.journeys.journeys == pytest.approx(1500, rel=0.005)


@pytest.mark.parametrize("digits", [0, 3])
def test_beats_of_open_pages_are_no_pages(tmp_path: Path, digits: int) -> None:
    draw, lines = np.random.default_rng(52), []
    for user, at in enumerate(begins(draw, 1000)):
        referrer, agent = "-", BROWSER.format(100 + user % 40)
        for _ in range(draw.geometric(1 / PAGES)):
            asked, think_s = f"/item/{draw.integers(1, 60)}", float(draw.exponential(40.0))
            lines.append((at, 0.02, user, asked, referrer, agent))
            beats = at + np.arange(10.0, think_s, 10.0)
            lines += [(float(beat), 0.01, user, "/beat", asked, agent) for beat in beats]
            at, referrer = at + think_s, asked
    found = learned(tmp_path, lines, digits=digits)
    parts = {part.population.name: part for part in found.parts}
    assert set(parts) == {"people", "heartbeats"}
    assert parts["heartbeats"].population.confidence == "unsure"
    assert set(parts["heartbeats"].population.paths) == {"/beat"}
    assert parts["people"].journeys.chain.pages_mean == pytest.approx(PAGES, rel=0.1)


def test_people_who_look_at_one_page_again_and_again_are_no_beats(tmp_path: Path) -> None:
    draw, lines = np.random.default_rng(53), []
    for user, at in enumerate(begins(draw, 1000)):
        referrer, agent = "-", BROWSER.format(100 + user % 40)
        for _ in range(draw.geometric(1 / PAGES)):
            asked = "/news" if draw.random() < 0.7 else f"/item/{draw.integers(1, 60)}"
            lines.append((at, 0.02, user, asked, referrer, agent))
            at, referrer = at + float(draw.lognormal(2.0, 0.8)), asked
    assert [part.population.name for part in learned(tmp_path, lines).parts] == ["people"]


def test_what_an_app_asks_for_at_once_is_a_screen(tmp_path: Path) -> None:
    draw, lines = np.random.default_rng(54), []
    for user, at in enumerate(begins(draw, 1200)):
        for _ in range(draw.geometric(1 / PAGES)):
            screen, took = draw.integers(3), draw.exponential(0.05, 5)
            for n in range(5):
                call = f"/api/s{screen}/c{n}"
                lines.append((at + 0.004 * n, float(took[n]), user, call, "-", "ShopApp/3.1"))
            at += float((took + 0.004 * np.arange(5)).max() + draw.exponential(15.0))
    (part,) = learned(tmp_path, lines).parts
    journeys = part.journeys
    assert journeys.chain.pages_mean == pytest.approx(PAGES, rel=0.1)
    names = [kind.name for kind in journeys.kinds.kinds[: journeys.kinds.pages]]
    assert {name for name in names if name != "others"} == {f"/api/s{n}/c0" for n in range(3)}
    assert journeys.thinks.mean_s == pytest.approx(15.0, rel=0.1)
    laws = [one.law for at, one in journeys.embeddings.of_kind.items() if at < 3]
    assert [Distribution(law).mean for law in laws] == pytest.approx([4.0] * 3, rel=0.02)


@pytest.mark.parametrize(("clocked", "model"), [(False, "closed"), (True, "open")])
def test_bursts_behind_a_fixed_pause_are_one_population(
    tmp_path: Path, clocked: bool, model: str
) -> None:
    draw, lines = np.random.default_rng(56), []
    for user in range(4):
        begin = at = float(draw.uniform(0, 90))
        while begin < SPAN_S:
            for _ in range(1 + draw.poisson(8)):
                took = float(draw.exponential(0.1))
                lines.append((at, took, user, f"/batch/{draw.integers(30)}", "-", "etl/2.0"))
                at += took + float(draw.exponential(0.7))
            begin = at = begin + 90.0 if clocked else at + 90.0
    (part,) = learned(tmp_path, lines).parts
    one = part.population
    assert (one.name, one.model, one.confidence) == ("bursts", model, "unsure")
    assert part.clients == (None if clocked else 4)
    assert one.interval_s == pytest.approx(90.0, rel=0.1)


def test_hands_behind_few_addresses_have_no_screens(tmp_path: Path) -> None:
    """Their requests overlap in any order: none of them belongs to another."""
    draw, lines = np.random.default_rng(55), []
    for hand in range(120):
        at = float(draw.uniform(0, 5))
        while at < 1800:
            took, path = float(draw.exponential(0.3)), f"/api/{draw.integers(6)}"
            lines.append((at, took, hand % 30, path, "-", "java/11"))
            at += took + float(draw.exponential(2.0))
    for part in learned(tmp_path, lines).parts:
        assert not part.journeys.embeddings.of_kind
