"""The workload and the system as diagrams: their contents, and their layout."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import fakes
import pytest
from browser import CHROMIUM, MISSING, Browser

import thinktime as tt
from thinktime.diagrams import server, users
from thinktime.diagrams.board import fitted, width_of, wrapped
from thinktime.diagrams.population import populations_of
from thinktime.present import page
from thinktime.present.page import Diagram, Headline, Page, Section
from thinktime.report import case_diagrams
from thinktime.report.case import cases

EXAMPLES = Path(__file__).parents[2] / "examples"
EVIL = '</script><script>alert(1)</script><img src=x onerror="alert(2)">%{x} & "\'`{{7*7}}'
EVIL_TOML = EVIL.replace("\\", "\\\\").replace('"', '\\"')


NAMED = re.compile(
    r'^\[\[(?:station|pool|machine|service|cluster)[^\n]*\n\s*name\s*=\s*"(.+?)"', re.M
)
"""The parts of a system file by name."""


def of_workload(text: str) -> list[Diagram]:
    return [users.diagram_of(one, one.name or "all") for one in populations_of(tt.Workload(text))]


def of_system(text: str) -> list[Diagram]:
    system = tt.System(text)
    return server.diagrams_of(system, system.name)


def of_example(path: Path) -> list[Diagram]:
    """The file is a workload or a system."""
    if "arrivals" in path.read_text():
        return [
            users.diagram_of(one, one.name or "all")
            for one in populations_of(tt.Workload.load(path))
        ]
    system = tt.System.load(path)
    return server.diagrams_of(system, system.name)


class Shapes(HTMLParser):
    """The tags, classes and texts of a diagram, whose tags must be closed in their order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "text":
            self.texts.append(data.replace("\u00a0", " "))

    def count(self, kind: str) -> int:
        return sum(one.get("class") == kind for _, one in self.tags)


def shapes(one: Diagram) -> Shapes:
    return Shapes(one.svg)


LAB = "lab.toml"
FILES = sorted(one for one in EXAMPLES.glob("*.toml") if one.name != LAB)


# ---- what is drawn


@pytest.mark.parametrize("path", FILES, ids=lambda one: one.stem)
def test_all_examples_are_drawn_with_all_their_names(path: Path) -> None:
    found = of_example(path)
    assert found
    text = " ".join(f"{one.words} {' '.join(shapes(one).texts)}" for one in found)
    names = NAMED.findall(path.read_text())
    assert [name for name in names if name not in text] == []
    for one in found:
        assert one.words.endswith(".")
        assert re.search(r"\d", one.words)
        assert one.table is not None
        assert one.table.lines
        for word in ("None", "nan", "{'"):
            assert word not in text, word


def test_only_those_who_come_back_are_drawn_with_a_loop() -> None:
    """A closed population has no source, and nobody leaves it; an open one has no path back."""
    begin = 'name = "w"\n[arrivals]\nmodel = '
    (opened,) = of_workload(f'{begin}"open"\nrate = "50/s"\n')
    (closed,) = of_workload(f'{begin}"closed"\nclients = 7\n[session]\nthink = "exp(2s)"\n')
    (partly,) = of_workload(
        f'{begin}"partly-open"\nrate = "3/s"\n[session]\nrequests = "geometric(4)"\n'
        'think = "exp(2s)"\n'
    )
    kinds = [[shapes(one).count(kind) for kind in ("source", "loop", "sink")]
             for one in (opened, closed, partly)]  # fmt: skip
    assert kinds == [[1, 0, 1], [0, 1, 0], [1, 1, 1]]
    assert "7 clients" in closed.words
    assert "never leaves" in closed.words
    assert "3.00 sessions/s, Poisson arrivals" in partly.words
    assert "leaves after geometric(4) requests" in partly.words
    assert "50.0 requests/s" in opened.words


def test_a_journey_is_drawn_with_its_probabilities() -> None:
    visitors = of_example(EXAMPLES / "shop-visitors.toml")[0]
    shown = shapes(visitors).texts
    assert {"60 % item", "30 % search", "10 % leaves", "70 % item", "80 % begin here"} <= {*shown}
    assert visitors.table is not None
    rows = {one.name: [cell.text for cell in one.cells] for one in visitors.table.lines}
    assert list(rows) == ["home", "item", "search"]  # objects of pages are no steps
    assert rows["item"][2] == "item 50 %, home 30 %, end 20 %"
    assert "objects: image 60 %, script 40 %" in rows["home"][3]


