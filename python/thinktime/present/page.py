"""A self-contained page: the headline, tables, charts, more tables, then sources.

Every page of Thinktime is a `Page`: report, learn, sweep and capacity differ in its contents.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.present.embedded import asset, content_policy
from thinktime.present.table import Table
from thinktime.present.whole_file import check_page, write_whole

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from thinktime.present.chart import Drawing

ORIGIN = "How these numbers were obtained"

COLOURS = (
    "#ad5323", "#096ad0", "#188b5f", "#a178ff", "#b58312", "#e6498c", "#0099b8", "#808692",
)  # fmt: skip
"""Legible on white and on near black, and apart for all eyes: the first six by 11 of CIEDE2000, all
by 9.5, also without red, green or blue cones (see tests/python/test_page_colours.py)."""

STATES = {"met": "✓", "not met": "✕", "cannot tell": "?", "not to be trusted": "!"}
"""The states of a headline, each with its mark. Their colours are those of no curve."""


_CODE = re.compile(r"`(?! )([^`<>\n]{1,80})(?<! )`")
_PERCENT = re.compile(r"(?<=\d)%(?=[\s,.;:)]|$)")


@dataclass(frozen=True)
class Headline:
    """The sentences at the top of a page."""

    sentence: str
    findings: Sequence[str] = ()
    doubts: Sequence[str] = ()
    """Problems that spoil or limit the numbers."""

    state: str = ""
    """One of `STATES`; empty if nothing was judged."""

    about: str = ""
    """What was done, against what, when, and for how long, in a line."""

    figure: str = ""
    """The figure for which a browser's tab has room, as in `p99 605 ms`."""

    moment: str = ""
    """When that was; empty if it was not at a moment."""

    @property
    def mark(self) -> str:
        """The sign of its state."""
        return STATES[self.state]


@dataclass(frozen=True)
class Tile:
    """A figure that is seen at one glance."""

    name: str
    value: str
    more: str = ""
    """What it is of, in small letters."""

    state: str = ""
    """One of `STATES`, if its colour says so; else empty."""

    @property
    def mark(self) -> str:
        """The sign of its state."""
        return STATES.get(self.state, "")


@dataclass(frozen=True)
class Diagram:
    """A picture of parts and paths, which is markup and needs no script."""

    title: str
    svg: Markup
    words: str
    """Its content, in sentences: for readers who cannot see it."""

    table: Table | None
    """The whole content, including the parts without room."""


@dataclass(frozen=True)
class Section:
    """A chart under its heading."""

    name: str
    title: str
    caption: str
    """One sentence that describes the picture."""

    drawing: Drawing | None
    """None without data."""

    diagrams: Sequence[Diagram] = ()
    """Pictures other than charts, side by side if there is room."""

    folded: bool = False
    """Whether it stands below all tables, as a title that a reader opens."""

    first: bool = False
    """Whether it stands above all tables: it is the answer."""


@dataclass(frozen=True)
class Source:
    """The origin of the numbers."""

    title: str
    facts: Sequence[tuple[str, str]]
    text: str = ""
    """A whole file."""


@dataclass(frozen=True)
class Page:
    """The contents of a page, in order."""

    title: str
    """Its subject; the headline gives the outcome."""

    headline: Headline
    tables: Sequence[Table]
    """The first tables, above the charts."""

    sections: Sequence[Section] = ()
    tiles: Sequence[Tile] = field(default=(), kw_only=True)
    details: Sequence[Table] = field(default=(), kw_only=True)
    """Tables with details, below the charts that are not folded."""

    words: Mapping[str, str] = field(default_factory=dict)
    """The meanings of its words."""

    sources: Sequence[Source] = ()

    @property
    def contents(self) -> list[tuple[str, str]]:
        """Its parts in order: the name of each in links, and its title."""
        above, below = (
            [(f"table-{one.name}", one.title) for one in some if one.title]
            for some in (self.tables, self.details)
        )
        first, drawn, folded = (
            [(f"section-{one.name}", one.title) for one in some]
            for some in (self.first, self.open, self.folded)
        )
        last = [("origin", ORIGIN)] if self.words or self.sources else []
        return [*first, *above, *drawn, *below, *folded, *last]

    @property
    def first(self) -> list[Section]:
        """The charts above all tables."""
        return [one for one in self.sections if one.first]

    @property
    def open(self) -> list[Section]:
        """The charts between the first tables and those with details."""
        return [one for one in self.sections if not (one.first or one.folded)]

    @property
    def folded(self) -> list[Section]:
        """The charts that a reader opens."""
        return [one for one in self.sections if one.folded and not one.first]

    @property
    def tab(self) -> str:
        """The title of the browser's tab: the state and the figure come first."""
        said = self.headline
        state = f"{said.mark} {said.state.capitalize()}" if said.state else ""
        first = " ".join(filter(None, [state, said.figure]))
        return " - ".join(filter(None, [first, self.title, said.moment]))


def colour(place: int) -> str:
    """The colour of a case or curve, by its number from 0."""
    return COLOURS[place % len(COLOURS)]


def write(page: Page, path: str | Path) -> Path:
    """Write a page to ``path`` and return it; a reader never sees half of it.

    The page loads nothing: scripts, styles and data are in it. The same page gives the same file,
    byte for byte.

    Raises:
        InputError: A file that is no page is there.
        OSError: The page cannot be written.
    """
    path = Path(path)
    check_page(path)
    content = render(page)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise OSError(error.errno, "a part of its path is a file", str(path)) from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    write_whole(path, content)
    return path


def render(page: Page) -> str:
    """The page as text."""
    drawn = any(section.drawing is not None for section in page.sections)
    scripts = [asset("tables.js"), *([asset("charts.js")] if drawn else [])]
    return _rendered("page.html.jinja", page, scripts, "")


def render_live(page: Page, share: float | None, stopping: bool) -> str:
    """The page as it is now, updated by events from its own server."""
    scripts = [asset("charts.js"), asset("live.js")]
    more = {"share": share, "stopping": stopping}
    return _rendered("live.html.jinja", page, scripts, " connect-src 'self';", **more)


def main_of(page: Page) -> str:
    """The content of the page's `main`: the part that changes during a visit."""
    return templates().get_template("main.html.jinja").render(page=page, live=True)


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
            style=Markup(f"{asset('page.css')}\n{asset('charts.css')}"),
            scripts=[Markup(script) for script in scripts],
            live=bool(more_policy),
            **more,
        )
    )


@functools.cache
def templates() -> Environment:
    """Makes HTML from the templates of this folder: all text in them is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    from thinktime.present.chart_table import table_of
    from thinktime.present.plots import plots_of

    environment = Environment(
        loader=PackageLoader("thinktime.present", "."),
        autoescape=select_autoescape(["jinja", "html"], default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = _prose
    environment.globals["colour"] = colour
    environment.globals |= {"ORIGIN": ORIGIN, "VERDICTS": (*STATES, "doubtful")}
    environment.globals["behind_of"] = table_of
    environment.globals["plots_of"] = plots_of
    return environment


def _prose(text: str) -> Markup:
    """A text as markup: what stands between backticks is code, and percents have their space."""
    from markupsafe import Markup, escape

    parts = _CODE.split(str(text))
    words = [escape(units.unbroken(_PERCENT.sub("\u00a0%", one))) for one in parts[::2]]
    codes = [Markup("<code>{}</code>").format(one) for one in parts[1::2]]
    whole = (part for pair in zip(words, [*codes, Markup()], strict=True) for part in pair)
    return Markup().join(whole)
