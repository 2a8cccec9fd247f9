"""The first figures of a log after reading, and its page during learning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thinktime.learn import learn
from thinktime.learn.logs.log import Log
from thinktime.learn.logs.overview import INTERVALS_MAX, Overview, overview_of
from thinktime.monitor import points
from thinktime.monitor.frames import WatchedRun
from thinktime.monitor.live_page import Subject
from thinktime.present.page import render

pytestmark = pytest.mark.usefixtures("brief_advice")
BEGUN = WatchedRun("learn", "Learning from a log", "from a log")


def line(second: int, address: str = "10.0.0.1", path: str = "/") -> str:
    """A request of the common log format, some seconds after noon."""
    at = f"12:{second // 60:02}:{second % 60:02}"
    return f'{address} - - [10/Oct/2025:{at} +0000] "GET {path} HTTP/1.1" 200 512\n'


def glance(path: Path, lines: list[str], **how: object) -> Overview:
    path.write_text("".join(lines))
    found: list[Log] = []
    # The keyword arguments have several types.
    learn([path], fidelity=False, when_read=found.append, **how)  # type: ignore[arg-type]
    (log,) = found
    return overview_of(log)


SECONDS = [*range(0, 120, 2), *([50] * 7), *([51] * 3)]


def test_counts_are_those_of_the_log(tmp_path: Path) -> None:
    lines = [line(second, f"10.0.0.{second % 5}") for second in sorted(SECONDS)]
    found = glance(tmp_path / "access.log", [*lines, "nonsense\n", *(["\x01 more\n"] * 2)])
    assert (found.lines, found.requests, found.dropped) == (len(lines) + 3, len(lines), 0)
    assert found.users == 5
    assert sum(one.count for one in found.refused) == 3
    assert all("access.log:" in one.first for one in found.refused)
    assert found.span_s == pytest.approx(119.0)
    assert (found.busiest, found.busiest_s) == (8, 50.0)
    wanted = np.bincount(sorted(SECONDS))
    assert found.rates.tolist() == pytest.approx(wanted.tolist())
    assert found.starts_s.tolist() == list(range(119))


def test_a_long_log_has_few_intervals_and_no_request_is_lost(tmp_path: Path) -> None:
    seconds = list(range(0, 3599, 7))
    found = glance(tmp_path / "access.log", [line(second) for second in seconds])
    assert len(found.starts_s) <= INTERVALS_MAX
    lengths = np.diff(np.append(found.starts_s, found.span_s))
    assert float(found.rates @ lengths) == pytest.approx(len(seconds))


def test_one_request_is_a_log(tmp_path: Path) -> None:
    found = glance(tmp_path / "access.log", [line(3)])
    assert (found.busiest, found.busiest_s, found.requests) == (1, 0.0, 1)
    assert found.rates.tolist() == [1.0]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    lines = [line(second, path="/a" if second % 3 else "/b") for second in range(90)]
    found = glance(tmp_path / "access.log", lines, only=["path=/a"])
    assert (found.requests, found.dropped) == (60, 30)


def test_its_page_has_tables_and_the_chart(tmp_path: Path) -> None:
    """With the unreadable lines, by reason, and none of their text."""
    lines = [line(second) for second in sorted(SECONDS)]
    evil = '<script>window.hacked = 1</script>"\n'
    seen = Subject(BEGUN)
    seen.take(("reading", (10, 0.5, 1000)))
    assert "10 requests read" in seen.page().headline.sentence
    seen.take(("read", glance(tmp_path / "access.log", [*lines, evil])))
    page = seen.page()
    assert page.headline.sentence == "70 requests in 119 s."
    assert page.headline.doubts == ["1 line could not be read."]
    assert [table.name for table in page.tables] == ["read", "refused"]
    busiest = next(one for one in page.tables[0].lines if one.name == "busiest second")
    assert busiest.cells[0].text == "8 requests"
    (section,) = page.sections
    assert section.drawing is not None
    (panel,) = section.drawing.panels
    assert sum(panel.figure.series[0].y[:-1]) == 70
    assert "most 8.00/s" in panel.words
    assert "window.hacked" not in render(page)


def test_a_log_that_is_read_whole_has_no_second_table(tmp_path: Path) -> None:
    page = points.page_of_read(BEGUN, glance(tmp_path / "access.log", [line(1), line(2)]))
    assert [table.name for table in page.tables] == ["read"]
    assert page.headline.doubts == []