def many_kinds(number: int) -> str:
    """A journey from the first of many kinds to one of the others and back."""
    weights = [2.0 ** -min(n, 30) for n in range(1, number)]
    whole = sum(weights) / 0.9
    after = ", ".join(f"k{n} = {one / whole:.15f}" for n, one in enumerate(weights, 1))
    text = 'name = "w"\n[arrivals]\nmodel = "partly-open"\nrate = "2/s"\n'
    text += '[session]\nthink = "exp(1s)"\n'
    text += f'[[request]]\nname = "k0"\nnext = {{ {after}, end = 0.1 }}\n'
    for n in range(1, number):
        text += f'[[request]]\nname = "k{n}"\nnext = {{ k0 = 1 }}\n'
    return text


def test_of_many_kinds_the_most_visited_are_drawn_and_the_rest_is_told() -> None:
    (one,) = of_workload(many_kinds(40))
    shown = shapes(one)
    names = [text for text in shown.texts if re.fullmatch(r"k\d+", text)]
    assert names == ["k0", "k1", "k2", "k3", "k4", "k5"]
    # Of the requests of a visit nearly half are k0; k1 to k39 halve from one to the next, so that
    # k6 and all after it have 2^-5 of these: 0.9 / 1.9 * 2^-5 = 1.48 %.
    assert "and 34 more kinds: 1.5 % of the requests" in shown.texts
    assert one.table is not None
    assert len(one.table.lines) == 40


def test_a_script_decides_so_that_no_shares_are_shown() -> None:
    (one,) = of_example(EXAMPLES / "buyers.toml")
    assert "The script buyer.luau decides which comes next" in one.words
    assert "33 %" not in one.svg


def test_stations_pools_and_steps_are_drawn() -> None:
    parts, item, order = of_example(EXAMPLES / "three-tier.toml")
    shown = shapes(parts).texts
    assert {"web", "application", "database", "threads", "connections"} <= {*shown}
    assert "2 servers, processor sharing" in shown
    assert "at most 200 wait for a place" in shown
    assert shapes(item).count("held") == 2
    assert shapes(order).count("bar") == 2  # the beginning and the end of the fork
    assert "waits (lognormal(mu=-2.5, sigma=0.5))" in order.words
    assert item.table is not None
    assert [one.cells[0].text for one in item.table.lines][:2] == [
        "web (exp(1.00 ms))", "takes a place of threads",
    ]  # fmt: skip


def test_clusters_are_drawn_with_their_switch_and_what_each_server_has() -> None:
    (web,) = of_example(EXAMPLES / "web-cluster.toml")
    shown = shapes(web).texts
    assert "7 servers behind a switch: cap" in shown
    assert "each of the 7 servers" in shown
    assert "\u2026 7" in shown
    assert {"cpu", "disk", "cache"} <= {*shown}
    (machines,) = of_example(EXAMPLES / "machine-cluster.toml")
    assert shapes(machines).count("core") == 4
    assert "service workers: 16 threads" in shapes(machines).texts


def many_stations() -> str:
    stations = (f'[[station]]\nname = "s{n}"\ndemand = "exp(1ms)"\n' for n in range(20))
    return f'name = "many"\n{"".join(stations)}'


def deep_forks() -> str:
    """Six pools held at a time, and forks within forks."""
    pools = "".join(f'[[pool]]\nname = "p{n}"\nsize = 3\n' for n in range(6))
    forks = (
        '{ fork = [[{ fork = [[{ use = "a" }], [{ delay = "1s", disk = true }, '
        '{ fork = [[{ use = "a" }], [{ use = "a" }]] }]] }], [{ use = "a" }]] }'
    )
    taken = [f'{{ acquire = "p{n}" }}' for n in range(6)]
    given = [f'{{ release = "p{n}" }}' for n in reversed(range(6))]
    steps = ", ".join([*taken, forks, *given])
    station = '[[station]]\nname = "a"\ndemand = "exp(1ms)"\n'
    return f'name = "deep"\n{station}{pools}[[behaviour]]\nsteps = [{steps}]\n'


