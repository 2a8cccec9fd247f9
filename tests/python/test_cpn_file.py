"""The `.cpn` files themselves: their structure, refusals, and the command.

The structure is that of CPN Tools' files (document type http://cpntools.org/DTD/6/cpn.dtd).
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import combinations
from pathlib import Path

import machine_scenarios as ms
import pytest
from cpn_runner import Run
from typer.testing import CliRunner

from thinktime import _core
from thinktime.cli import app
from thinktime.machine import cpn
from thinktime.machine.cpn import Task

CASES = {case.name: case for case in ms.cases()}
LINUX = [
    "time_sharing.interactivity=false",
    "time_sharing.starvation=false",
    "time_sharing.slice.granularity=false",
]
WINDOWS = ["time_sharing.boosts=false", "time_sharing.starvation=false"]
SUBPAGES = {
    "MOSS": {
        "Initialise Task",
        "Schedule",
        "Start Waiting",
        "Stop Waiting",
        "Terminate",
        "Dynamic Balancing",
        "Tasks",
    },
    "Schedule": {"Enqueue", "End Turn", "Take", "Place", "Contend", "Preempt", "Settle"},
    "Dynamic Balancing": {"Trigger", "DetermineLoad", "DetermineRole", "Couple", "Balance"},
}


def unlike_ones() -> list[ms.Case]:
    """The cases whose net has a page that no other one has: one with other places, transitions or
    inscriptions."""
    pages = {
        name: {
            (page.name, *page.places, *page.transitions, *(one.inscription for one in page.arcs))
            for page in cpn.net_of(case.features, case.cores, case.tasks).pages()
        }
        for name, case in CASES.items()
    }
    found, known = [], set()
    while left := [name for name in CASES if pages[name] - known]:
        found.append(max(left, key=lambda name: len(pages[name] - known)))
        known |= pages[found[-1]]
    return [CASES[name] for name in found]


def root_of(case: ms.Case) -> ET.Element:
    return ET.fromstring(cpn.export(case.features, case.cores, case.tasks))


def preset_net(name: str, changes: list[str], cores: int = 2) -> str:
    features = _core.scheduler_features(_core.scheduler(name), "\n".join(changes))
    return cpn.export(features, cores, cpn.read(cpn.DEFAULT))


@pytest.fixture(scope="module")
def roots() -> list[ET.Element]:
    return [root_of(case) for case in unlike_ones()]


# ---- structure


def test_elements_stand_in_the_order_of_the_document_type(roots: list[ET.Element]) -> None:
    for root in roots:
        assert root.tag == "workspaceElements"
        assert [child.tag for child in root] == ["generator", "cpnet"]
        tags = [child.tag for child in root[1]]
        order = ["globbox", "page", "fusion", "instances", "options", "monitorblock", "IndexNode"]
        assert tags == sorted(tags, key=order.index)


def test_ids_are_unique_and_references_lead_somewhere(roots: list[ET.Element]) -> None:
    for root in roots:
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert [one for one, times in Counter(ids).items() if times > 1] == []
        used = {element.get("idref") for element in root.iter() if element.get("idref")}
        used |= {element.get("subpage") for element in root.iter("subst")}
        used |= {element.get("trans") for element in root.iter("instance")} - {None}
        assert used <= set(ids)


def test_arcs_join_places_and_transitions_of_their_page(roots: list[ET.Element]) -> None:
    for page in [page for root in roots for page in root.iter("page")]:
        places = {place.get("id") for place in page.iter("place")}
        plain = {t.get("id"): t.find("subst") is None for t in page.iter("trans")}
        for arc in page.iter("arc"):
            assert arc.find("placeend").get("idref") in places
            transition = arc.find("transend").get("idref")
            assert bool(arc.findtext("annot/text")) == plain[transition]


def test_every_port_is_assigned_to_a_socket_of_its_colours(roots: list[ET.Element]) -> None:
    for root in roots:
        pages = {page.get("id"): page for page in root.iter("page")}
        colours = {place.get("id"): place.findtext("type/text") for place in root.iter("place")}
        for page in pages.values():
            joined = {
                (a.find("transend").get("idref"), a.find("placeend").get("idref"))
                for a in page.iter("arc")
            }
            for transition in page.iter("trans"):
                subst = transition.find("subst")
                if subst is None:
                    continue
                pairs = re.findall(r"\((ID\d+),(ID\d+)\)", subst.get("portsock"))
                below = pages[subst.get("subpage")]
                ports = {p.get("id") for p in below.iter("place") if p.find("port") is not None}
                assert pairs
                assert {port for port, _ in pairs} == ports
                for port, socket in pairs:
                    assert colours[port] == colours[socket]
                    assert (transition.get("id"), socket) in joined


def test_fusion_sets_hold_all_places_of_their_name(roots: list[ET.Element]) -> None:
    for root in roots:
        sets = {
            one.get("name"): {element.get("idref") for element in one.iter("fusion_elm")}
            for one in root.iter("fusion")
        }
        drawn: dict[str, set[str]] = {}
        for place in root.iter("place"):
            if place.find("fusioninfo") is not None:
                drawn.setdefault(place.find("fusioninfo").get("name"), set()).add(place.get("id"))
        assert drawn == sets
        assert "Agenda" in sets


def test_colour_sets_and_variables_are_declared_before_use(roots: list[ET.Element]) -> None:
    for root in roots:
        known: set[str] = set()
        for colours in root.iter("color"):
            body = next(c for c in colours if c.tag not in ("id", "layout", "timed"))
            parts = {part.text for part in body.findall("id")}
            assert body.tag == "enum" or parts <= known
            known.add(colours.findtext("id"))
        assert {place.findtext("type/text") for place in root.iter("place")} <= known
        assert {var.findtext("type/id") for var in root.iter("var")} <= known
        names = [one.text for var in root.iter("var") for one in var.findall("id")]
        assert max(Counter(names).values()) == 1


def test_the_hierarchy_is_that_of_the_paper() -> None:
    text = preset_net("linux-2.6.22", [one.replace("=", " = ") for one in LINUX])
    pages = {page.find("pageattr").get("name"): page for page in ET.fromstring(text).iter("page")}
    for name, expected in SUBPAGES.items():
        found = {
            transition.findtext("text")
            for transition in pages[name].iter("trans")
            if transition.find("subst") is not None
        }
        assert found == expected
    chosen = {"DetermineLoad (ageing-queue-length)", "DetermineRole (relative)"}
    chosen |= {"Couple (broadcast)", "Balance (low, short)"}
    assert chosen <= set(pages)
    top = {place.findtext("text") for place in pages["MOSS"].iter("place")}
    assert {"New", "Incoming", "Ready", "Running", "Waiting", "Request", "Response"} <= top
    assert {"PutToSleep", "WakeUp", "Terminate"} <= top


def test_nothing_is_drawn_over_something_else(roots: list[ET.Element]) -> None:
    for page in [page for root in roots for page in root.iter("page")]:
        nodes = {
            node.tag + " " + node.findtext("text"): node.find("posattr")
            for node in [*page.iter("place"), *page.iter("trans")]
        }
        for (one, a), (other, b) in combinations(nodes.items(), 2):
            apart = [abs(float(a.get(axis)) - float(b.get(axis))) for axis in ("x", "y")]
            assert apart[0] >= 115 or apart[1] >= 46, (
                f"{page.find('pageattr').get('name')}: {one} and {other}"
            )


def test_an_attempt_ends_when_no_core_gives_and_none_takes() -> None:
    # MOSS (listing 3) leaves out that both lists may be empty. One task on each core: neither
    # gives (load 1, upper bound 1) nor takes (lower bound 1), whenever a task comes.
    features = ms.features(ms.DYNAMIC, ms.THRESHOLD, ms.ON_FORK, ms.ONE_TASK_EACH)
    tasks = [ms.task(0, 5), ms.task(1, 5), ms.task(2, 5)]
    run = Run(cpn.export(features, 2, tasks))
    names = Counter(name for _, name in run.fired)
    assert names["On Fork"] == names["TerminateBalancing"] + names["Bind"] > 0


# ---- what is refused


@pytest.mark.parametrize("name", _core.schedulers())
def test_presets_are_refused_with_all_that_is_to_change(name: str) -> None:
    with pytest.raises(_core.InputError, match=r"time_sharing\.") as refused:
        preset_net(name, [])
    changes = re.findall(r"change it by (time_sharing\S* = false)", str(refused.value))
    if changes:
        assert "<workspaceElements>" in preset_net(name, changes)
    else:
        assert 'discipline = "priorities"' in str(refused.value)


REFUSED = {
    "balancing.static.policy": (['balancing.static.policy = "random"\n'], "cyclic-splitting"),
    "balancing.dynamic.location": (
        [ms.DYNAMIC, ms.THRESHOLD, ms.ON_IDLE, 'balancing.dynamic.location = "random"\n'],
        "broadcast",
    ),
    "time_sharing.slice.length": (['time_sharing.slice.length = "1.5us"\n'], "microsecond"),
    "time_sharing.slice.wait_costs": (['time_sharing.slice.wait_costs = "5ns"\n'], "microsecond"),
    "balancing.dynamic.load_index.time_span": (
        [
            ms.with_load_index('kind = "average-queue-length", time_span = "9s"'),
            ms.THRESHOLD,
            ms.ON_IDLE,
        ],
        "at most 8s",
    ),
}


@pytest.mark.parametrize("path", REFUSED)
def test_what_is_not_carried_is_refused_by_its_path(path: str) -> None:
    changes, right = REFUSED[path]
    with pytest.raises(_core.InputError) as refused:
        cpn.export(ms.features(*changes), 2, [ms.task(0, 1)])
    assert path in str(refused.value)
    assert right in str(refused.value)


def test_slices_that_are_no_whole_microseconds_are_refused() -> None:
    slices = 'time_sharing.slice = { length = "10ms", by_priority = true, minimum = "1ms" }\n'
    with pytest.raises(_core.InputError, match="multiple of 3 microseconds"):
        cpn.export(ms.features(slices), 2, [ms.task(0, 1)])


@pytest.mark.parametrize("cores", [0, 65])
def test_cores_are_from_1_to_64(cores: int) -> None:
    with pytest.raises(_core.InputError, match="from 1 to 64"):
        cpn.export(ms.features(), cores, [ms.task(0, 1)])


@pytest.mark.parametrize("priority", [5, -1, "urgent"])
def test_priorities_are_of_the_scale(priority: int | str) -> None:
    with pytest.raises(_core.InputError, match=r"tasks\[0\]\.priority"):
        cpn.export(ms.features(), 1, [ms.task(0, 1, priority=priority)])


BAD_SCENARIOS = {
    "tasks = 3": "at least one",
    "[[tasks]]": "tasks[0].bursts",
    "[[tasks]]\nbursts = []": "0 bursts",
    "[[tasks]]\nbursts = ['1ms', '1ms']": "one sleep between each two",
    "[[tasks]]\nbursts = ['0s']": "1 microsecond or more",
    "[[tasks]]\nbursts = ['1.5us']": "tasks[0].bursts[0]",
    "[[tasks]]\nbursts = '1ms'": "not a list of times",
    "[[tasks]]\nbursts = [1]": "tasks[0].bursts[0]",
    "[[tasks]]\nbursts = ['1ms']\nnice = 3": "unknown key `nice`",
    "[[tasks]]\nbursts = ['1ms']\npriority = 1.5": "neither a number nor a name",
    "[[tasks]]\nbursts = ['1h']": "1000 s",
    "threads = 1": "unknown key `threads`",
    "[[tasks": "array declaration",
}


@pytest.mark.parametrize("text", BAD_SCENARIOS)
def test_wrong_scenarios_are_refused(text: str) -> None:
    with pytest.raises(_core.InputError, match=re.escape(BAD_SCENARIOS[text])):
        cpn.read(text)


def test_a_scenario_is_read() -> None:
    text = "[[tasks]]\narrival = '2ms'\nbursts = ['1ms', '250us']\nsleeps = ['3ms']\npriority = 1"
    assert cpn.read(text) == [Task(2000, (1000, 250), (3000,), 1)]


# ---- the command


def command(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["machine", "export", *arguments])
    return result.exit_code, result.output


def settings(changes: list[str]) -> list[str]:
    return [word for change in changes for word in ("--set", change)]


def test_the_command_writes_a_net_that_runs(tmp_path: Path) -> None:
    file = tmp_path / "net.cpn"
    status, said = command("windows-7", "--cpn", str(file), *settings(WINDOWS), "--cores", "4")
    assert (status, said) == (0, "")
    run = Run(file.read_text(encoding="ascii"))
    assert run.only("Ended") == 3
    assert len(run.tokens("Running")) == 4


def test_the_command_takes_a_scenario(tmp_path: Path) -> None:
    file, scenario = tmp_path / "net.cpn", tmp_path / "tasks.toml"
    scenario.write_text("[[tasks]]\nbursts = ['7ms']\n")
    arguments = ["linux-2.6.22", "--cpn", str(file), *settings(LINUX)]
    assert command(*arguments, "--scenario", str(scenario)) == (0, "")
    assert Run(file.read_text(encoding="ascii")).only("Finished") == ((1, 7000),)


def test_settings_need_no_quotes(tmp_path: Path) -> None:
    file = tmp_path / "net.cpn"
    changes = [*WINDOWS, "balancing.static.policy=least-loaded", "time_sharing.slice.length=20ms"]
    assert command("windows-7", "--cpn", str(file), *settings(changes)) == (0, "")
    text = file.read_text(encoding="ascii")
    assert "Initialise Task (least-loaded)" in text
    assert "val SLICES = [20000," in text


WRONG = {
    "refused": (["linux-2.6.22"], "time_sharing.interactivity = false"),
    "no value": (["windows-7", "--set", "time_sharing.boosts"], "KEY=VALUE"),
    "no key": (["windows-7", "--set", "=3"], "KEY=VALUE"),
    "twice": (["windows-7", *settings(["a=1", "a=2"])], "--set a=2"),
    "unknown key": (["windows-7", "--set", "time_sharing.boost=false"], "boost"),
    "unknown name": (["windows-8"], "windows-8"),
    "no scenario": (["windows-7", *settings(WINDOWS), "--scenario", "none.toml"], "none.toml"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said(what: str, tmp_path: Path) -> None:
    arguments, expected = WRONG[what]
    file = tmp_path / "net.cpn"
    status, said = command(*arguments, "--cpn", str(file))
    assert status == 2
    assert expected in said
    assert not file.exists()
