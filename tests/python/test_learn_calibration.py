"""A learned workload offers as many requests as its log, whatever the log is like."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import thinktime
from thinktime.learn import learn
from thinktime.learn.journeys.lengths import Lengths, of_mean
from thinktime.learn.views.page import page_of
from thinktime.learn.views.terminal import lines
from thinktime.present import units

pytestmark = pytest.mark.usefixtures("brief_advice")
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0"
CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
IDLE = '[[station]]\nname = "idle"\nservers = 100000\ndemand = "1ms"\n'
Line = tuple[float, str, str, str]
"""The second, the address, the path and the agent."""


def written(path: Path, found: list[Line]) -> Path:
    begin = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
    rows = []
    for second, address, asked, agent in sorted(found):
        stamp = (begin + datetime.timedelta(seconds=int(second))).strftime("%d/%b/%Y:%H:%M:%S")
        rows.append(f'{address} - - [{stamp} +0000] "GET {asked} HTTP/1.1" 200 500 "-" "{agent}"\n')
    path.write_text("".join(rows))
    return path


def visitors(draw: np.random.Generator, begin: float, end: float, rate: float) -> list[Line]:
    found: list[Line] = []
    for first in np.sort(draw.uniform(begin, end, draw.poisson(rate * (end - begin)))):
        address = f"10.{draw.integers(256)}.{draw.integers(256)}.{draw.integers(256)}"
        times = first + np.cumsum(draw.exponential(6.0, draw.geometric(0.3)))
        found += [(t, address, f"/item/{draw.integers(50)}", BROWSER) for t in times if t < end]
    return found


def offered(path: Path, duration_s: float) -> dict[str, float]:
    """Requests a second of each population of the learned workload, without waiting."""
    found = learn([path], fidelity=False)
    file = path.with_suffix(".toml")
    found.save(file)
    system = thinktime.System(f'name = "idle"\n{IDLE}')
    result = thinktime.simulate(
        file, system, duration=duration_s, warmup=0.0, requests=1_000_000, rows="all"
    )
    rows = pl.DataFrame(result.requests)
    if len(found.split.populations) == 1:
        return {found.split.populations[0].name: len(rows) / duration_s}
    counts = rows["population"].cast(pl.String).value_counts().iter_rows()
    return {name: count / duration_s for name, count in counts}


@pytest.mark.parametrize("every_s", [1500.0, 3600.0])
def test_a_crawler_that_comes_by_the_hour_asks_as_often_as_in_the_log(
    tmp_path: Path, every_s: float
) -> None:
    """Its pauses were lost: those within a session by a law that fits, those beyond it whole."""
    draw, span_s = np.random.default_rng(3), 12 * 3600.0
    found = visitors(draw, 0, span_s, 0.05)
    asked = 0
    for first in np.arange(20, span_s, every_s):
        times = first + np.cumsum(draw.exponential(2.0, 60))
        found += [(t, "203.0.113.1", f"/item/{draw.integers(5000)}", CRAWLER) for t in times]
        asked += len(times)
    rates = offered(written(tmp_path / "access.log", found), 4 * span_s)
    assert rates["crawlers"] == pytest.approx(asked / span_s, rel=0.15)


def test_of_a_log_of_which_most_is_lost_all_keep_the_rates_of_the_rest(tmp_path: Path) -> None:
    """One minute in each hour: people by steps of the day were 60 times too few beside others."""
    draw, span_s = np.random.default_rng(4), 40 * 3600.0
    found = [(t, "203.0.113.9", "/feed/all", CRAWLER) for t in np.arange(0, span_s, 4.0)]
    for hour in range(40):  # one visit in a million lasts for more than four minutes
        begin = 3600.0 * hour
        found += visitors(draw, begin - 240, begin + 60, 1.0 if hour < 20 else 2.0)
    kept = [line for line in found if line[0] % 3600.0 < 60.0 and line[0] >= 0]
    path = written(tmp_path / "access.log", kept)
    left_s = 40 * 60.0
    rates = offered(path, left_s)
    people = sum(agent == BROWSER for _, _, _, agent in kept)
    assert rates["people"] == pytest.approx(people / left_s, rel=0.15)
    assert rates["crawlers"] == pytest.approx((len(kept) - people) / left_s, rel=0.15)
    assert "the rest is left out" in path.with_suffix(".toml").read_text()


def test_pauses_of_a_fixed_number_of_clients_are_no_sessions_that_lack(tmp_path: Path) -> None:
    """Each began one in the log, and none in the workload, which was reported as 20 % too few."""
    draw, span_s = np.random.default_rng(5), 10 * 3600.0
    found = visitors(draw, 0, span_s, 0.002)
    for first in np.arange(20, span_s, 3600.0):
        times = first + np.cumsum(draw.exponential(2.0, 600))
        found += [(t, "203.0.113.1", f"/item/{draw.integers(5000)}", CRAWLER) for t in times]
    learned = learn([written(tmp_path / "access.log", found)])
    closed = [part for part in learned.parts if part.closed]
    assert [part.population.name for part in closed] == ["crawlers"]
    assert learned.fidelity is not None
    sessions = learned.fidelity.differences["sessions_per_s"]
    assert sessions.log > 0
    assert sessions.difference == pytest.approx(0, abs=1e-9)


def test_journeys_of_which_one_was_seen_whole_do_not_all_get_its_length(tmp_path: Path) -> None:
    """One of eight pages, and four that the log's edges may cut off: the file offered 40 for 12."""
    path = cut_off(tmp_path)
    found = learn([path], fidelity=False)
    (part,) = found.parts
    assert part.offers == pytest.approx(1, abs=0.02)
    assert part.offers_told == ""
    found.save(tmp_path / "learned.toml")
    system, span_s = thinktime.System(f'name = "idle"\n{IDLE}'), found.log.requests.span_s
    asked = [
        thinktime.simulate(
            tmp_path / "learned.toml", system, duration=span_s, warmup=0.0, rows="none", seed=seed
        ).summary["requests"]
        for seed in range(100)
    ]
    # A run's standard deviation is 5, that of the mean 0.5: a false alarm in a million seeds.
    assert np.mean(asked) == pytest.approx(12, abs=2.5)


