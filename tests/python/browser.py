"""A headless Chromium, driven by Playwright, so that tests can look at pages."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import shutil
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = "chromium is not installed: the pages are not looked at"
_PATIENCE_MS = 300_000.0
_TEXT = "document.body.innerText.slice(0, 500)"

Medium = Literal["null", "print"]
"""The medium that pages believe in: the real one, or paper."""


class Browser:
    """A browser with one page open; a context manager."""

    def __init__(self, profile: Path) -> None:
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        self._context = self._playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, device_scale_factor=1,
            args=["--no-sandbox", "--disable-gpu", "--hide-scrollbars"],
        )  # fmt: skip
        self._context.set_default_timeout(_PATIENCE_MS)
        self._for_fingers: Chromium | None = None
        self._page = self._context.pages[0]
        self.complaints: list[str] = []
        """Pages' messages on the console, and errors of their scripts."""
        self._page.on("console", lambda said: self.complaints.append(said.text[:500]))
        self._page.on("pageerror", lambda error: self.complaints.append(str(error)[:500]))

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        if self._for_fingers is not None:
            self._for_fingers.close()
        self._context.close()
        self._playwright.stop()

    def open(self, path: Path, width: int, *, dark: bool = False) -> None:
        """Show a page at a width in pixels with all its parts open, once its script has run."""
        self.look(width, dark=dark)
        self.visit(path.as_uri())
        self.evaluate("document.querySelectorAll('.fold').forEach((one) => { one.open = true; })")
        charts, tools = (
            f"document.querySelectorAll('{one}').length" for one in (".chart", ".chart-tools")
        )
        self.wait(f"{charts} === {tools}")

    def visit(self, url: str) -> None:
        """Show a server's page, and wait until it is there."""
        self._page.goto(url)

    def look(self, width: int, *, dark: bool = False, medium: Medium = "null") -> None:
        """View in a window of a width in pixels, by day or by night, or on paper (`print`)."""
        self._page.set_viewport_size({"width": width, "height": 900})
        self._page.emulate_media(media=medium, color_scheme="dark" if dark else "light")

    def wait(self, condition: str) -> None:
        """Wait until a JavaScript expression is true."""
        # Playwright's own waiting evaluates in the page, which our pages forbid.
        end = time.monotonic() + _PATIENCE_MS / 1000
        while not self._is_true(condition):
            seen = f"it never came true: {condition}"
            assert time.monotonic() < end, f"{seen}, of: {self.evaluate(_TEXT)}"
            self._page.wait_for_timeout(50)

    def _is_true(self, condition: str) -> bool:
        """Whether the expression holds; false for a page that is being reloaded."""
        try:
            return bool(self.evaluate(condition))
        except Exception as error:
            if "navigation" not in str(error):
                raise
            return False

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression on the page."""
        return self._page.evaluate(expression)

    def press(self, key: str) -> None:
        """Press a key of the keyboard, as in `Tab`."""
        self._page.keyboard.press(key)

    @contextlib.contextmanager
    def touched(self, path: Path, width: int) -> Iterator[Page]:
        """A page as a telephone shows it, whose pointer is a finger."""
        # A browser with a profile has one context alone, which knows no touch.
        self._for_fingers = self._for_fingers or self._playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        context = self._for_fingers.new_context(
            viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True
        )
        with context:
            shown = context.new_page()
            shown.goto(path.as_uri())
            yield shown

    def print(self) -> bytes:
        """The page as a PDF, on the paper that its style asks for."""
        asked = {"preferCSSPageSize": True, "printBackground": True}
        found = self._context.new_cdp_session(self._page).send("Page.printToPDF", asked)
        return base64.b64decode(found["data"])

    def picture(self, path: Path, part: str = "body", height: float = float("inf")) -> None:
        """Write the page, or the match of a selector, as a PNG; at most this high."""
        box = self.evaluate(
            f"document.querySelector({json.dumps(part)}).getBoundingClientRect().toJSON()"
        )
        clip = {key: box[key] for key in ("x", "y", "width", "height")}
        clip["height"] = min(clip["height"], height)
        self._page.screenshot(path=path, full_page=True, clip=clip)


@dataclass(frozen=True)
class Sheet:
    """The facts about a page of a PDF."""

    words: int
    """The number of pieces of text on it."""

    scale: float
    """1 if it has the size that the page's style asks for, less if it was made smaller."""


def printed(pdf: bytes) -> list[Sheet]:
    """The pages of a PDF that Chromium wrote."""
    objects = {int(n): body for n, body in re.findall(rb"(?s)\n(\d+) 0 obj\n(.*?)\nendobj", pdf)}
    sheets = []
    for body in objects.values():
        if b"/Type /Page\n" in body or b"/Type /Page/" in body:
            place = re.search(rb"/Contents (\d+) 0 R", body)
            assert place is not None
            sheets.append(_sheet(objects[int(place[1])]))
    return sheets


def _sheet(stream: bytes) -> Sheet:
    data = stream.partition(b"stream\n")[2].rpartition(b"\nendstream")[0]
    if b"/FlateDecode" in stream:
        data = zlib.decompress(data)
    # The first two matrices are of the paper, in points of 1/72 inch, and of the page on it.
    paper, page = (float(one) for one in re.findall(rb"([\d.]+) 0 0 -?[\d.]+ \S+ \S+ cm", data)[:2])
    return Sheet(len(re.findall(rb"\bT[jJ]\b", data)), paper * page / (72 / 96))
