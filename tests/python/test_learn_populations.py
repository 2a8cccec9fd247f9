"""Populations are distinguished in logs whose senders are known for each line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest
from fuzzing import seeds
from traffic.recovery import Recovery, recovery_of
from traffic.scenarios import SCENARIOS, scenario
from traffic.variants import variant
from volume import oracle, volume

from thinktime.learn.logs.log import read
from thinktime.learn.logs.requests import ROWS, Requests
from thinktime.learn.populations import agents, callers, tell_apart
from thinktime.learn.populations.evidence import Evidence

WRONG_MOST = 0.02
"""The promised share of requests on the wrong side."""

TRIED = [
    *("closed-people", "everything", "feed-readers", "hidden-crawlers", "hosts", "one-address"),
    *("people-behind-the-poller", "pollers-seconds", "single-requests", "batch-many-addresses"),
    *("pollers-jittered", "scanners"),
]


@cache
def recovered(name: str, seed: int, scale: float) -> Recovery:
    made = scenario(name, seed, scale)
    return recovery_of(made.truth.table, made.truth.facts)


@pytest.mark.parametrize("name", TRIED)
def test_populations_are_told_apart(name: str) -> None:
    found = recovered(name, seed=101, scale=0.1)
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


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds([5014], fresh=30))
def test_any_mixture(seed: int) -> None:
    made = variant(seed)
    found = recovery_of(made.truth.table, made.truth.facts)
    assert found.wrong_side <= WRONG_MOST + made.truth.inseparable(), found.found.populations
    assert found.wrong_and_sure == 0, found.verdicts


def test_a_loop_is_described() -> None:
    (loop,) = (one for one in recovered("pollers-behind-one", 104, 0.1).found.populations[1:])
    assert (loop.kind, loop.model, loop.confidence, loop.clients) == ("loop", "closed", "sure", 40)
    assert loop.interval_s == pytest.approx(10.0, abs=0.01)
    assert loop.paths == ("/api/status",)


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("lost-hours", "holes"),
        ("silent-gaps", "holes"),
        ("bunched-stamps", "bunched stamps"),
        ("overload-fcfs", "overload"),
        ("errors-and-retries", "errors"),
        ("one-address", "one address"),
        ("heavy-address", "heavy address"),
        ("shared-addresses", "shared addresses"),
        ("people", None),
    ],
)
def test_what_is_unusual_is_said(name: str, finding: str | None) -> None:
    made = {"seed": 101, "scale": 0.1} if name in TRIED else {"seed": 105, "scale": 0.12}
    found = [one.name for one in recovered(name, **made).found.findings]
    # A short log cuts sessions.
    assert finding in found if finding else set(found) <= {"cut by the edges"}


@oracle
def test_any_columns_are_labelled() -> None:
    # Times that are the same, far apart or even; unknown and endless durations; one user or many.
    draw = np.random.default_rng(106)
    for case in range(volume(24, 60)):
        requests = _random(draw, case)
        found = tell_apart(requests)
        assert len(found.labels) == len(requests)
        counted = np.bincount(found.labels, minlength=len(found.populations)).tolist()
        assert counted == [one.requests for one in found.populations]
        assert len({one.name for one in found.populations}) == len(found.populations)


def _random(draw: np.random.Generator, case: int) -> Requests:
    count, users, paths = (int(draw.integers(low, 300)) for low in (0, 1, 1))
    users, paths = 1 + users % 7, 1 + paths % 5
    time = np.sort(draw.integers(0, 10 ** (6 + 2 * (case % 6)), count)) // 10**6 * 10**6
    duration = draw.integers(0, 2**32 - 1 if case % 2 else 10**5, count).tolist()
    referrers = [None if one < 0 else one for one in draw.integers(-1, paths, count).tolist()]
    rows = pl.DataFrame(
        {
            "time_ns": time,
            "duration_us": pl.Series(duration if case % 3 else [None] * count, dtype=pl.UInt32),
            "user": draw.integers(0, users, count),
            "path": draw.integers(0, paths, count),
            "referrer": pl.Series(referrers, dtype=pl.UInt32),
            "host": draw.integers(0, 2, count),
            "bytes": draw.integers(0, 9, count),
            "status": draw.choice([0, 200, 404, 500], count),
            "method": np.zeros(count, dtype=int),
        }
    ).cast(ROWS)
    return Requests(
        rows,
        pl.DataFrame(
            {
                "path": [f"/{n}" for n in range(paths)],
                "object": [n % 2 == 1 for n in range(paths)],
            }
        ),
        pl.DataFrame({"address": [0] * users, "agent": [n % 3 for n in range(users)]}),
        pl.Series(["-", "Mozilla/5.0 (X11) Firefox/130.0", "curl/8.5.0"]),
        pl.Series(["a.example.com", "b.example.com"]),
        1e-3 if case % 2 else 1.0,
    )


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
        "Mozilla/5.0 (Linux) mirall/3.11.0 (Nextcloud)": agents.PROGRAM,
        "-": agents.UNKNOWN,
        "": agents.UNKNOWN,
        "Mozilla/5.0 (X11; Linux x86_64; rv:27.0) Gecko/20100101 Firefox/27.0": agents.BROWSER,
        "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/90": agents.BROWSER,
    }
    found = agents.kinds_of(pl.Series(list(expected)))
    assert dict(zip(expected, found.tolist(), strict=True)) == expected


def test_a_crawler_of_many_sections_is_one() -> None:
    """Each section has less of its requests than would tie two crawlers to each other."""
    count = 600
    sections = [f"/{chr(97 + n % 26)}{chr(97 + n // 26)}/" for n in range(count)]
    time = np.arange(count) * 7 * 10**9
    rows = pl.DataFrame(
        {
            "time_ns": time + np.random.default_rng(107).integers(0, 6 * 10**9, count),
            "duration_us": pl.Series([None] * count, dtype=pl.UInt32),
            "user": np.zeros(count, dtype=int),
            "path": np.arange(count),
            "referrer": pl.Series([None] * count, dtype=pl.UInt32),
            **{name: np.zeros(count, dtype=int) for name in ("host", "bytes", "method")},
            "status": np.full(count, 200),
        }
    ).cast(dict(ROWS))
    requests = Requests(
        rows.select(list(ROWS)),
        pl.DataFrame({"path": sections, "object": [False] * count}),
        pl.DataFrame({"address": [0], "agent": [0]}),
        pl.Series(["Mozilla/5.0 (X11) Firefox/130.0"]),
        pl.Series([""]),
        1e-3,
    )
    assert [one.requests for one in tell_apart(requests).populations] == [count]


def test_what_is_joined_says_so(tmp_path: Path) -> None:
    """Sixty programs of a hundred users each: too many to list in a file one by one."""
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    random = np.random.default_rng(11)
    seconds = np.sort(random.uniform(0, 86_000, 12_000))
    users = random.permutation(np.repeat(np.arange(6_000), 2))
    lines = [
        f"10.0.{user // 250}.{user % 250} - - "
        f"[{begin + timedelta(seconds=second):%d/%b/%Y:%H:%M:%S} +0000] "
        f'"GET /{user % 7} HTTP/1.1" 200 10 "-" "client-{user % 60}/1.0"\n'
        for user, second in zip(users.tolist(), seconds.tolist(), strict=True)
    ]
    (tmp_path / "access.log").write_text("".join(lines))
    found = tell_apart(read([tmp_path / "access.log"]).requests).populations
    joined = [one for one in found if "small ones of a kind together" in one.reason]
    assert len(joined) == 1
    assert joined[0].users == max(one.users for one in found) > 2_000
    assert joined[0].reason.startswith(f"{60 - len(found) + 1} small ones")
    assert sum(one.requests for one in found) == len(lines)


def test_programs_of_few_requests_are_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host's parts are too small for a population of their own if its program is."""
    count = 3_000
    random = np.random.default_rng(12)
    user = np.sort(random.permutation(np.arange(count) % 300))
    requests = Requests(
        pl.DataFrame(
            {
                "time_ns": np.sort(random.integers(0, 86_400 * 10**9, count)),
                "duration_us": pl.Series([None] * count, dtype=pl.UInt32),
                "user": user,
                "path": random.integers(0, 40, count),
                "referrer": pl.Series([None] * count, dtype=pl.UInt32),
                "host": user,
                **{name: np.zeros(count, dtype=int) for name in ("bytes", "method")},
                "status": np.full(count, 200),
            }
        )
        .cast(dict(ROWS))
        .select(list(ROWS)),
        pl.DataFrame({"path": [f"/{n}/" for n in range(40)], "object": [False] * 40}),
        pl.DataFrame({"address": np.arange(300), "agent": np.arange(300)}),
        pl.Series([f"tool-{n}/1.0" for n in range(300)]),
        pl.Series([f"h{n}.example.com" for n in range(300)]),
        1e-3,
    )
    expected = [np.flatnonzero(user == n).tolist() for n in range(300)]
    monkeypatch.delattr(callers, "grouped")  # it would be called once a host
    assert [
        part.tolist() for part in callers._parts(Evidence(requests), np.arange(count))
    ] == expected


def test_nothing_is_likely_in_a_log_of_which_a_minute_an_hour_was_kept(tmp_path: Path) -> None:
    """A crawler at random times looks as if it waited for an hour and more after each answer."""
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    random = np.random.default_rng(5)
    lines = []
    for minute in range(0, 80 * 60, 60):
        for second in np.sort(random.uniform(0, 60, 40)).tolist():
            at = begin + timedelta(minutes=minute, seconds=second)
            crawls = random.random() < 0.2
            address = (
                "10.9.9.9" if crawls else f"10.0.{random.integers(200)}.{random.integers(200)}"
            )
            agent = "Baiduspider/2.0" if crawls else "Mozilla/5.0 (X11; rv:27.0) Firefox/27.0"
            lines.append(
                f"{address} - - [{at:%d/%b/%Y:%H:%M:%S} +0000] "
                f'"GET /{random.integers(50)} HTTP/1.1" 200 10 "-" "{agent}"\n'
            )
    (tmp_path / "access.log").write_text("".join(lines))
    found = tell_apart(read([tmp_path / "access.log"]).requests).populations
    assert {one.kind for one in found} >= {"crawler"}
    assert {one.confidence for one in found} == {"unsure"}
    assert all("% of the log's time has no line" in one.reason for one in found)
