"""Drives a headless Chromium over its debugging pipe, so that tests can look at pages."""

from __future__ import annotations

import base64
import itertools
import json
import os
import re
import select
import shutil
import subprocess
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = "chromium is not installed: the pages are not looked at"
_PATIENCE_S = 300.0


class Browser:
    """A browser with one page open; a context manager."""

    def __init__(self, profile: Path) -> None:
        to_us, theirs_out = os.pipe()
        theirs_in, to_them = os.pipe()
        options = "--headless --no-sandbox --disable-gpu --remote-debugging-pipe --hide-scrollbars"
        command = f'exec "$0" {options} "$1" about:blank 3<&{theirs_in} 4>&{theirs_out}'
        assert CHROMIUM is not None
        self._process = subprocess.Popen(
            ["bash", "-c", command, CHROMIUM, f"--user-data-dir={profile}"],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._in, self._out, self._rest = to_us, to_them, b""
        self._numbers = itertools.count(1)
        self.complaints: list[str] = []
        """What pages have said on the console, and errors of their scripts."""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = None
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    _session: str | None = None

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(300)
        os.close(self._in)
        os.close(self._out)

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer.get('error')}"
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        """The next message; complaints of pages are kept."""
        end = time.monotonic() + _PATIENCE_S
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            more = os.read(self._in, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(text)
        if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(json.dumps(message["params"])[:500])
        if message.get("method") == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(message["params"]["args"])[:500])
        return message

    def open(self, path: Path, width: int, *, dark: bool = False) -> None:
        """Show a page at a width in pixels, and wait until its charts are drawn."""
        self.look(width, dark=dark)
        self._ask("Page.navigate", url=path.as_uri())
        self.wait("location.protocol === 'file:' && document.readyState === 'complete'")
        self.wait(
            "[...document.querySelectorAll('[data-figure]')]"
            ".every(one => one.querySelector('.main-svg'))"
        )

    def visit(self, url: str) -> None:
        """Show what a server has, and wait until it is there."""
        found = self._ask("Page.navigate", url=url)
        assert "errorText" not in found, f"{url}: {found.get('errorText')}"
        self.wait(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def look(self, width: int, *, dark: bool = False, medium: str = "") -> None:
        """Look through a window of a width in pixels, by day or by night, or at paper (`print`)."""
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", media=medium, features=[scheme])

    def wait(self, condition: str) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + _PATIENCE_S
        while not self._is_true(condition):
            assert time.monotonic() < end, f"it never came true: {condition}"
            time.sleep(0.05)

    def _is_true(self, condition: str) -> bool:
        """Whether it is; not of a page that is just being loaded anew."""
        try:
            return bool(self.evaluate(condition))
        except AssertionError as error:
            if "navigated" not in str(error):
                raise
            return False

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression on the page."""
        found = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def print(self) -> bytes:
        """The page as a PDF, on the paper that its style asks for."""
        found = self._ask("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(found["data"])

    def picture(self, path: Path, part: str = "body", height: float = float("inf")) -> None:
        """Write the page, or what a selector finds of it, as a PNG; no more than so high."""
        place = f"document.querySelector({json.dumps(part)}).getBoundingClientRect().toJSON()"
        box = self.evaluate(place)
        clip = {key: box[key] for key in ("x", "y", "width", "height")} | {"scale": 1}
        clip["height"] = min(clip["height"], height)
        found = self._ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(found["data"]))


@dataclass(frozen=True)
class Sheet:
    """What is known of a page of a PDF."""

    words: int
    """How many pieces of text are on it."""

    scale: float
    """1 where it has the size that the page's style asks for, below where it was made smaller."""


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
