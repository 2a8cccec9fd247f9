"""The live page, in a real browser: it moves, survives, stops what it shows, and becomes the report."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import CHROMIUM, MISSING, Browser
from watched_commands import SYSTEM, Watched

import thinktime as tt

WORKLOAD = """
name = "shop"
[arrivals]
model = "open"
rate = "200/s"
[slo]
p99 = "10s"
[[request]]
name = "item"
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    return tmp_path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory):
    if CHROMIUM is None:
        pytest.skip(MISSING)
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


HEADLINE = "document.querySelector('h1').textContent"
LIVE = "document.getElementById('live') !== null"
DRAWN = "document.querySelectorAll('.chart .main-svg').length"


def test_a_page_moves_and_becomes_the_report(files: Path, browser: Browser) -> None:
    browser.complaints.clear()
    with tt.serve(tt.System(SYSTEM)) as server:
        command = ["run", "w.toml", "--target", server.url, "--duration", "12s", "--live"]
        with Watched(command, files) as watched:
            browser.visit(watched.url)
            browser.wait(f"{DRAWN} > 2")
            first = browser.evaluate(HEADLINE)
            browser.wait(f"{HEADLINE} !== {first!r}")
            assert browser.evaluate(LIVE)
            browser.visit(watched.url)  # again: all is there at once
            browser.wait(f"{DRAWN} > 2")
            browser.wait(f"!({LIVE})")  # the report
            assert watched.ended() == 0, watched.said
    assert "How these numbers were obtained" in browser.evaluate("document.body.textContent")
    assert browser.evaluate(DRAWN) >= 3
    assert browser.complaints == []


def test_the_button_stops_a_simulation_and_keeps_it(files: Path, browser: Browser) -> None:
    command = ["simulate", "w.toml", "s.toml", "--requests", "2000000000", "-o", "out", "--live"]
    with Watched(command, files) as watched:
        browser.visit(watched.url)
        browser.wait(f"{DRAWN} > 1")
        stop = "document.getElementById('stop')"
        browser.evaluate(f"{stop}.click()")
        assert browser.evaluate(f"{stop}.textContent") == "Stop for good?"
        assert watched.process.poll() is None
        browser.evaluate(f"{stop}.click()")
        browser.wait(f"!({LIVE})")
        assert watched.ended() == 3
    done = tt.Result.load(files / "out")
    assert done.interrupted
    assert done.summary["requests"] > 1000
