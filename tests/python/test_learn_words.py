"""Long times in reasons are in minutes and hours, and one user is no plural."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from thinktime.learn import learn
from thinktime.learn.advice.advice import Advice
from thinktime.learn.advice.models import Model
from thinktime.learn.logs.requests import ROWS, Requests
from thinktime.learn.populations import Population, Populations, crawlers, tell_apart
from thinktime.learn.views.tables import chance
from thinktime.learn.views.terminal import lines


def told(time_s: np.ndarray, agent: str) -> Populations:
    """The report about one user with this agent, who asks for one page at these times."""
    count = len(time_s)
    zeros = np.zeros(count, dtype=int)
    rows = dict.fromkeys(("user", "path", "host", "bytes", "method"), zeros)
    rows |= {"time_ns": (np.sort(time_s) * 1e9).astype(np.int64), "status": zeros + 200}
    empty = pl.Series([None] * count, dtype=pl.UInt32)
    frame = pl.DataFrame(rows | {"duration_us": empty, "referrer": empty})
    return tell_apart(
        Requests(
            frame.select(list(ROWS)).cast(dict(ROWS)),
            pl.DataFrame({"path": ["/api"], "object": [False]}),
            pl.DataFrame({"address": [0], "agent": [0]}),
            pl.Series([agent]),
            pl.Series([""]),
            1.0,
        )
    )


def test_a_reader_who_comes_every_three_hours() -> None:
    draw = np.random.default_rng(1)
    times = np.arange(60) * 10_800.0 + draw.uniform(0, 30, 60)
    (reader,) = told(times, "Feedbin feed-id:1373711 - 3 subscribers").populations
    assert "asks again 3.00 h after the answer" in reader.reason
    assert "e+04" not in reader.reason


def test_one_user_asks() -> None:
    draw = np.random.default_rng(2)
    times = draw.uniform(0, 86_400, 600)
    (caller,) = told(times, "python-requests/2.32.3").populations
    assert caller.reason.startswith("1 user asks all the time")


def test_a_long_hole_is_told_in_hours() -> None:
    times = np.concatenate([np.arange(400) * 7.0, 30_000 + np.arange(400) * 7.0])
    (hole,) = (one for one in told(times, "curl/8.5").findings if one.name == "holes")
    assert "the longest of 7.56 h" in hole.text
    assert hole.text.startswith("1 time without a line")


def site(path: Path, hours: float, duration: str = "", pause_s: float = 20) -> Path:
    """Visits of three pages with images, a poller beside them."""
    draw = np.random.default_rng(4)
    found: list[tuple[float, str]] = []
    line = '{} - - [22/Nov/2026:{:%H:%M:%S} +0000] "GET {} HTTP/1.1" 200 100 "{}" "{}"{}\n'
    begin = datetime(2026, 11, 22, 1, tzinfo=UTC)

    def add(time_s: float, *of: str) -> None:
        if time_s < hours * 3600:
            when = begin + timedelta(seconds=int(time_s))
            found.append((time_s, line.format(of[0], when, *of[1:], duration)))

    for user in range(int(300 * hours)):
        at = draw.uniform(0, hours * 3600)
        for page in range(3):
            name = f"http://a.example/{page}"
            add(
                at, f"10.0.{user // 200}.{user % 200}", f"/{page}", "-", "Mozilla/5.0 Firefox/130.0"
            )
            for _ in range(4):
                image = f"/{draw.integers(600)}.png"
                add(
                    at + 1,
                    f"10.0.{user // 200}.{user % 200}",
                    image,
                    name,
                    "Mozilla/5.0 Firefox/130.0",
                )
            at += min(draw.exponential(pause_s), 1700)
    for n in range(int(hours * 120)):
        add(30.0 * n + 0.5, "192.0.2.1", "/status", "-", "monitor/1.0")
    path.write_text("".join(text for _, text in sorted(found)))
    return path


@pytest.mark.usefixtures("brief_advice")
def test_short_visits_are_not_said_to_be_cut(tmp_path: Path) -> None:
    """With a timeout of half an hour, all of two hours lies near an edge of the log."""
    cut = "the log's begin or end may cut most of their sessions"
    found = learn([site(tmp_path / "short.log", 2)], fidelity=False)
    assert cut not in found.parts[0].population.reason
    found = learn([site(tmp_path / "long.log", 1, pause_s=1500)], fidelity=False)
    assert cut in found.parts[0].population.reason
    assert found.parts[0].population.confidence == "unsure"


@pytest.mark.usefixtures("brief_advice")
def test_what_is_asked_for_most_is_shown_first(tmp_path: Path) -> None:
    found = learn([site(tmp_path / "access.log", 1)], fidelity=False)
    shown = next(one for one in lines(found) if one.startswith("requests  "))
    assert shown.split() == ["requests", "/*.png", "80", "%,", "/*", "20", "%"]


@pytest.mark.usefixtures("brief_advice")
def test_one_size_of_many_paths_is_written_as_it_is(tmp_path: Path) -> None:
    found = learn([site(tmp_path / "access.log", 1)], fidelity=False)
    sizes = [one.size_law for one in found.parts[0].journeys.answers]
    assert sizes == ["100B"] * len(sizes)


@pytest.mark.usefixtures("brief_advice")
def test_what_would_tell_a_clock_from_a_loop_is_not_in_the_log_already(tmp_path: Path) -> None:
    bare = learn([site(tmp_path / "access.log", 1)], fidelity=False)
    timed = learn([site(tmp_path / "timed.log", 1, " 0.010")], fidelity=False)
    wanted = [one.parts[-1].population.would_change for one in (bare, timed)]
    assert wanted == [
        "durations in the log, or stamps of more digits",
        "stamps of more digits",
    ]


def advice(model: str, open_s: float, closed_s: float, *, loaded: bool = True) -> Advice:
    """A population whose mean is 100 ms and whose p99 is 1 s."""
    means = {"open": open_s, "closed": closed_s} | {model: 0.1}
    models = {
        name: Model(mean_s, 10 * mean_s, 2.0, (0.8, 0.8) if loaded else (0.4, 0.4))
        for name, mean_s in means.items()
    }
    people = Population("people", "people", model, "sure", "reason", "change", 1000, 100)
    return Advice(
        people, 1.0, requests_per_session=4.0, load=0.8, cv2=4.0, cv2_from="given", models=models,
        clients=10, demand_s=0.01,
    )  # fmt: skip


def test_the_advice_says_what_another_load_test_would_show() -> None:
    words = advice("open", 0.1, 0.05).plan
    assert words.startswith("Plan with an open model")
    assert words.endswith(
        "a closed load test of 10 clients would show half of the mean response time and half of "
        "the p99"
    )
    words = advice("partly-open", 0.157, 0.03).plan
    assert "an open load test would show 1.57 times the mean response time" in words
    assert "of 10 clients would show 30 % of the mean response time" in words
    words = advice("closed", 0.101, 0.1).plan
    assert words.endswith("an open load test would show about the same response times")


def test_the_advice_never_contradicts_the_verdict() -> None:
    """It said OPEN of what was partly-open if an open test would show the same."""
    found = advice("partly-open", 0.1, 0.1)
    assert found.plan.startswith("Plan with a partly-open model")
    assert set(found.misleading_if) == {"open", "closed"}


def test_models_that_did_not_reach_the_load_are_not_told_of() -> None:
    assert "would show" not in advice("open", 0.1, 0.05, loaded=False).plan


def test_users_who_stay_and_do_not_wait_are_no_closed_system(tmp_path: Path) -> None:
    """The verdict said open, and the advice beside it closed."""
    draw = np.random.default_rng(6)
    times = np.sort(draw.uniform(0, 3600, 20_000))
    rows = [
        f"10.0.0.{draw.integers(8)} - - [01/Mar/2026:10:{int(t // 60):02}:{int(t % 60):02} +0000] "
        '"POST /shop.Cart/Get HTTP/2" 200 120 "-" "grpc-go/1.58.0" 0.200\n'
        for t in times
    ]
    (tmp_path / "access.log").write_text("".join(rows))
    found = learn([tmp_path / "access.log"], fidelity=False)
    assert [one.model for one in found.split.populations] == ["open"]
    told = found.to_dict()
    assert (told["recommended_model"], list(told["misleading_if"])) == ("open", ["closed"])
    assert told["plan"].startswith("Plan with an open model")


def test_very_small_chances_are_not_spelled_out() -> None:
    assert [chance(p) for p in (0.716, 0.001, 1e-30, 0.0)] == [
        "p = 0.72", "p = 0.0010", "p < 0.001", "p < 0.001",
    ]  # fmt: skip


def test_agents_of_crawlers_are_shown_without_mail_and_where_they_say_what_they_are() -> None:
    shown = crawlers._plain_agent("shopping-bot/1.0 (+mailto:somebody@example.com)")
    assert shown == "shopping-bot/1.0 (+mailto:...)"
    phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 6_0 like Mac OS X) AppleWebKit/536.26 (KHTML, like "
    phone += "Gecko) Version/6.0 Safari/8536.25 (compatible; Examplebot/2.1; +http://e.example/b)"
    shown = crawlers._plain_agent(phone)
    assert "Examplebot/2.1" in shown
    assert shown.startswith("...")
    assert len(shown) <= crawlers.SHOWN + 3
    google = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
    assert crawlers._plain_agent(google).startswith("... (compatible; Googlebot/2.1")


def test_a_crawler_of_an_hour_is_not_there_for_1_hours() -> None:
    times = np.cumsum(np.random.default_rng(3).exponential(20.0, 180))
    (crawler,) = told(times, "Googlebot/2.1").populations
    assert crawler.reason.endswith((" min", " h"))
