"""Identifying data never stands in a learned workload."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np
import polars as pl
import pytest
from population_traffic import TIMEOUT_S, workload_of

from thinktime.learn import learn
from thinktime.learn.bounds import USERS_MIN
from thinktime.learn.journeys import find_journeys
from thinktime.learn.kinds import private, templates
from thinktime.learn.logs.requests import ROWS, Requests

pytestmark = pytest.mark.usefixtures("brief_advice")
HOSTILE = [
    ("", "7d444840-9dc0-11d1-b245-5ffdce74fad2"),
    ("", "{7D444840-9DC0-11D1-B245-5FFDCE74FAD2}"),
    ("", "7d4448409dc011d1b2455ffdce74fad2"),
    ("", "4711"),
    ("", "1985-03-17"),
    ("", "17.03.1985"),
    ("", "19850317"),
    ("", "jane.miller@example.com"),
    ("", "jane.miller%40example.com"),
    ("", "jane.miller%2540example.com"),
    ("", "jane.miller"),
    ("", "jane-miller"),
    ("", "JaneMiller"),
    ("", "~jmiller"),
    ("", "+49-170-1234567"),
    ("", "0170-12-34-56-78"),
    ("", "tel-01701234567"),
    ("", "4111-1111-1111-1111"),
    ("", "AKIAIOSFODNN7EXAMPLE"),
    ("", "sk-proj-abcdefghij"),
    ("", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
    ("", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig"),
    ("", "dGhpcyBpcyBhIHNlY3JldCBrZXk="),
    ("", "a1b2c3d4e5f6g7h8"),
    ("", "passport;number=X123"),
    ("", "q=how+to+leave"),
    ("", "10.1.2.3"),
    ("", "my-very-long-title-about-somebody-whom-i-know"),
    ("u", "quietfox"),
    ("users", "quietfox"),
    ("profile", "quietfox"),
    ("patients", "quietfox"),
    ("reset", "quietfox"),
    ("token", "quietfox"),
    ("api-key", "quietfox"),
    ("reset-password", "quietfox"),
    ("suche", "quietfox"),
    ("q", "quietfox"),
    ("find", "quiet-fox"),
    ("share", "quietfox"),
    ("meet", "abc-defg-hij"),
    ("video", "dQw4w9WgXcQ"),
    ("s", "aXb9Kq"),
    ("", "L01X00T471"),
    ("", "B-MH-1982"),
    ("", "12-mar-1985"),
    ("", "12-March-1985.pdf"),
]
"""Segments that must not be shown, each with the one before it."""

HARMLESS = [
    ("", "checkout"), ("", "new-products"), ("", "index.html"), ("", "style.css"), ("", "v1"),
    ("", "product-detail"), ("", "robots.txt"), ("", "best-sellers"), ("account", "login"),
    ("user", "settings"), ("", "jquery-3"), ("", "OAuth2"), ("", "iPhone15"),
    ("", "HTML5Basics"), ("", "MP3Player"), ("", "iPhone15Pro"),
    ("", "Product-3D-Printer"), ("", "Samsung-55in-TV"), ("", "Galaxy-S24-5G"), ("", "RFC2616"),
    ("", "ISO9001"), ("", "X-T30"), ("", "3DMark2011"),
    ("", "KSC-95EC-0911.jpg"), ("", "STS-71"), ("", "Report2024.pdf"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "segment"), HOSTILE)
def test_what_tells_somebody_is_private(before: str, segment: str) -> None:
    assert private(segment, before)


@pytest.mark.parametrize(("before", "segment"), HARMLESS)
def test_what_tells_nobody_is_not(before: str, segment: str) -> None:
    assert not private(segment, before)


def log(paths: list[str], users: list[int]) -> Requests:
    """Requests, one a second; users have an address each."""
    names = list(dict.fromkeys(paths))
    place = {name: at for at, name in enumerate(names)}
    count = len(paths)
    rows = pl.DataFrame(
        {
            "time_ns": np.arange(count) * 1_000_000_000,
            "duration_us": np.full(count, 1000),
            "user": users,
            "path": [place[path] for path in paths],
            "referrer": pl.Series([None] * count, dtype=pl.UInt32),
            "host": np.zeros(count, int),
            "bytes": np.full(count, 100),
            "status": np.full(count, 200),
            "method": np.zeros(count, int),
        },
        schema=ROWS,
    )
    many = max(users) + 1
    addresses = pl.DataFrame(
        {"address": np.arange(many), "agent": np.zeros(many, int)},
        schema={"address": pl.UInt32, "agent": pl.UInt32},
    )
    objects = pl.DataFrame({"path": names, "object": [False] * len(names)})
    return Requests(rows, objects, addresses, pl.Series(["a"]), pl.Series(["h"]), 1e-3)


def text_of(requests: Requests) -> str:
    return workload_of(find_journeys(requests, TIMEOUT_S))[1]


@pytest.mark.parametrize("users", [1, 40])
def test_no_hostile_path_stands_in_a_file(users: int) -> None:
    """Whether one user or all requested it, and at any place in the path."""
    paths = []
    for before, segment in HOSTILE:
        lead = f"/{before}" if before else ""
        hostile = [f"{lead}/{segment}", f"/shop{lead}/{segment}", f"/shop{lead}/{segment}/photos"]
        paths += ["/", "/cart", *hostile, "/cart"] * 40
    text = text_of(log(paths, [at // 6 % users for at in range(len(paths))]))
    for _, segment in HOSTILE:
        for written in (segment, quote(segment), unquote(segment), segment.lower()):
            assert f"/{written}/" not in text
            assert f'/{written}"' not in text
    assert ("/cart" in text) == (users >= USERS_MIN)


def test_what_few_asked_for_is_not_named() -> None:
    """Four users, however often; the fifth makes the difference."""
    paths = ["/plan-of-attack"] * 400
    fewer = [at % (USERS_MIN - 1) for at in range(400)]
    assert "plan-of-attack" not in text_of(log(paths, fewer))
    assert "plan-of-attack" in text_of(log(paths, [at % USERS_MIN for at in range(400)]))


@pytest.mark.parametrize("count", [1, 2])
def test_a_single_page_makes_a_workload(count: int) -> None:
    assert 'get = "/?others=1"' in text_of(log(["/page"] * count, list(range(count))))


@pytest.mark.parametrize(
    "path",
    ["/health", "/healthz", "/api/v1/health/ready", "/actuator/prometheus", "/-/healthy",
     "/metrics", "/ping", "/nginx_status", "/"],
)  # fmt: skip
def test_paths_of_any_server_are_named_even_for_one_user(path: str) -> None:
    """A run of the file would otherwise have a failed request for each check."""
    for count in (1, 40):
        assert f'get = "{path}"' in text_of(log([path] * count, [0] * count))


@pytest.mark.parametrize("path", ["/health/quietfox", "/users/ping-me", "/pingpong", "/statuses"])
def test_paths_that_only_look_so_are_not(path: str) -> None:
    assert f'get = "{path}"' not in text_of(log([path] * 40, [0] * 40))


def test_what_is_not_named_goes_to_a_path_of_the_log() -> None:
    paths = ["/cart"] * 100 + ["/plan-of-attack"] * 40
    text = text_of(log(paths, [at % 9 for at in range(100)] + [0] * 40))
    assert 'get = "/cart"' in text
    assert 'get = "/cart?others=1"' in text


def test_a_user_is_an_address_here() -> None:
    """One person with many browsers is one, beside forty others."""
    paths = ["/plan-of-attack", "/cart"] * 400
    users = [at // 2 % 50 if at % 2 else 50 + at // 2 % 50 for at in range(800)]
    requests = log(paths, users)
    assert "plan-of-attack" in text_of(requests)
    address = np.where(np.arange(100) < 50, np.arange(100), 50)
    alone = replace(
        requests, users=requests.users.with_columns(address=pl.Series(address, dtype=pl.UInt32))
    )
    assert "plan-of-attack" not in text_of(alone)
    assert "/cart" in text_of(alone)


def test_behind_a_proxy_a_user_is_an_agent_too() -> None:
    requests = log(["/cart"] * 400, [at % 50 for at in range(400)])
    proxy = replace(requests, users=requests.users.with_columns(address=pl.lit(0)))
    assert "/cart" in text_of(proxy)


def test_names_in_a_variable_place_are_not_in_the_template() -> None:
    names = pl.Series([f"/team/{name}" for name in ("jane", "john", "mary", "peter")])
    found = templates(names, np.zeros(4, bool), np.ones(4, np.int64))
    told = [text for text in found.texts if not private(text.split("/")[-1])]
    assert told == []


@pytest.mark.parametrize("fans", [1, USERS_MIN - 1, USERS_MIN])
@pytest.mark.parametrize("even", [False, True])
def test_who_comes_again_is_still_one_behind_one_address(
    even: bool, fans: int, tmp_path: Path
) -> None:
    """All come for single pages, from the address of a proxy; agents distinguish them.

    If they come by the clock they are classified as a program.
    """
    draw = np.random.default_rng(4)
    times = np.linspace(0, 200_000, 2500) if even else draw.uniform(0, 200_000, 2500)
    rows = [(at, user, "/") for user, at in enumerate(times)]
    again = enumerate(draw.uniform(0, 200_000, 40))
    rows += [(at, 3000 + n % fans, "/plan-of-attack") for n, at in again]
    lines = ["time,address,path,agent\n"]
    for at, user, path in sorted(rows):
        agent = f"Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.{user}"
        lines.append(f"{1_790_000_000 + at:.3f},10.0.0.1,{path},{agent}\n")
    (tmp_path / "log.csv").write_text("".join(lines))
    learned = learn([tmp_path / "log.csv"], fidelity=False)
    assert learned.parts[0].population.model == "open"
    assert ("plan-of-attack" in learned.workload_text) == (fans >= USERS_MIN)
