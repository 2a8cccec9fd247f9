"""What the compiled half counts of visits, against a second implementation by columns.

Both are the same, times to the last digits of sums. Logs are of seeds: people and programs with
known habits, and columns of no sense.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from fuzzing import seeds
from numpy_journeys import answered, asked, steps
from numpy_visits.made import HABITS, Habits, requests_of, senseless, templates_of

from thinktime import InputError, _core
from thinktime.learn.journeys.visits import Visits, find_visits
from thinktime.learn.logs.requests import METHODS, Requests

TIMEOUT_S = 1800.0
KINDS = 5


def agreed(requests: Requests, seed: int) -> None:
    """All counts of a log are the same."""
    template = templates_of(requests, seed)
    visits = find_visits(requests, template, TIMEOUT_S)
    draw = np.random.default_rng(seed)
    kind = draw.integers(0, KINDS, len(visits.base)).astype(np.int32)
    same_steps(visits, kind, requests.span_s)
    same_thinks(visits)
    requests = answered_ones(requests, draw)
    same_kinds(requests, template, draw)
    same_answers(requests, draw)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds(range(1, 4), fresh=40))
@pytest.mark.parametrize("habits", HABITS.values(), ids=HABITS)
def test_people_and_programs(habits: Habits, seed: int) -> None:
    agreed(requests_of(habits, seed), seed)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds(range(100, 140), fresh=1000))
def test_columns_of_no_sense(seed: int) -> None:
    agreed(senseless(seed), seed)


def answered_ones(requests: Requests, draw: np.random.Generator) -> Requests:
    """The same with methods and sizes, one in ten of which is not logged."""
    many = len(requests)
    size = draw.choice(np.array([0, 7, 900, 4_294_967_294], np.uint32), many)
    logged = pl.Series(size).set(pl.Series(draw.random(many) < 0.1), None)
    method = pl.Series(draw.integers(0, len(METHODS), many).astype(np.uint8))
    return replace(requests, rows=requests.rows.with_columns(method=method, bytes=logged))


def pages_of(visits: Visits, kind: np.ndarray) -> pl.DataFrame:
    columns = ("previous", "opener", "journey", "start_s", "end_s", "failed")
    return pl.DataFrame({name: getattr(visits, name) for name in columns} | {"kind": kind})


def same_steps(visits: Visits, kind: np.ndarray, span_s: float) -> None:
    found = _core.page_steps(pages_of(visits, kind), KINDS, span_s)
    expected = steps.page_steps(visits, kind.astype(np.int64), KINDS, span_s)
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert np.array(found[name]) == pytest.approx(values, rel=1e-12), name


def same_thinks(visits: Visits) -> None:
    found, early = _core.think_times(pages_of(visits, np.zeros(len(visits.base), np.int32)))
    think_s, page = answered.think_times(visits)
    table = pl.DataFrame(found)
    assert np.array_equal(table["think_s"], np.maximum(think_s, 0.0))
    assert np.array_equal(table["page"], page)
    assert early == np.sum(think_s < 0)


def same_kinds(requests: Requests, template: np.ndarray, draw: np.random.Generator) -> None:
    rows, many = requests.rows, len(requests)
    embedded, counted = draw.random(many) < 0.3, draw.random(many) < 0.9
    how = pl.DataFrame({"embedded": embedded, "counted": counted})
    paths = pl.DataFrame({"template": template.astype(np.uint32)})
    found = _core.RequestsByKind(rows.select("path", "method", "user"), how, paths)
    path, user = rows["path"].to_numpy().astype(np.int64), rows["user"].to_numpy()
    coded = asked.codes(template, path, rows["method"].to_numpy(), embedded)
    by_code = pl.DataFrame(found.by_code())["requests"].to_numpy()
    assert np.array_equal(by_code, np.bincount(coded[counted], minlength=len(by_code)))
    wanted = np.unique(coded).tolist()
    for least in (1, 3, 6):
        assert found.by_many(wanted, least) == asked.by_many(coded, user, wanted, least)
    halves = (np.arange(int(user.max()) + 1) // 2).astype(np.uint32)
    shared = found.by_many(wanted, 3, pl.DataFrame({"address": halves}))
    assert shared == asked.by_many(coded, halves[user], wanted, 3)
    of_code = draw.integers(-1, KINDS - 2, len(by_code) // 2).astype(np.int32)
    kinds = found.kinds(pl.DataFrame({"kind": of_code}), KINDS - 2, KINDS - 1)
    kind = pl.DataFrame(kinds)["kind"].to_numpy()
    assert np.array_equal(kind, asked.kinds(coded, of_code, (KINDS - 2, KINDS - 1)))
    for table, (own, requested) in zip(
        found.members(kinds, KINDS), asked.members(kind, path, counted, KINDS), strict=True
    ):
        assert np.array_equal(pl.DataFrame(table)["path"], own)
        assert np.array_equal(pl.DataFrame(table)["requests"], requested)


def same_answers(requests: Requests, draw: np.random.Generator) -> None:
    rows, paths = requests.rows, requests.paths.height
    kind = draw.integers(-1, KINDS - 1, len(requests)).astype(np.int32)
    table = rows.select("path", "bytes", "status").with_columns(kind=pl.Series(kind))
    path = rows["path"].to_numpy().astype(np.int64)
    size = rows["bytes"].fill_null(answered.LARGEST + 1).to_numpy().astype(np.int64)
    expected = answered.answers(kind, path, size, rows["status"].to_numpy(), KINDS)
    for found, columns in zip(_core.answered(table, KINDS, paths), expected, strict=True):
        (statuses, sizes), extremes = map(pl.DataFrame, found[:2]), found[2:]
        told = [*statuses.get_columns(), *sizes.get_columns()]
        for one, other in zip(told, columns[:5], strict=True):
            assert np.array_equal(one.to_numpy(), other), one.name
        assert extremes == columns[5:]


def test_numbers_that_do_not_go_together_are_refused() -> None:
    visits = SimpleNamespace(
        previous=np.array([-1, 5], np.int32), opener=np.array([-1, -1], np.int32),
        journey=np.zeros(2, np.int32), start_s=np.zeros(2), end_s=np.zeros(2),
        failed=np.zeros(2, bool),
    )  # fmt: skip
    # It has the columns of visits that are in use, and no others.
    pages = pages_of(visits, np.zeros(2, np.int32))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="page 5 is not among"):
        _core.page_steps(pages, 1, 1.0)
    with pytest.raises(InputError, match="page 5"):
        _core.think_times(pages)
