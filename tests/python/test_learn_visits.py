"""Visits, found by sessions in the compiled half, against a second implementation by columns.

Both are the same to the last digit. Logs are of seeds: people and programs with known habits, and
columns of no sense. The second implementation is held to slow loops itself.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import polars as pl
import pytest
from fuzzing import seeds
from numpy_visits.branches import led_by, matched
from numpy_visits.made import (
    HABITS,
    OBJECTS,
    PATHS,
    Habits,
    requests,
    requests_of,
    senseless,
    templates_of,
)
from numpy_visits.order import last_same
from numpy_visits.visits import find_visits as found_by_columns
from population_traffic import learned

from thinktime import InputError
from thinktime.learn.journeys.visits import Visits, find_pages, find_visits
from thinktime.learn.kinds.kinds import templates_of as learned_templates
from thinktime.learn.logs.requests import ROWS, Requests

TIMEOUT_S = 1800.0


def differ(one: Visits, other: Visits) -> list[str]:
    """Which columns are not the same."""
    return [
        field.name
        for field in fields(Visits)
        if not np.array_equal(getattr(one, field.name), getattr(other, field.name))
    ]


def agreed(asked: Requests, template: np.ndarray, timeout_s: float, pages: bool = True) -> Visits:
    """The common result of both."""
    found = find_visits(asked, template, timeout_s, pages)
    assert not differ(found, found_by_columns(asked, template, timeout_s, pages))
    return found


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds(range(1, 5), fresh=40))
@pytest.mark.parametrize("habits", HABITS.values(), ids=HABITS)
def test_people_and_programs(habits: Habits, seed: int) -> None:
    asked = requests_of(habits, seed)
    agreed(asked, templates_of(asked, seed), TIMEOUT_S)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds(range(100, 180), fresh=1000))
def test_columns_of_no_sense(seed: int) -> None:
    asked = senseless(seed)
    template = templates_of(asked, seed)
    for timeout_s in (60.0, TIMEOUT_S):
        agreed(asked, template, timeout_s)
    agreed(asked, template, TIMEOUT_S, pages=False)


@pytest.mark.parametrize("seed", [1, 2])
def test_pages_alone_are_those_of_visits(seed: int) -> None:
    asked = requests_of(HABITS["tabs"], seed)
    template = templates_of(asked, seed)
    visits = find_visits(asked, template, TIMEOUT_S)
    page, some = find_pages(asked, template, TIMEOUT_S)
    assert np.array_equal(page[visits.order], visits.page)
    assert np.array_equal(page[some], np.arange(len(visits.base)))
    user = asked.rows["user"].to_numpy()
    assert np.array_equal(user, user[some][page])


@pytest.mark.parametrize("name", ["tabs", "one-address", "caches", "errors-and-retries"])
def test_logs_with_a_known_truth(name: str) -> None:
    asked = learned(name, seed=23, scale=0.05).requests
    agreed(asked, learned_templates(asked).of_path, TIMEOUT_S)


def test_habits_show_in_what_is_found() -> None:
    """The compared cases occur: without them the comparison would prove nothing."""
    found = {}
    for name, habits in HABITS.items():
        asked = requests_of(habits, 7)
        found[name] = agreed(asked, np.arange(PATHS), TIMEOUT_S)
    assert all(visits.embedded.any() for name, visits in found.items() if name != "pollers")
    # With tabs, every second page from the same one is in a tab; without them hardly any is.
    assert found["tabs"].tabs > 20
    assert found["plain"].tabs < 5
    assert found["failures"].retry.sum() > 100
    assert found["failures"].failed.sum() > 20
    assert found["plain"].sessions > HABITS["plain"].people
    for name in ("calls", "screens"):
        asked = requests_of(HABITS[name], 7)
        path = asked.rows["path"].to_numpy()[found[name].order]
        assert np.sum(found[name].embedded & (path >= OBJECTS.stop)) > 100
    assert found["one address"].sessions == 1
    assert len(found["one address"].starts) > 20


def test_a_difference_is_noticed() -> None:
    asked = requests_of(HABITS["plain"], 3)
    template = np.arange(PATHS)
    found = find_visits(asked, template, TIMEOUT_S)
    assert "session" in differ(found, found_by_columns(asked, template, 5.0))
    assert differ(found, replace(found, previous=found.opener)) == ["previous"]


def test_no_requests() -> None:
    rows = pl.DataFrame(schema={name: ROWS[name] for name in ROWS})
    found = find_visits(requests(rows, [False], 1.0), np.zeros(1, np.int64), TIMEOUT_S)
    assert all(not len(getattr(found, field.name)) for field in fields(Visits))
    assert (found.sessions, found.tabs, len(found.starts)) == (0, 0, 0)


def test_one_request() -> None:
    asked = requests_of(HABITS["pollers"], 1)
    asked = replace(asked, rows=asked.rows[:1])
    assert agreed(asked, np.arange(PATHS), TIMEOUT_S).previous.tolist() == [-1]


def test_columns_in_several_pieces() -> None:
    asked = requests_of(HABITS["untimed"], 4)
    pieces = [asked.rows[at : at + 100] for at in range(0, len(asked), 100)]
    pieced = replace(asked, rows=pl.concat(pieces, rechunk=False))
    assert pieced.rows.n_chunks() == len(pieces) > 2
    template = np.arange(PATHS)
    found = find_visits(asked, template, TIMEOUT_S)
    assert not differ(found, find_visits(pieced, template, TIMEOUT_S))


def test_templates_beyond_the_paths_are_refused() -> None:
    asked = requests_of(HABITS["pollers"], 1)
    with pytest.raises(InputError, match="template 30 is too large"):
        find_visits(asked, np.full(PATHS, PATHS), TIMEOUT_S)


# ---- the second implementation against slow loops


def page_of(referrers: list[int], paths: list[int]) -> list[int]:
    """The result of `matched` for pages of one session; -1 for those without a referrer."""
    pages = np.array(paths, np.uint64)
    named = np.array(referrers) >= 0
    wanted = np.maximum(referrers, 0).astype(np.uint64)
    return matched(pages, wanted, named).tolist()


def test_a_page_is_led_to_by_the_last_one_that_is_free() -> None:
    # Two people at page 7, then each continues; and one more, whose page was not requested.
    assert page_of([-1, -1, 7, 7, 9], [7, 7, 1, 2, 3]) == [-1, -1, 1, 0, -1]
    # A second one from the same page: it has led on already, and still it is that one.
    assert page_of([-1, 7, 7], [7, 1, 2]) == [-1, 0, 0]
    # A page again and again.
    assert page_of([-1, 7, 7, 7], [7, 7, 7, 7]) == [-1, 0, 1, 2]


def test_matching_is_that_of_brackets() -> None:
    """Against a stack for each path; an empty one gives the last page of the path."""
    random = np.random.default_rng(8)
    for _ in range(50):
        paths = random.integers(0, 4, 60).tolist()
        referrers = random.integers(-1, 5, 60).tolist()
        stacks: dict[int, list[int]] = {}
        latest: dict[int, int] = {}
        slow = []
        for at, (path, referrer) in enumerate(zip(paths, referrers, strict=True)):
            free = stacks.get(referrer)
            slow.append(free.pop() if free else latest.get(referrer, -1))
            stacks.setdefault(path, []).append(at)
            latest[path] = at
        assert page_of(referrers, paths) == slow


def test_who_goes_back_goes_on_from_there() -> None:
    """Page 0 leads to 1, and after it was shown again to 2 and on to 3: one journey."""
    led = led_by(np.array([-1, 0, 0, 2]), np.array([-1, 0, 1, 2]))
    assert led.previous.tolist() == [-1, 0, 1, 2]
    assert led.opener.tolist() == [-1] * 4


def test_a_tab_runs_beside() -> None:
    """Page 0 leads to 1 and to 2, and both lead on: two journeys."""
    led = led_by(np.array([-1, 0, 0, 1, 2]), np.array([-1, 0, 1, 2, 3]))
    assert led.previous.tolist() == [-1, 0, -1, 1, 2]
    assert led.opener.tolist() == [-1, -1, 0, -1, -1]


def test_the_last_one_before() -> None:
    random = np.random.default_rng(2)
    keys = random.integers(0, 30, 400).astype(np.uint64)
    wanted = random.integers(0, 32, 200).astype(np.uint64)
    at = random.integers(0, 401, 200)
    slow = [
        max((place for place in range(end) if keys[place] == key), default=-1)
        for key, end in zip(wanted, at, strict=True)
    ]
    assert last_same(keys, wanted, at).tolist() == slow
