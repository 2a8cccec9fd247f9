"""Pictures of pages for the docs: `make pictures` writes them anew.

The live page of a run against a server of this machine, the report that it becomes, and a sweep of
a simulated server, and what reports draw of a workload and a system; by day and by night.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from browser import Browser
from PIL import Image
from watched_commands import Watched

import thinktime as tt

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
WIDTH, PHONE, HEIGHT = 900, 360, 1900
COLOURS = 256
LIVE_S = 60


def main(folder: Path) -> None:
    """Write the pictures into a folder."""
    with tempfile.TemporaryDirectory() as place, Browser(Path(place) / "profile") as browser:
        files = Path(place)
        (files / "shop.toml").write_text(WORKLOAD)
        (files / "server.toml").write_text(SYSTEM)
        with tt.serve(tt.System(SYSTEM)) as server:
            command = ["run", "shop.toml", "--target", server.url, "--duration", f"{LIVE_S}s"]
            with Watched([*command, "--live", "-o", "out"], files) as watched:
                browser.look(WIDTH, dark=False)
                browser.visit(watched.url)
                browser.wait("document.getElementById('share').value > 0.6")
                taken(browser, folder / "live-{}.png")
                assert browser.evaluate("document.getElementById('live') !== null")
                watched.ended()
        report = tt.report([tt.Result.load(files / "out")], files / "report.html")
        browser.open(report, WIDTH)
        taken(browser, folder / "report-{}.png")
        browser.open(report, PHONE)
        written(browser, folder / "report-phone.png", "body")
        sweep = tt.sweep(
            files / "shop.toml", files / "server.toml", ["load=0.05..0.95/19"],
            requests=40_000, output=files / "sweep",
        )  # fmt: skip
        assert len(sweep)
        browser.open(files / "sweep" / "sweep.html", WIDTH)
        taken(browser, folder / "sweep-{}.png", "#section-percentiles")
        diagrams(browser, files, folder)


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


def taken(browser: Browser, path: Path, part: str = "body", width: int = WIDTH) -> None:
    """A picture of a part of a page by day and one by night."""
    for name, dark in (("light", False), ("dark", True)):
        browser.look(width, dark=dark)
        time.sleep(1.5)  # charts follow the colours of the page
        written(browser, path.with_name(path.name.format(name)), part)


def written(browser: Browser, path: Path, part: str) -> None:
    """A picture with few colours, so that it is small."""
    browser.picture(path, part, HEIGHT)
    with Image.open(path) as whole:
        few = whole.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
