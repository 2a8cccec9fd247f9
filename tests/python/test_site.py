"""The site is whole, needs nothing from elsewhere, and cannot be built with a dead link.

The steps of `make site` run here in a folder of their own, unless THINKTIME_SITE names a site that
it has just built. If Sphinx is not installed, as before the first `make site`, there is nothing to
test.
"""

from __future__ import annotations

import html.parser
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from docs_snippets import generated

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
    if built := os.environ.get("THINKTIME_SITE"):
        return Path(built)
    out = tmp_path_factory.mktemp("site")
    generated.write(ROOT / "docs")
    done = build(ROOT, out)
    assert (done.returncode, done.stderr) == (0, "")
    return out / "site"


class Page(html.parser.HTMLParser):
    """The references of a page: anchors of its own, links, and files that a browser loads with
    it."""

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


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_link_leads_to_something(site: Path, pages: dict[Path, Page]) -> None:
    assert len(pages) > 80
    dead = []

    @cache  # most pages have the links of all others
    def at(folder: Path, target: str) -> tuple[Path, bool]:
        file = (folder / unquote(target)).resolve()
        return file, file.is_file()

    for path, page in pages.items():
        for link in {*page.links, *page.loaded}:
            if re.match(r"[a-z]+:", link):
                continue
            _, _, target, _, anchor = urlsplit(link)
            file, known = at(path.parent, target) if target else (path, True)
            if anchor and file in pages:
                known = unquote(anchor) in pages[file].anchors
            if not known:
                dead.append(f"{path.relative_to(site)}: {link}")
    assert dead == []


def test_nothing_comes_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        assert [one for one in page.loaded if re.match(r"(https?:)?//", one)] == [], path
    for path in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", path.read_text("utf-8")), path


def test_every_page_of_the_docs_is_on_it(site: Path) -> None:
    made = [ROOT / "docs" / page for page in generated.PAGES]
    for page in [*made, *(ROOT / "docs").rglob("*.md"), *(ROOT / "studies").glob("*/*.md")]:
        assert (site / page.relative_to(ROOT).with_suffix(".html")).is_file(), page


def test_a_list_of_pages_for_language_models_leads_to_all_of_the_index(site: Path) -> None:
    text = (site / "llms.txt").read_text("utf-8")
    assert text.startswith("# Thinktime\n\n> How will your server behave")
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text)
    assert all((site / link).is_file() for link in links), links
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    assert text.count("\n- [") >= index.count("\n- [") > 60
    for page in ("docs/assistants.html", "README.html", "docs/commands.html"):
        assert page in links


FAULTS = {
    "a-page": "[x](no-page.md)",
    "a-heading": "[x](other.md#no-part)",
    "a-heading-of-its-own": "[x](#no-heading)",
    "a-file": "[x](../no-file.toml)",
    "a-picture": "![x](no-picture.png)",
}
"""The missing targets of a page's links."""
ORPHAN = "alone"


def tree(root: Path, pages: dict[str, str]) -> Path:
    """A site of two pages that need each other, and of more that its first page lists."""
    shutil.copytree(ROOT / "docs" / "site", root / "docs" / "site")
    shutil.copy(ROOT / "Cargo.toml", root)
    every = {"other": "## A part\n", **pages}
    listed = "\n".join(f"- [x]({name}.md)" for name in every)
    (root / "docs" / "index.md").write_text(
        f"# Home\n\n[x](other.md#a-part)\n\n## All\n\n{listed}\n"
    )
    for name, text in every.items():
        (root / "docs" / f"{name}.md").write_text(f"# {name}\n\n{text}\n")
    return root


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """The messages about a site with all faults at once; each is a warning, and an error by
    `-W`."""
    folder = tmp_path_factory.mktemp("spoilt")
    root = tree(folder / "tree", FAULTS)
    (root / "docs" / f"{ORPHAN}.md").write_text("# Alone\n")
    return build(root, folder)


@pytest.mark.parametrize("page", [*FAULTS, ORPHAN])
def test_what_is_missing_fails(page: str, spoilt: subprocess.CompletedProcess[str]) -> None:
    assert spoilt.returncode != 0
    said = [line for line in spoilt.stderr.splitlines() if f"/{page}.md" in line]
    assert any("WARNING" in line for line in said), spoilt.stderr
    missing = re.search(r"no-\w+", FAULTS.get(page, ""))
    assert missing is None or any(missing[0] in line for line in said), said


def test_nothing_is_said_of_what_is_whole(spoilt: subprocess.CompletedProcess[str]) -> None:
    """So the faults are what fails it."""
    faulty = tuple(f"/{page}.md" for page in (*FAULTS, ORPHAN))
    said = [line for line in spoilt.stderr.splitlines() if "WARNING" in line or "ERROR" in line]
    assert len(said) >= len(faulty)
    assert [line for line in said if not any(page in line for page in faulty)] == []
