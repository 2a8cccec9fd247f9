"""A page that needs nothing but itself: the verdict, tables, charts, more tables, then sources.

Every page of Thinktime is a `Page`: report, learn, sweep and capacity differ in what they put in.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime.present import chart_library, units
from thinktime.present.chart_table import table_of
from thinktime.present.table import Table

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from thinktime.present.chart import Drawing

COLOURS = (
    "#d9622b", "#2f7ed8", "#14956b", "#9b5de0", "#b5821a", "#d6456f", "#0e97b5", "#7c8798",
)  # fmt: skip
"""To be told apart by most eyes, and legible on white and on near black."""


@dataclass(frozen=True)
class Verdict:
    """The sentences at the top of a page."""

    headline: str
    findings: Sequence[str] = ()
    doubts: Sequence[str] = ()
    """What spoils or limits the numbers."""


@dataclass(frozen=True)
class Diagram:
    """A picture of parts and ways, which is markup and needs no script."""

    title: str
    svg: Markup
    words: str
    """What it shows, in sentences: for those who cannot see it."""

    table: Table | None
    """All that it shows, and what it has no room for."""


@dataclass(frozen=True)
class Section:
    """A chart under its heading."""

    name: str
    title: str
    caption: str
    """One sentence that says what to see."""

    drawing: Drawing | None
    """None where there is nothing to draw."""

    diagrams: Sequence[Diagram] = ()
    """Pictures that are no charts, side by side where there is room."""


@dataclass(frozen=True)
class Source:
    """Where numbers come from."""

    title: str
    facts: Sequence[tuple[str, str]]
    text: str = ""
    """A whole file."""


@dataclass(frozen=True)
class Page:
    """What is on a page, in its order."""

    title: str
    """What it is about; the headline says what came of it."""

    verdict: Verdict
    tables: Sequence[Table]
    """What is read first, above the charts."""

    sections: Sequence[Section] = ()
    details: Sequence[Table] = field(default=(), kw_only=True)
    """Tables for those who look closer, below the charts."""

    words: Mapping[str, str] = field(default_factory=dict)
    """What the words on it mean."""

    sources: Sequence[Source] = ()


def colour(place: int) -> str:
    """The colour of the so manyth case or curve, from 0."""
    return COLOURS[place % len(COLOURS)]


def write(page: Page, path: str | Path) -> Path:
    """Write a page to ``path`` and return it; a reader never sees half of it.

    The page loads nothing: scripts, styles and data are in it. The same page gives the same file,
    byte for byte.
    """
    path = Path(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    content = render(page)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(content, encoding="utf-8")
        return draft.replace(path)
    except OSError as error:
        # Nobody has heard of the draft.
        why = "a part of its path is a file" if isinstance(error, FileExistsError) else None
        raise OSError(error.errno, why or error.strerror, str(path)) from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def render(page: Page) -> str:
    """The page as text."""
    drawn = any(section.drawing is not None for section in page.sections)
    scripts = [*chart_library.scripts(), asset("page.js")] if drawn else []
    return _rendered("page.html.jinja", page, scripts, "")


def render_live(page: Page, share: float | None, stopping: bool) -> str:
    """The page as it is now, brought up to date by events that come from where it came from."""
    scripts = [*chart_library.scripts(), asset("page.js"), asset("live.js")]
    more = {"share": share, "stopping": stopping}
    return _rendered("live.html.jinja", page, scripts, " connect-src 'self';", **more)


def main_of(page: Page) -> str:
    """What stands in the page's `main`: what changes while it is looked at."""
    from markupsafe import Markup

    template = templates().get_template("main.html.jinja")
    return template.render(page=page, json=_json(Markup), drawn_by_plotly=True, live=True)


def _rendered(
    template: str, page: Page, scripts: Sequence[str], more_policy: str, **more: Any
) -> str:
    from markupsafe import Markup

    return (
        templates()
        .get_template(template)
        .render(
            page=page,
            policy=content_policy(scripts) + more_policy,
            style=Markup(asset("page.css")),
            scripts=[Markup(script) for script in scripts],
            drawn_by_plotly=bool(scripts),
            live=bool(more_policy),
            json=_json(Markup),
            **more,
        )
    )


@functools.cache
def templates() -> Environment:
    """What makes HTML of the templates of this folder: whatever text is in it is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("thinktime.present", "."),
        autoescape=select_autoescape(["jinja", "html"], default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = units.unbroken
    environment.globals["colour"] = colour
    environment.globals["behind_of"] = table_of
    return environment


def _json(mark: Callable[[str], Any]) -> Callable[[Any], Any]:
    """Figures as JSON that may stand in a script: nothing may look like its end or a comment."""

    def text(figure: Any) -> Any:
        return mark(figure.to_json().replace("<", "\\u003c").replace(">", "\\u003e"))

    return text


def content_policy(scripts: Sequence[str]) -> str:
    """Only these scripts may run, and nothing may be fetched, whatever a name contains."""
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    scripts_allowed = hashes or "'none'"
    return (
        f"default-src 'none'; script-src {scripts_allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none';"
    )


def asset(name: str) -> str:
    """A text file of the package, as it must stand in the page."""
    text = resources.files("thinktime.present").joinpath("assets", name).read_text("utf-8")
    return text.strip()
