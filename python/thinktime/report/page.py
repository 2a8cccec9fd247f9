"""The report as one HTML page that needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from thinktime.report import details, how, sharing, table
from thinktime.report.case import Case
from thinktime.report.case import cases as cases_of
from thinktime.report.charts import CHARTS, Chart
from thinktime.report.charts.chart import COLOURS
from thinktime.report.verdict import verdict

if TYPE_CHECKING:
    from thinktime import Result


def write(results: Sequence[Result], path: Path, title: str | None = None) -> Path:
    """Write the report of some results to ``path`` and return it.

    The page loads nothing: scripts, styles and data are in it. The same results give the same
    page, byte for byte.

    Raises ValueError where there are no results.
    """
    if not results:
        raise ValueError("give at least one result to report on")
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")  # a reader never sees half a page
    draft.write_text(render(results, title), encoding="utf-8")
    return draft.replace(path)


def render(results: Sequence[Result], title: str | None = None) -> str:
    """The page as text."""
    cases = cases_of(results)
    environment = Environment(
        loader=PackageLoader("thinktime.report", "."),
        autoescape=select_autoescape(["jinja", "html"], default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    scripts = [asset("plotly-basic.min.js"), asset("page.js")]
    return environment.get_template("page.html.jinja").render(
        title=title or _title(cases),
        policy=content_policy(scripts),
        style=Markup(asset("page.css")),
        scripts=[Markup(script) for script in scripts],
        colours=[COLOURS[case.place % len(COLOURS)] for case in cases],
        verdict=verdict(cases),
        tables=details.tables(cases),
        compared=details.compared(cases),
        sharing_headings=sharing.HEADINGS,
        headings=table.HEADINGS,
        named=len({case.name for case in cases}) > 1,
        sections=[_Section.of(case) for case in cases],
        charts=_drawings(cases),
        kinds=how.kinds(cases),
        words=how.words(cases),
        sources=how.sources(cases),
    )


@dataclass(frozen=True)
class _Section:
    """The part of the table that belongs to one case."""

    case: Case
    rows: list[tuple[table.Row, list[table.Cell]]]

    @classmethod
    def of(cls, case: Case) -> _Section:
        return cls(case, [(row, table.cells(row)) for row in table.rows([case])])


@dataclass(frozen=True)
class _Drawing:
    """A chart with its figure as JSON."""

    chart: Chart
    json: Markup | None

    @classmethod
    def of(cls, chart: Chart, cases: Sequence[Case]) -> _Drawing:
        figure = chart.figure(cases)
        if figure is None:
            return cls(chart, None)
        # Nothing in the text of a script may look like its end, or like a comment.
        text = figure.to_json().replace("<", "\\u003c").replace(">", "\\u003e")
        return cls(chart, Markup(text))


def _drawings(cases: Sequence[Case]) -> list[_Drawing]:
    drawn = [_Drawing.of(chart, cases) for chart in CHARTS]
    return [one for one in drawn if one.json is not None or one.chart.needed]


def _title(cases: Sequence[Case]) -> str:
    """The workloads by name, or what the page is."""
    names = list(dict.fromkeys(case.name for case in cases if case.name))
    return " · ".join(names) if 1 <= len(names) <= 3 else "Thinktime report"


def content_policy(scripts: Sequence[str]) -> str:
    """Only these scripts may run, and nothing may be fetched, whatever a name contains."""
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def asset(name: str) -> str:
    """A text file of the package, as it must stand in the page."""
    text = resources.files("thinktime.report").joinpath("assets", name).read_text("utf-8")
    return text.strip()
