"""A gallery of every kind of page, as `make gallery` takes it: to be looked at, not committed.

Each page of `made_pages` is shown as wide as on a desk, a tablet, a phone with touch and the
smallest phone, in the dark, on paper, with forced colours, and without script. `index.html` beside
the pictures shows all of them.
"""

from __future__ import annotations

import html
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made_pages
from browser import CHROMIUM, MISSING

HEIGHT = 900
SETTLING_MS = 1_500
"""The time in which a page has drawn its charts."""

VIEWS: dict[str, dict[str, Any]] = {
    "1440": {},
    "1440-dark": {"color_scheme": "dark"},
    "1440-forced-colours": {"forced_colors": "active"},
    "1440-without-script": {"java_script_enabled": False},
    "1024": {},
    "390-touch": {"has_touch": True, "is_mobile": True},
    "320-touch": {"has_touch": True, "is_mobile": True},
    "1016-print": {},
}
"""How a page is shown: its width in pixels, and what Playwright's contexts get besides."""


def main(folder: Path) -> None:
    """Write all pictures and their index into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        written = made_pages.written(Path(place))
        for view in VIEWS:
            for name, picture in taken(written, view, folder):
                print(f"{name}, {view}: {picture.name}", flush=True)
    (folder / "index.html").write_text(index(list(written)), "utf-8")


def taken(written: dict[str, Path], view: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Pictures of all pages in one view, each as high as it is."""
    from playwright.sync_api import sync_playwright

    width = int(view.partition("-")[0])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHT}, device_scale_factor=1, **VIEWS[view]
        )
        for name, path in written.items():
            shown = context.new_page()
            shown.emulate_media(media="print" if view.endswith("print") else None)
            shown.goto(path.as_uri())
            shown.wait_for_timeout(SETTLING_MS)
            picture = folder / f"{name}-{view}.png"
            shown.screenshot(path=picture, full_page=True)
            shown.close()
            yield name, picture
        browser.close()


def index(names: list[str]) -> str:
    """A page with all pictures: a row a page, a column a view."""
    head = "".join(f"<th>{html.escape(view)}</th>" for view in VIEWS)
    rows = "".join(
        f"<tr><th>{html.escape(name)}</th>"
        + "".join(
            f'<td><a href="{name}-{view}.png"><img src="{name}-{view}.png" width="240"></a></td>'
            for view in VIEWS
        )
        + "</tr>"
        for name in names
    )
    style = "td, th { vertical-align: top; text-align: left; padding: 4px; font: 14px sans-serif }"
    return (
        f"<!doctype html><meta charset=utf-8><title>Gallery</title><style>{style}</style>"
        f"<table><tr><th></th>{head}</tr>{rows}</table>"
    )


if __name__ == "__main__":
    if CHROMIUM is None:
        raise SystemExit(MISSING)
    main(Path(sys.argv[1]))
