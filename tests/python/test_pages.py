"""Every page: its text, and the content of its charts.

test_page_layout.py checks its layout on telephones, screens and paper.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import made_pages
import page_subjects
import pytest
from chart_data import data_of
from made_pages import NAMES
from rich.console import Console

from thinktime.capacity_search.table import table as capacity_table
from thinktime.present.page import Page
from thinktime.present.table import Table
from thinktime.report import rows
from thinktime.report.terminal import FittedTable, render
from thinktime.sweeps.table import table as swept_table

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return made_pages.pages()


def shown(what: object, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(what)
    return console.export_text()


@cache
def text_named(name: str) -> str:
    """The text of a page by its name."""
    return text_of(made_pages.pages()[name])


def text_of(made: Page) -> str:
    """Verdict, tables, the words of charts, and the tables below them."""
    parts = [made.title, "", made.headline.sentence, *made.headline.findings]
    parts += ["", "Before you trust these numbers:", *made.headline.doubts]
    parts += tables_of(made.tables)
    for section in made.sections:
        parts += ["", f"## {section.title}", section.caption]
        if section.drawing is not None:
            parts += [f"[{key.name}]" for key in section.drawing.keys]
            parts += [f"{panel.title}: {panel.words}" for panel in section.drawing.panels]
        parts += [f"{one.title}: {one.words}" for one in section.diagrams]
    return "\n".join([*parts, *tables_of(made.details)]) + "\n"


def tables_of(tables: Sequence[Table]) -> list[str]:
    """The tables, and the hidden parts below their lines."""
    parts = []
    for table in tables:
        parts += ["", f"## {table.title}", table.caption, shown(FittedTable(table), 200)]
        parts += [f"{name}: {words}" for line in table.lines for name, words in line.folded]
    return parts


def golden(name: str, text: str) -> None:
    """Compare with a recorded text; THINKTIME_RECORD=1 records anew, to be read before commit."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("THINKTIME_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["report", "sweep", "sweep-measured", "capacity"])
def test_what_a_page_says(name: str) -> None:
    golden(f"page-{name}", text_named(name))


@pytest.mark.parametrize("name", NAMES)
def test_no_recorded_page_says_that_it_could_not_look(name: str) -> None:
    """A stand-in without the data of a section would have its failure recorded as its words."""
    assert "cannot be read" not in text_named(name)


def test_the_recorded_page_shows_what_a_model_says() -> None:
    text = text_named("report")
    assert "matches the measurement" in text
    assert "the same load, closed, 50 clients" in text


@pytest.mark.parametrize("name", NAMES)
def test_what_charts_draw(pages: dict[str, Page], name: str) -> None:
    """The curves of every chart of every page, in some fifty numbers each."""
    text = data_of(pages[name])
    golden(f"charts-{name}", text)
    numbers = [line for line in text.splitlines() if line.startswith("    y: ")]
    assert len(numbers) > 0
    assert max(len(line.split()) for line in numbers) >= 3


@pytest.mark.parametrize("width", [80, 110, 150])
def test_what_a_terminal_shows(width: int) -> None:
    found = {
        "results": render(rows(page_subjects.results())),
        "sweep": FittedTable(swept_table(page_subjects.swept())),
        "capacity": FittedTable(capacity_table(page_subjects.capacity())),
    }
    text = "\n".join(shown(one, width) for one in found.values())
    assert all(len(line) <= width for line in text.splitlines())
    golden(f"terminal-{width}", text)


@pytest.mark.parametrize("name", NAMES)
def test_no_page_shows_what_only_programs_read(name: str) -> None:
    text = text_named(name)
    for word in ("None", "True", "False", "nan", "_s ", "ci95", "[s]", "[/s]"):
        assert word not in text, word


def test_points_of_a_real_server_are_called_measured() -> None:
    simulated, measured = (text_named(name) for name in ("sweep", "sweep-measured"))
    assert "simulated" in simulated
    assert "simulated" not in measured
    assert "measured" in measured


def test_learned_pages_say_the_advice_first(pages: dict[str, Page]) -> None:
    made = pages["learn"]
    assert made.headline.sentence == "Plan with a partly-open model (likely)."
    assert len(made.headline.findings) <= 3
    assert "load test would show" in made.headline.findings[1]
    assert len(" ".join(made.headline.findings).split()) < 90
    texts = [line for table in made.details for line in table.caption.splitlines()]
    assert [table.title for table in made.details] == ["The log", "The server", "Fidelity"]
    for finding in [*made.headline.findings, *texts]:
        assert finding[0] == finding[0].upper()
        assert finding.endswith(".")
        assert not re.search(r"\b(fcfs|ps|srpt|lru|peak)_\w|requests_per_s", finding)
    assert [table.name for table in made.tables] == ["populations", "laws", "models", "requests"]
    assert made.sections[0].title == "How far the models lie apart"


@pytest.mark.parametrize("name", NAMES)
def test_every_chart_is_told_in_words(pages: dict[str, Page], name: str) -> None:
    for section in pages[name].sections:
        panels = [] if section.drawing is None else section.drawing.panels
        assert panels or section.diagrams
        for one in (*panels, *section.diagrams):
            assert any(letter.isdigit() for letter in one.words), section.title
            assert one.words.endswith(".")
