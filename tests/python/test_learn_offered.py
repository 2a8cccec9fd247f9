"""A learned workload offers as many requests as its log, whatever the log is like."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import thinktime
from thinktime.learn import learn

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
    """Requests a second of each population of the learned workload, where nobody waits."""
    found = learn([path], fidelity=False)
    file = path.with_suffix(".toml")
    found.save(file)
    system = thinktime.System(f'name = "idle"\n{IDLE}')
    result = thinktime.simulate(
        file, system, duration=duration_s, warmup=0.0, requests=1_000_000, rows="all"
    )
    rows = pl.DataFrame(result.requests)
    if len(found.told.populations) == 1:
        return {found.told.populations[0].name: len(rows) / duration_s}
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
    found = visitors(draw, 0, 20 * 3600.0, 1.0) + visitors(draw, 20 * 3600.0, span_s, 2.0)
    found += [(t, "203.0.113.9", "/feed/all", CRAWLER) for t in np.arange(0, span_s, 4.0)]
    kept = [line for line in found if line[0] % 3600.0 < 60.0]
    path = written(tmp_path / "access.log", kept)
    left_s = 40 * 60.0
    rates = offered(path, left_s)
    people = sum(agent == BROWSER for _, _, _, agent in kept)
    assert rates["people"] == pytest.approx(people / left_s, rel=0.15)
    assert rates["crawlers"] == pytest.approx((len(kept) - people) / left_s, rel=0.15)
    assert "the rest is left out" in path.with_suffix(".toml").read_text()
