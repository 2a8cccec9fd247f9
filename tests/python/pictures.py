"""Pictures of pages for the docs: `make pictures` writes them anew.

The live page of a run against a server of this machine, the report of such a run, the first screens
of it and of a learned workload, the tail of the demo's report, a sweep of a simulated server, and
what reports draw of a workload and a system; by day and by night, on paper and on a telephone.

A shown run must have no sign of a busy machine: it is repeated until that is so, a few times at
most. No other work should run meanwhile.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from browser import Browser
from live_commands import COMMAND, Watched
from made_logs import Known, make

import thinktime as tt
from thinktime import validity

WORKLOAD = """
name = "shop"
[arrivals]
model = "open"
rate = "60/s"
[[request]]
name = "item"
get = "/item"
weight = 4
[[request]]
name = "search"
get = "/search"
[slo]
p99 = "200ms"
"""
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\npolicy = "ps"\ndemand = "exp(10ms)"\n'
EXAMPLES = Path(__file__).parents[2] / "examples"
WIDTH, PHONE, PAPER, SCREEN = 900, 360, 1016, 1160
SCREEN_HEIGHT = 900
HEIGHT_MAX = 12_000
COLOURS = 256
LIVE_S = 60
TRIES = 5
SETTLING_S = 3.0
"""The time in which charts follow the width and the colours of a page."""

PICTURES = (
    "live-light.png", "live-dark.png", "live-phone.png", "live-print.png",
    "report-light.png", "report-dark.png", "report-phone.png", "report-print.png",
    "sweep-light.png", "sweep-dark.png", "diagrams-light.png", "diagrams-dark.png",
    "learn-light.png", "learn-dark.png", "run-light.png", "run-dark.png",
    "demo-light.png", "demo-dark.png",
)  # fmt: skip
"""All that are written."""

FIRST_CHARTS = ("#section-heat", "#section-tail")
"""A page is shown down to the end of the last of these that it has."""

NEEDED = ("generator", "punctuality")
"""The checks that reveal a busy machine."""


def main(folder: Path) -> None:
    """Write the pictures into a folder."""
    with tempfile.TemporaryDirectory() as place, Browser(Path(place) / "profile") as browser:
        files = Path(place)
        (files / "shop.toml").write_text(WORKLOAD)
        (files / "server.toml").write_text(SYSTEM)
        with tt.serve(tt.System(SYSTEM)) as server:
            live(browser, files, server.url, folder)
            result = quiet(files, server.url)
        report = tt.report([result], files / "report.html")
        browser.open(report, WIDTH)
        taken(browser, folder / "report-{}.png")
        elsewhere(browser, folder, "report")
        first_screen(browser, report, folder / "run-{}.png")
        first_screen(browser, learned(files), folder / "learn-{}.png")
        sweep = tt.sweep(
            files / "shop.toml", files / "server.toml", ["load=0.05..0.95/19"],
            requests=40_000, output=files / "sweep",
        )  # fmt: skip
        assert len(sweep)
        browser.open(files / "sweep" / "sweep.html", WIDTH)
        taken(browser, folder / "sweep-{}.png", "#section-percentiles")
        diagrams(browser, files, folder)
        demo(browser, files, folder)


def live(browser: Browser, files: Path, url: str, folder: Path) -> None:
    """The live page when most of a run is over, of a run that the machine did not make late."""
    command = ["run", "shop.toml", "--target", url, "--duration", f"{LIVE_S}s", "--live"]
    spoilt = "[...document.querySelectorAll('#table-validity td')].map(one => one.textContent)"
    for _ in range(TRIES):
        with Watched(command, files) as watched:
            browser.look(WIDTH)
            browser.visit(watched.url)
            browser.wait("document.getElementById('share').value > 0.6")
            said = browser.evaluate(spoilt)
            if any("not to be trusted" in one for one in said):
                watched.ended()
                continue
            taken(browser, folder / "live-{}.png")
            elsewhere(browser, folder, "live")
            assert browser.evaluate("document.getElementById('live') !== null"), "it took too long"
            watched.ended()
            return
    raise SystemExit(f"the machine was busy in each of {TRIES} runs: no picture of the live page")


def quiet(files: Path, url: str) -> tt.Result:
    """A run without viewers, in which no check reveals a busy machine."""
    command = ["run", "shop.toml", "--target", url, "--duration", f"{LIVE_S}s", "-o", "out", "-q"]
    for _ in range(TRIES):
        subprocess.run([*COMMAND, *command], cwd=files, check=False, capture_output=True)
        result = tt.Result.load(files / "out")
        if is_quiet(result.untrusted, result.validity):
            return result
    raise SystemExit(f"the machine was busy in each of {TRIES} runs: no picture of a report")


def is_quiet(untrusted: str | None, found: Sequence[validity.Finding]) -> bool:
    """Whether no check reveals a busy machine."""
    fine = {one.name for one in found if one.verdict == validity.FINE}
    return untrusted is None and fine.issuperset(NEEDED)


def learned(files: Path) -> Path:
    """The page of a workload that is learned from a made log, of people and a program."""
    log = files / "access.log"
    make(Known(sessions=400, rate=5.0), log)
    command = [*COMMAND, "learn", log.name, "-o", "site", "-q"]
    subprocess.run(command, cwd=files, check=True, capture_output=True)
    return files / "site.html"


def demo(browser: Browser, files: Path, folder: Path) -> None:
    """The first chart of the demo's page, as the front page shows it."""
    from thinktime.cli import plain_text
    from thinktime.demo import main as make_demo

    browser.open(make_demo(files / "demo", plain_text.console()), SCREEN)
    taken(browser, folder / "demo-{}.png", "#section-tail", SCREEN)