ODD = """
name = "odd"
[[station]]
name = "prio"
policy = "priority(preemptive=no)"
servers = 1000
demand.gold = "exp(1ms)"
demand.silver = "exp(2ms)"
priority.gold = 1
priority.silver = 2
queue_limit = 5
queue_timeout = "2s"
[[station]]
name = "newest"
newest_first_above = 3
rate = "table(1, 2)"
failure = { after = "exp(1h)", repair = "1min", clock = "work" }
setup = "exp(2s)"
demand.gold = "exp(1ms)"
demand.silver = "exp(2ms)"
[[machine]]
name = "host"
cores = 40
os = "linux-eevdf"
threads = "event-loop(4)"
demand = "exp(3ms)"
"""


def test_what_stations_do_with_their_queues_is_told() -> None:
    (one,) = of_system(ODD)
    told = {
        "served first: gold, silver", "at most 5 wait", "drops what waited for 2.00 s",
        "the newest first with more than 3", "speed by the number present: table(1, 2)",
        "fails after exp(60.0 min) of work,", "repaired in 60.0 s",
        "turns off if it is empty, and on in", "exp(2.00 s)",
        "40 cores under linux-eevdf", "event-loop(4)",
    }  # fmt: skip
    assert told <= {*shapes(one).texts}


def test_limiters_are_drawn_before_the_stations() -> None:
    (one,) = of_system(
        'name = "s"\n[[station]]\nname = "x"\ndemand = "1ms"\n'
        '[[limiter]]\nname = "gate"\nrate = "100/s"\nburst = 20\n'
        '[[limiter]]\nname = "line"\nrate = 5\nkind = "leaky"\nqueue_limit = 7\n'
    )
    texts = shapes(one).texts
    assert {"passes 100/s", "up to 20 at once, refuses others", "passes 5/s"} <= {*texts}
    assert texts.index("gate") < texts.index("line") < texts.index("x")


def test_of_many_parts_the_first_are_drawn_and_all_are_in_the_table() -> None:
    (one,) = of_system(many_stations())
    assert "and 8 more parts" in shapes(one).texts
    assert one.table is not None
    assert len(one.table.lines) == 20


# ---- in a report


def test_what_results_have_in_common_is_drawn_once() -> None:
    (section,) = case_diagrams.sections(cases(fakes.demo_results(200)))
    titles = [one.title for one in section.diagrams]
    assert titles == ["closed, 1 client", "closed, 10 clients", "open", "one server"]


def test_a_real_server_is_drawn_as_the_target_without_its_password() -> None:
    result = fakes.result("run", fakes.open_(80), fakes.one(fakes.BIMODAL), 100)
    result.system, result.target = None, "http://me:hunter2@shop:8080/"
    (section,) = case_diagrams.sections(cases([result]))
    last = section.diagrams[-1]
    assert last.title == "the target"
    assert "hunter2" not in last.svg
    assert "shop:8080" in last.svg
    assert "1 real server" in last.words


# ---- hostile names

KEYS = {
    "class", "style", "d", "x", "y", "rx", "cx", "cy", "r", "width", "height", "fill",
    "text-anchor", "viewbox", "preserveaspectratio", "role", "aria-label",
}  # fmt: skip
"""All attributes of diagrams."""


def test_names_are_only_ever_text() -> None:
    workload = (
        f'name = "{EVIL_TOML}"\n[arrivals]\nmodel = "closed"\nclients = 2\n'
        f'[session]\nthink = "exp(1s)"\n[[request]]\nname = "{EVIL_TOML}"\n'
        f'next = {{ "{EVIL_TOML}" = 1 }}\n'
    )
    system = (
        f'name = "{EVIL_TOML}"\n[[station]]\nname = "{EVIL_TOML}"\n'
        f'demand."{EVIL_TOML}" = "exp(1ms)"\n[[pool]]\nname = "p{EVIL_TOML}"\nsize = 2\n'
        f'[[behaviour]]\nrequest = "{EVIL_TOML}"\nsteps = [{{ acquire = "p{EVIL_TOML}" }}, '
        f'{{ use = "{EVIL_TOML}" }}, {{ release = "p{EVIL_TOML}" }}]\n'
    )
    known = {"svg", "path", "rect", "circle", "text", "title"}
    for one in (*of_workload(workload), *of_system(system), server.target_of(EVIL)):
        found = shapes(one)
        assert {tag for tag, _ in found.tags} <= known
        assert {key for _, attributes in found.tags for key in attributes} <= KEYS
        assert all("alert" not in (one.get("style") or "") for _, one in found.tags)