def test_a_file_that_cannot_offer_the_logs_requests_says_so(tmp_path: Path) -> None:
    learned = learn([cut_off(tmp_path)], fidelity=False)
    part = learned.parts[0]
    whole = replace(
        part.journeys,
        chain=replace(part.journeys.chain, lengths=Lengths(np.array([8]), np.ones(1))),
    )
    off = replace(learned, parts=[replace(part, journeys=whole)])
    offers = off.parts[0].offers
    assert offers is not None
    assert offers > 1.5
    told = f"makes {units.number(offers)} times its requests"
    assert told in " ".join(" ".join(lines(off)).split())
    assert told in " ".join(off.workload_text.replace("#", "").split())
    assert told in page_of(off).tables[0].groups[0].lines[0].below
    assert off.to_dict()["populations"][0]["offers"] == pytest.approx(offers, rel=1e-5)


def cut_off(folder: Path) -> Path:
    """A journey of eight pages, and pages of users who may have been there before or after."""
    found: list[Line] = [(4000 + 30.0 * page, "10.0.0.1", "/item/1", BROWSER) for page in range(8)]
    found += [(at, f"10.0.1.{at % 97}", "/item/1", BROWSER) for at in (0, 9380, 9390, 9400)]
    return written(folder / "access.log", found)


@pytest.mark.parametrize(
    ("law", "mean", "expected"),
    [
        ({1: 3, 8: 1}, 2.0, {1: 6 / 7, 8: 1 / 7}),
        ({8: 1}, 2.4, {2: 0.6, 3: 0.4}),
        ({8: 1}, 1.0, {1: 1.0}),
        ({2: 5, 3: 5}, 4.25, {4: 0.75, 5: 0.25}),
    ],
)
def test_lengths_come_to_any_mean(
    law: dict[int, float], mean: float, expected: dict[int, float]
) -> None:
    of = Lengths(np.array(list(law)), np.array(list(law.values()), float))
    found = of_mean([of], mean, 1e-3)
    assert found.mean == pytest.approx(mean, rel=1e-3)
    shares = found.many / found.many.sum()
    assert dict(zip(found.pages.tolist(), shares, strict=True)) == pytest.approx(expected, rel=0.01)
    assert found.many.sum() == pytest.approx(of.many.sum())