def first_screen(browser: Browser, page: Path, path: Path) -> None:
    """What of a page is seen first, by day and by night."""
    browser.open(page, SCREEN)
    taken(browser, path, width=SCREEN, height_max=SCREEN_HEIGHT)


def diagrams(browser: Browser, files: Path, folder: Path) -> None:
    """The workload and the system of two examples, as a report draws them."""
    made = [
        tt.simulate(EXAMPLES / workload, EXAMPLES / system, requests=20_000, rows="none")
        for workload, system in (
            ("shop-visitors.toml", "shop-visitors-server.toml"), ("shop.toml", "three-tier.toml"),
        )
    ]  # fmt: skip
    browser.open(tt.report(made, files / "diagrams.html"), 1100)
    taken(browser, folder / "diagrams-{}.png", "#section-diagrams", 1100)


def elsewhere(browser: Browser, folder: Path, name: str) -> None:
    """The same page on a telephone, and on paper."""
    browser.look(PHONE)
    time.sleep(SETTLING_S)
    written(browser, folder / f"{name}-phone.png", "body")
    browser.look(PAPER, medium="print")
    browser.evaluate("void dispatchEvent(new Event('beforeprint'))")
    time.sleep(SETTLING_S)
    written(browser, folder / f"{name}-print.png", "body")
    browser.evaluate("void dispatchEvent(new Event('afterprint'))")
    browser.look(WIDTH)


def taken(
    browser: Browser, path: Path, part: str = "body", width: int = WIDTH,
    height_max: int = HEIGHT_MAX,
) -> None:  # fmt: skip
    """A picture of a part of a page by day and one by night."""
    for name, dark in (("light", False), ("dark", True)):
        browser.look(width, dark=dark)
        time.sleep(SETTLING_S)
        written(browser, path.with_name(path.name.format(name)), part, height_max)


def written(browser: Browser, path: Path, part: str, height_max: int = HEIGHT_MAX) -> None:
    """A picture with few colours, so that it is small; of a whole page down to its first charts."""
    from PIL import Image

    end = height(browser) if part == "body" else HEIGHT_MAX
    browser.picture(path, part, min(end, height_max))
    with Image.open(path) as whole:
        few = whole.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
    few.save(path, optimize=True)


def height(browser: Browser) -> float:
    """The lower end of the first charts, in pixels."""
    ends = browser.evaluate(
        f"{list(FIRST_CHARTS)}.map(one => document.querySelector(one))"
        ".filter(one => one).map(one => one.getBoundingClientRect().bottom + scrollY)"
    )
    return min(max(ends, default=HEIGHT_MAX), HEIGHT_MAX)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
