"""The site: the settings of Sphinx. `make site` builds it into dist/site.

The sources are README and docs as they stand, from the root of the repository, so that a link
that works in a viewer of Git works on the site, and the pages that generated.py makes. Those are on
the site alone: docs/index.md names them, and has links to them here. A link to a page or heading
that is not there, a file that is not there, and a page that nothing leads to are warnings, and
`make site` fails by them.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

project = "Thinktime"
author = "the authors of Thinktime"
release = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"]
language = "en"

extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/*.md",
    "docs/decisions/*.md",
    "docs/skills/*/SKILL.md",
    "examples/README.md",
    "studies/*/*.md",
    "crates/**/README.md",
    "tests/traffic/README.md",
]
exclude_patterns = ["target", "dist", "demo", ".*"]

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
# The lexer of Luau does not know the sign for a length.
suppress_warnings = ["misc.highlighting_failure"]
# Code without a named language is commands and their output.
highlight_language = "none"

html_theme = "furo"
html_title = f"Thinktime {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"footer_icons": []}

LISTED = re.compile(r"^ *- \[(?P<title>[^\]]*)\]\((?P<page>[^)#:]+)\.md\)", re.MULTILINE)
GENERATED = {
    "All commands and options": "commands",
    "All keys of files": "keys",
    "All of the Python package": "python-reference",
}
"""The pages that generated.py makes, as docs/index.md names them."""
PICTURE = re.compile(r"<picture>.*?<img alt=\"(.*?)\" src=\"(.*?)\">.*?</picture>", re.DOTALL)
BY_DAY = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<name>[^)]+)-light\.png\)")
STUDY = re.compile(r"docs/studies-(?P<name>[\w-]+)")


def _listed(text: str) -> list[str]:
    """The pages that a text lists, each under its title there."""
    return [f"{found['title']} <{found['page']}>" for found in LISTED.finditer(text)]


def _linked(text: str) -> str:
    """The text with a link to each page that generated.py makes."""
    for title, page in GENERATED.items():
        text = text.replace(f"- {title}:", f"- [{title}]({page}.md):", 1)
    return text


def _pictures(text: str) -> str:
    """The text with each picture that is there by day and by night as two, of which one is seen."""
    text = PICTURE.sub(r"![\1](\2)", text)
    both = (f"![\\g<text>](\\g<name>-{name}.png){{.only-{name}}}" for name in ("light", "dark"))
    return BY_DAY.sub("\n".join(both), text)


def _tree(pages: list[str], caption: str = "") -> str:
    """A hidden table of contents, from which the site makes its own navigation."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["", "```{toctree}", *options, "", *pages, "```", ""])


def _with_contents(_: Any, name: str, source: list[str]) -> None:
    """Pages that list others lead to them; docs/index.md has a caption for each of its sections."""
    source[0] = _pictures(source[0])
    if name == root_doc:
        source[0] = _linked(source[0])
        _, *sections = re.split(r"^## ", source[0], flags=re.MULTILINE)
        trees = [
            _tree(pages, section.partition("\n")[0])
            for section in sections
            if (pages := _listed(section))
        ]
        source[0] += "".join(trees)
    elif name == "docs/decisions/README":
        source[0] += _tree(_listed(source[0]))
    elif found := STUDY.fullmatch(name):
        pages = sorted((ROOT / "studies" / found["name"]).glob("*.md"))
        source[0] += _tree([f"/{page.relative_to(ROOT).with_suffix('')}" for page in pages])


def _for_language_models(app: Any, error: Exception | None) -> None:
    """Write llms.txt, as https://llmstxt.org describes it: the pages of docs/index.md."""
    if error is not None:
        return
    index = _linked((ROOT / "docs" / "index.md").read_text("utf-8"))
    before, *sections = re.split(r"^## ", index, flags=re.MULTILINE)
    about = " ".join(before.partition("\n")[2].replace("**", "").split())
    lines = [f"# {project}", "", f"> {about}"]
    for section in sections:
        listed = re.findall(r"^- \[.*(?:\n(?!- |\n).*)*", section, re.MULTILINE)
        if listed:
            lines += ["", f"## {section.partition(chr(10))[0]}", "", *map(_absolute, listed)]
    Path(app.outdir, "llms.txt").write_text("\n".join([*lines, ""]), "utf-8")


def _absolute(line: str) -> str:
    """An entry of docs/index.md in one line, with links from the root of the site."""
    text = re.sub(r"\]\((?!\.\.|https?:)", "](docs/", " ".join(line.split()))
    return re.sub(r"\.md(?=[#)])", ".html", text.replace("](../", "]("))


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("build-finished", _for_language_models)
    app.connect("source-read", _with_contents)
