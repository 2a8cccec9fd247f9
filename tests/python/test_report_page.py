"""The report's page: well formed, self-contained, safe whatever names contain, and drawn."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import fakes
import numpy as np
import pytest
from fakes import BIMODAL, closed, one, open_

from thinktime.present.embedded import asset
from thinktime.present.page import Headline
from thinktime.present.page import Page as OwnPage
from thinktime.present.page import render as render_page
from thinktime.present.page import write as write_page
from thinktime.report import headline_of, report, validity_table
from thinktime.report import rows as rows_of
from thinktime.report.results_page import page_of
from thinktime.report.terminal import render
from thinktime.results.finding import DOUBTFUL, FINE, SPOILT, UNSEEN, Finding

SYSTEM = one(BIMODAL)
EVIL = '</script><script>alert(1)</script><img src=x onerror="alert(2)">%{x} & "\'`{{7*7}}'


@pytest.fixture(scope="module")
def demo():
    return fakes.demo_results(1000)


@pytest.fixture(scope="module")
def demo_page(demo):
    """Models are fitted to its runs, which takes seconds."""
    return page_of(demo, "Three systems")


class Page(HTMLParser):
    """Checks that tags are closed in order, and collects the parts that a browser would load or
    run."""

    VOID = frozenset({"meta", "link", "br", "img", "input", "hr", "line"})

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.scripts, self.text = [], [], {}, ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append((tag, dict(attributes)))

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        tag, attributes = self.open[-1] if self.open else ("", {})
        if tag == "script":
            kind = attributes.get("id", f"script {len(self.scripts)}")
            self.scripts[kind] = self.scripts.get(kind, "") + data
        elif tag != "style":
            self.text += data


def page(results, tmp_path, **more):
    path = report(results, tmp_path / "deep" / "report.html", **more)
    assert list(path.parent.iterdir()) == [path]
    return Page(path.read_text("utf-8"))


def test_page_loads_nothing_and_its_figures_parse(demo_page):
    made = Page(render_page(demo_page))
    for tag, attributes in made.tags:
        for name in ("src", "href", "action", "data", "srcset"):
            assert attributes.get(name, "data:").startswith(("data:", "#")), (tag, attributes)
    assert "@import" not in asset("page.css")
    assert "url(" not in asset("page.css")
    figures = [one["id"] for _, one in made.tags if one.get("class") == "chart"]
    heats = [f"chart-heat{n}" for n in ("", "-2", "-3", "-4", "-5", "-6")]
    of_cases = [
        f"chart-{name}{n}"
        for name in ("in_system", "throughput", "lateness")
        for n in ("", "-2", "-3")
    ]
    assert figures == ["chart-tail", *heats, *of_cases]
    values = re.findall(r'<script type="application/json">(.*?)</script>', render_page(demo_page))
    assert len(values) == len(figures)
    assert all(json.loads(one)["series"] for one in values)
    assert "Three systems" in made.text
    assert "M/H2/1 FCFS" in made.text
    assert "kernel" in made.text


@pytest.fixture(scope="module")
def innocent(demo):
    """The page of one run."""
    return render_page(page_of(demo[-3:-2]))


def test_the_same_results_give_the_same_page(innocent):
    assert render_page(page_of(fakes.demo_results(1000)[-3:-2])) == innocent


def evil_results():
    system = replace(SYSTEM, name=EVIL, stations=[replace(SYSTEM.stations[0], name=EVIL)])
    names = {"request_names": [EVIL]}
    workloads = [open_(80, name=EVIL, **names), open_(80, name=EVIL + "2", **names)]
    results = [fakes.result("run", w, system, 300, directory=EVIL) for w in workloads]
    for result in results:
        result.summary["warnings"] = [EVIL]
        result.run_toml, result.target = EVIL, EVIL
        result.run = {"version": EVIL}
        result.untrusted = EVIL
    return results


def test_names_are_only_ever_text(innocent, tmp_path):
    made = page(evil_results(), tmp_path, title=EVIL)
    tags = {tag for tag, _ in made.tags}
    assert tags <= {tag for tag, _ in Page(innocent).tags} | {
        "strong",
        "div",
        "small",
        "ul",
        "li",
        "button",
        "section",
        "h3",
    }
    assert not any(name.startswith("on") for _, attributes in made.tags for name in attributes)
    assert EVIL in made.text
    # Nine figures, and the page's own two.
    assert sum(tag == "script" for tag, _ in made.tags) == 9 + 2


@pytest.mark.parametrize("kind", ["run", "simulate"])
def test_results_with_nothing_in_them(kind, tmp_path):
    empty = fakes.result(kind, open_(80), SYSTEM, 0)
    assert "Nothing to draw" in page([empty], tmp_path).text
    lost = replace(empty, requests=None, series=None, system=None, summary={}, path=None)
    lost.run_toml, lost.run = "", {}
    made = page([lost, replace(lost, workload=closed(3, None))], tmp_path)
    assert made.text.count("Nothing to draw") == 2
    assert "Nothing is known" in headline_of([lost]).sentence
    render(rows_of([empty, lost]))
    with pytest.raises(ValueError, match="at least one result"):
        report([], tmp_path / "x.html")


def test_huge_tables_make_a_small_page(tmp_path):
    result = fakes.result("run", open_(0.8 / BIMODAL.mean), SYSTEM, 10)
    scheduled = np.arange(1_000_000) / 700
    result.requests = fakes.rows(scheduled, scheduled + 0.01)
    result.series = fakes.series(scheduled, scheduled + 0.01)
    result.summary["duration_s"] = 1400.0
    result.untrusted = "made by hand"  # no models are fitted to it
    path = report([result], tmp_path / "huge.html")
    assert path.stat().st_size < 1_500_000


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("evil", [False, True])
def test_a_browser_draws_all_charts_without_a_complaint(evil, demo_page, tmp_path):
    made = page_of(evil_results()) if evil else demo_page
    path = write_page(made, tmp_path / "report.html")
    path.write_text(path.read_text("utf-8").replace('class="fold"', 'class="fold" open'), "utf-8")
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
        "--disable-background-networking", f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=10000", "--dump-dom", path.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert complaints == []
    drawn = done.stdout.count('class="field"')
    assert drawn == done.stdout.count('class="chart-tools"') == (9 if evil else 16)
    assert done.stdout.count(" stroke-width=") >= 8
    assert '<img src="x"' not in done.stdout


def test_words_keep_the_capitals_that_they_have() -> None:
    text = render_page(OwnPage("t", Headline("v"), [], words={"SRPT gains": "x", "bars": "y"}))
    assert "<dt>SRPT gains</dt>" in text
    assert "<dt>Bars</dt>" in text


def test_checks_that_are_fine_stand_in_one_line_that_opens() -> None:
    """The names of fine checks are visible at once, and their findings on opening. Doubts come
    first; they, and the reasons why a check could not run, are always visible, on paper too."""
    found = [
        Finding("load", FINE, "60/s were begun, <b>60/s</b> were asked for"),
        Finding("counts", DOUBTFUL, "they do not agree", "look at the server's log"),
        Finding("arrivals", FINE, "as planned"),
        Finding("generator", UNSEEN, "it has none"),
        Finding("steady state", UNSEEN, "too short"),
        Finding("link", UNSEEN, "it has none"),
    ]
    table = validity_table.page_table([("a", found)])
    assert [(line.name, line.cells[0].text, line.note) for line in table.lines] == [
        ("counts", DOUBTFUL, "They do not agree. Look at the server's log."),
        ("load, arrivals", FINE, ""),
        ("generator, link", UNSEEN, "It has none."),
        ("steady state", UNSEEN, "Too short."),
    ]
    shown = render_page(OwnPage("t", Headline("h"), [table]))
    assert "<dt>load</dt><dd>60/s were begun, &lt;b&gt;60/s&lt;/b&gt; were asked for.</dd>" in shown
    assert not any(f"<dt>{name}" in shown for name in ("counts", "generator", "link"))


def test_a_doubt_of_several_results_stands_once() -> None:
    def short(requests: int) -> Finding:
        return Finding("percentiles", DOUBTFUL, f"{requests} are too few", f"run {requests} more")

    results = [
        ("a", [short(10), Finding("load", FINE, "as asked for")]),
        ("b", [short(12), Finding("counts", SPOILT, "they do not agree")]),
        ("c", [Finding("load", FINE, "as asked for"), Finding("link", UNSEEN, "it has none")]),
        ("d", [Finding("link", UNSEEN, "it has none")]),
    ]
    lines = validity_table.page_table(results).lines
    assert [(line.name, line.cells[0].text, line.note) for line in lines] == [
        ("counts", SPOILT, "b: They do not agree."),
        ("percentiles", DOUBTFUL, "2 of 4 results, as in a: 10 are too few. Run 10 more."),
        ("load", FINE, ""),
        ("link", UNSEEN, "It has none."),
    ]
    assert lines[1].folded == [
        ("a", "10 are too few. Run 10 more."), ("b", "12 are too few. Run 12 more."),
    ]  # fmt: skip
    assert lines[2].folded == [("a", "load."), ("c", "load.")]


def test_a_warning_of_several_results_stands_once() -> None:
    one, other, third = fakes.demo_results(300)[:3]
    one.summary["warnings"] = ["the generator was late by 1.20 ms"]
    other.summary["warnings"] = ["the generator was late by 3 s"]
    third.summary["warnings"] = ["the disk is full"]
    doubts = headline_of([one, other, third]).doubts
    assert [doubt for doubt in doubts if "generator" in doubt] == [
        "2 of 3 results, as in closed, 1 client, measured: the generator was late by 1.20 ms."
    ]
    assert len([doubt for doubt in doubts if "the disk is full" in doubt]) == 1


def test_a_doubt_that_spoils_a_result_stands_first() -> None:
    one, other = fakes.demo_results(300)[:2]
    one.summary["warnings"] = ["the disk is full"]
    other = replace(other, untrusted="nothing was sent")
    doubts = headline_of([one, other]).doubts
    assert "not to be trusted: nothing was sent" in doubts[0]


@pytest.mark.parametrize(("number", "more"), [(5, ""), (6, "and 1 more"), (20, "and 15 more")])
def test_many_doubts_leave_room_for_the_answer(number: int, more: str) -> None:
    doubts = [f"doubt {n}" for n in range(number)]
    html = render_page(OwnPage("t", Headline("h", doubts=doubts), []))
    shown, _, folded = html.partition("<summary>and ")
    assert [doubt for doubt in doubts if f"<li>{doubt}</li>" in shown] == doubts[:5]
    assert [doubt for doubt in doubts if f"<li>{doubt}</li>" in folded] == doubts[5:]
    assert more in html
