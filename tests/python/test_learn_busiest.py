"""The busiest second, minute and hour of a log, in all outputs about it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from test_learn_calibration import BROWSER, CRAWLER, Line, written

from thinktime.learn import learn
from thinktime.learn.logs.busiest import busiest, busiest_of, busiest_words
from thinktime.learn.views.page import page_of
from thinktime.learn.views.terminal import lines

pytestmark = pytest.mark.usefixtures("brief_advice")
MORE = [2000.0] * 7 + [2001.0] * 2 + [2040.0 + n for n in range(15)]


@pytest.mark.parametrize("agent", [BROWSER, CRAWLER])
def test_they_are_told_whatever_the_populations_are(tmp_path: Path, agent: str) -> None:
    """People, and a fixed number of crawlers, whose sessions have no starts."""
    found: list[Line] = [(10.0 * n, "203.0.113.1", f"/{n}", agent) for n in range(720)]
    found += [(second, "203.0.113.1", "/", agent) for second in MORE]
    learned = learn([written(tmp_path / "access.log", found)], fidelity=False)
    told = busiest_words(learned.log)
    # From second 2000: 6 of the even ones, and 24 more.
    assert told.startswith("8 requests in a second, 30 in a minute and 384 in an hour (")
    assert f"busiest: {told}" in list(lines(learned))
    assert f"Busiest: {told}." in page_of(learned).details[0].caption.splitlines()
    as_json = json.loads(json.dumps(learned.to_dict()))["busiest"]
    assert [(one["window_s"], one["requests"]) for one in as_json] == [
        (1, 8), (60, 30), (3600, 384),
    ]  # fmt: skip
    assert as_json[0]["at_s"] == 2000
    assert as_json[0]["factor"] == pytest.approx(8 / (744 / 7191), rel=1e-4)


def test_they_are_those_that_are_counted_one_by_one() -> None:
    draw = np.random.default_rng(3)
    seconds = np.sort((draw.random(900) ** 2 * 9000).astype(np.int64))
    for one in busiest_of(seconds, 9000.0):
        counts = [
            int(np.sum((seconds >= at) & (seconds < at + one.window_s)))
            for at in np.unique(seconds)
        ]
        assert one.requests == max(counts)
        assert one.at_s == np.unique(seconds)[int(np.argmax(counts))]


def test_what_is_longer_than_the_log_is_left_out(tmp_path: Path) -> None:
    found: list[Line] = [(float(n), "203.0.113.1", f"/{n}", BROWSER) for n in range(90)]
    learned = learn([written(tmp_path / "access.log", found)], fidelity=False)
    assert [one.window_s for one in busiest(learned.log)] == [1, 60]
    assert busiest_words(learned.log).startswith("1 request in a second and 60 in a minute (1")
