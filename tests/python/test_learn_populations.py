"""Populations are told apart in logs of which it is known who sent each line."""

from __future__ import annotations

from random import Random

import polars as pl
import pytest
from fuzzing import seeds
from traffic.recovery import Recovery, recovery_of
from traffic.scenarios import SCENARIOS, scenario

from thinktime.learn.populations import agents

WRONG_MOST = 0.02
"""Of the requests on the wrong side: what was promised."""

TRIED = [
    *("closed-people", "crawlers", "everything", "feed-readers", "few-people", "gateway"),
    *("hidden-crawlers", "hosts", "hosts-vhost", "mixture-40-percent-hidden", "one-address"),
    *("people-behind-the-poller", "people-seconds", "pollers-and-callers", "pollers-behind-one"),
    *("pollers-jittered", "pollers-seconds", "scanners", "shared-addresses", "single-requests"),
    *("batch-many-addresses", "batch-one-address", "busy-pollers", "silent-gaps"),
]


def recovered(name: str, seed: int, scale: float) -> Recovery:
    made = scenario(name, seed, scale)
    return recovery_of(made.truth.table, made.truth.facts)


@pytest.mark.parametrize("name", TRIED)
def test_populations_are_told_apart(name: str) -> None:
    found = recovered(name, seed=101, scale=0.12)
    assert found.wrong <= WRONG_MOST, found.found.populations
    assert found.missed == []
    assert found.wrong_and_sure == 0, found.verdicts


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds([103], fresh=30))
def test_any_scenario(seed: int) -> None:
    # Two kinds of people on one site stay together.
    names = [name for name in SCENARIOS if name != "two-kinds-of-people"]
    found = recovered(Random(seed).choice(names), seed, scale=0.3)
    assert found.wrong <= WRONG_MOST, found.found.populations
    assert found.wrong_and_sure == 0, found.verdicts


def test_programs_are_told_by_name() -> None:
    expected = {
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": agents.CRAWLER,
        "CCBot/2.0 (https://commoncrawl.org/faq/)": agents.CRAWLER,
        "curl/8.5.0": agents.LIBRARY,
        "okhttp/4.12.0": agents.LIBRARY,
        "Go-http-client/1.1": agents.LIBRARY,
        "ELB-HealthChecker/2.0": agents.MONITOR,
        "kube-probe/1.30": agents.MONITOR,
        "UptimeRobot/2.0": agents.MONITOR,
        "Feedbin feed-id:1373711 - 3 subscribers": agents.FEED_READER,
        "UniversalFeedParser/4.2-pre-314-svn +http://feedparser.org/": agents.FEED_READER,
        "stock-sync/3.2": agents.PROGRAM,
        "-": agents.UNKNOWN,
        "": agents.UNKNOWN,
        "Mozilla/5.0 (X11; Linux x86_64; rv:27.0) Gecko/20100101 Firefox/27.0": agents.BROWSER,
        "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/90": agents.BROWSER,
    }
    found = agents.kinds_of(pl.Series(list(expected)))
    assert dict(zip(expected, found.tolist(), strict=True)) == expected