# ---- room


def test_texts_are_cut_where_their_room_ends() -> None:
    assert fitted("short", 100) == "short"
    cut = fitted("a very long name of something", 100)
    assert cut.endswith("\u2026")
    assert width_of(cut) <= 100 < width_of("a very long name of something")
    assert fitted("\u5e97" * 40, 100).count("\u5e97") < 8  # wide letters
    lines = wrapped("one two three four five six seven", 60, "", 2)
    assert len(lines) == 2
    assert lines[1].endswith("\u2026")
    assert wrapped("thinks exp(20.0 s)", 90, "", 2)[-1] == "exp(20.0\u00a0s)"


BOXES = """
[...document.querySelectorAll(".diagram")].map((one) => {
  const box = (part) => {
    const {left, top, right, bottom} = part.getBoundingClientRect();
    return {left, top, right, bottom, text: part.textContent};
  };
  return {frame: box(one), texts: [...one.querySelectorAll("text")].map(box),
          title: one.getAttribute("aria-label")};
})
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = [Section(one.stem, one.stem, "", None, of_example(one)) for one in FILES]
    found.append(Section("many", "many", "", None, of_workload(many_kinds(40))))
    hostile = (
        f'name = "w"\n[arrivals]\nmodel = "open"\nrate = 1\n[[request]]\nname = "{EVIL_TOML}"\n'
    )
    found.append(Section("hostile", "hostile", "", None, of_workload(hostile)))
    odd = (ODD, many_stations(), deep_forks())
    found += [Section(f"odd-{n}", "odd", "", None, of_system(one)) for n, one in enumerate(odd)]
    where = tmp_path_factory.mktemp("page") / "examples.html"
    return page.write(Page("examples", Headline("Examples"), [], found), where)


@pytest.mark.skipif(CHROMIUM is None, reason=MISSING)
@pytest.mark.parametrize("width", [360, 1280])
def test_no_text_lies_on_another_or_outside(written: Path, width: int, tmp_path: Path) -> None:
    with Browser(tmp_path / "profile") as browser:
        browser.open(written, width, dark=width == 360)
        found = browser.evaluate(BOXES)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        sizes = browser.evaluate(
            "[...document.querySelectorAll('.diagram')].map(one => one.getBoundingClientRect()"
            ".width / 360 * 11.5)"
        )
        assert browser.complaints == []
    assert len(found) > len(FILES)
    assert min(sizes) >= 10  # pixels of the smallest text
    for one in found:
        assert overlapping(one["texts"]) == [], one["title"]
        frame = one["frame"]
        for text in one["texts"]:
            assert text["left"] >= frame["left"] - 1, text
            assert text["right"] <= frame["right"] + 1, text
            assert text["bottom"] <= frame["bottom"] + 1, text


def overlapping(texts: list[dict]) -> list[tuple[str, str]]:
    """Texts that overlap; the boxes of lines may touch."""
    return [
        (a["text"], b["text"])
        for n, a in enumerate(texts)
        for b in texts[:n]
        if min(a["right"], b["right"]) - max(a["left"], b["left"]) > 1.5
        and min(a["bottom"], b["bottom"]) - max(a["top"], b["top"]) > 2.5
    ]


def test_an_overlap_is_found() -> None:
    box = {"left": 0, "right": 10, "top": 0, "bottom": 10, "text": "a"}
    assert overlapping([box, box | {"left": 5, "right": 15, "text": "b"}]) == [("b", "a")]
    assert overlapping([box, box | {"top": 9, "bottom": 19}]) == []
