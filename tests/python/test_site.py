"""The site is whole, needs nothing from elsewhere, and cannot be built with a dead link.

What `make site` does is done here in a folder of its own; where Sphinx is not installed, as before
the first `make site`, there is nothing to test.
"""

from __future__ import annotations

import html.parser
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("sphinx")
pytest.importorskip("myst_parser")
pytest.importorskip("furo")

ROOT = Path(__file__).resolve().parents[2]


def build(root: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of a tree as the Makefile does."""
    flags = re.search(r"-m sphinx (.*) -d ", (ROOT / "Makefile").read_text("utf-8"))
    assert flags is not None
    words = [sys.executable, "-m", "sphinx", *flags[1].split(), "-d", str(out / "trees")]
    return subprocess.run(
        [*words, ".", str(out / "site")], cwd=root, capture_output=True, text=True, timeout=300
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    done = build(ROOT, out)
    assert (done.returncode, done.stderr) == (0, "")
    return out / "site"


class Page(html.parser.HTMLParser):
    """What a page names: anchors of its own, links, and what a browser loads with it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag == "link" and found.get("rel") in ("stylesheet", "preload", "icon", "prefetch"):
            self.loaded.append(found["href"])
        if tag in ("script", "img", "iframe", "object", "source") and "src" in found:
            self.loaded.append(found["src"])


def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_link_leads_to_something(site: Path) -> None:
    found = pages(site)
    assert len(found) > 80
    dead = []
    for path, page in found.items():
        for link in [*page.links, *page.loaded]:
            if re.match(r"[a-z]+:", link):
                continue
            _, _, target, _, anchor = urlsplit(link)
            file = (path.parent / unquote(target)).resolve() if target else path
            known = file.is_file() and (
                not anchor or file not in found or unquote(anchor) in found[file].anchors
            )
            if not known:
                dead.append(f"{path.relative_to(site)}: {link}")
    assert dead == []


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    for path, page in pages(site).items():
        assert [one for one in page.loaded if re.match(r"(https?:)?//", one)] == [], path
    for path in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", path.read_text("utf-8")), path


def test_every_page_of_the_docs_is_on_it(site: Path) -> None:
    for page in [*(ROOT / "docs").rglob("*.md"), *(ROOT / "studies").glob("*/*.md")]:
        assert (site / page.relative_to(ROOT).with_suffix(".html")).is_file(), page


def written(name: str, text: str) -> Callable[[Path], None]:
    def write(root: Path) -> None:
        (root / name).write_text(text)

    return write


SPOILT = {
    "none": (written("docs/other.md", "# Other\n\n## A part\n"), None),
    "a page": (written("docs/other.md", "# Other\n\n## A part\n\n[x](gone.md)\n"), "gone.md"),
    "a heading": (written("docs/other.md", "# Other\n\n## Apart\n"), "a-part"),
    "a heading of its own": (
        written("docs/other.md", "# Other\n\n## A part\n\n[x](#gone)\n"),
        "gone",
    ),
    "a file": (written("docs/other.md", "# Other\n\n## A part\n\n[x](../x.toml)\n"), "x.toml"),
    "a picture": (written("docs/other.md", "# Other\n\n## A part\n\n![x](x.png)\n"), "x.png"),
    "an orphan": (written("docs/alone.md", "# Alone\n"), "alone.md"),
}


@pytest.mark.parametrize("what", SPOILT)
def test_what_is_missing_fails(what: str, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    shutil.copytree(ROOT / "docs" / "site", root / "docs" / "site")
    shutil.copy(ROOT / "Cargo.toml", root)
    (root / "docs" / "index.md").write_text(
        "# Home\n\n[x](other.md#a-part)\n\n## All\n\n- [x](other.md)\n"
    )
    (root / "docs" / "other.md").write_text("# Other\n\n## A part\n")
    spoil, named = SPOILT[what]
    spoil(root)
    done = build(root, tmp_path)
    if named is None:
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert done.returncode != 0
        assert named in done.stderr
