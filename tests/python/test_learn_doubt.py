"""Verdicts on people are no surer than they can be, and open people load whole pages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from traffic.recovery import recovery_of
from traffic.scenarios import scenario

from thinktime.learn import learn
from thinktime.learn.logs.log import read
from thinktime.learn.populations import Population, tell_apart

pytestmark = pytest.mark.usefixtures("brief_advice")
AGENTS = [f"Mozilla/5.0 (X11; Linux x86_64; rv:{n}.0) Gecko Firefox/{n}.0" for n in (125, 126, 127)]
Line = tuple[float, str, str, str]
"""The second, the address, the path and the agent."""


def written(path: Path, found: list[Line]) -> Path:
    rows = []
    for second, address, asked, agent in sorted(found):
        hour, minute = int(second // 3600), int(second // 60 % 60)
        stamp = f"01/Mar/2026:{hour:02}:{minute:02}:{int(second % 60):02} +0000"
        rows.append(f'{address} - - [{stamp}] "GET {asked} HTTP/1.1" 200 500 "-" "{agent}"\n')
    path.write_text("".join(rows))
    return path


def people_of(path: Path) -> Population:
    (found,) = tell_apart(read([path]).requests).populations
    assert found.kind == "people"
    return found


@pytest.mark.parametrize(
    ("name", "scale", "sure"), [("two-kinds-of-people", 0.35, "likely"), ("people", 0.7, "sure")]
)
def test_several_kinds_of_people_are_never_sure(name: str, scale: float, sure: str) -> None:
    made = scenario(name, seed=7, scale=scale)
    (people,) = recovery_of(made.truth.table, made.truth.facts).found.populations
    assert (people.model, people.confidence) == ("partly-open", sure)
    assert ("several kinds of people" in people.reason) == (sure == "likely")


def test_many_behind_few_addresses_are_not_surely_closed(tmp_path: Path) -> None:
    draw = np.random.default_rng(8)
    found: list[Line] = []
    for begin in draw.uniform(0, 7500, 2200):
        agent = AGENTS[draw.integers(3)]
        for time in begin + np.cumsum(draw.lognormal(2, 1, 3)):
            address = f"203.0.113.{draw.integers(9)}"  # any of a pool of proxies
            found.append((time, address, f"/item/{draw.integers(50)}", agent))
    people = people_of(written(tmp_path / "access.log", found))
    assert people.model == "closed"  # apparently nobody comes or goes
    assert people.confidence == "unsure"
    assert "share an address" in people.reason


def pages_log(path: Path, holes: bool = False) -> Path:
    """1,200 people who load a page with three objects, once; with holes a minute of 20 is kept."""
    draw = np.random.default_rng(9)
    found: list[Line] = []
    for user, begin in enumerate(draw.uniform(0, 7200, 12_000 if holes else 1200)):
        if holes and begin % 1200 > 60:
            continue
        asked = ["/", "/a.css", "/b.js", "/c.png"]
        address = f"10.{user // 250}.0.{user % 250}"
        found += [(begin + 0.1 * n, address, one, AGENTS[0]) for n, one in enumerate(asked)]
    return written(path, found)


def test_verdicts_on_a_log_of_holes_are_unsure(tmp_path: Path) -> None:
    whole = people_of(pages_log(tmp_path / "whole.log"))
    assert (whole.model, whole.confidence) == ("open", "sure")
    holed = people_of(pages_log(tmp_path / "holed.log", holes=True))
    assert (holed.model, holed.confidence) == ("open", "unsure")
    assert "has no line" in holed.reason


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pages_log(tmp_path_factory.mktemp("logs") / "access.log")


def workload_of(path: Path, **how: Any) -> dict[str, Any]:
    learned = learn([path], fidelity=False, **how)
    file = tomllib.loads(learned.workload_text)
    assert file["arrivals"]["model"] == "open"
    learned.workload()  # it can be read
    return file


def test_open_people_load_pages_with_what_they_embed(pages: Path) -> None:
    file = workload_of(pages)
    (page,) = [kind for kind in file["request"] if "objects" in kind]
    assert (page["get"], page["objects"]["count"]) == ("/", "3")
    assert float(file["arrivals"]["rate"].removesuffix("/s")) == pytest.approx(1 / 6, rel=0.02)


def test_without_pages_the_file_has_none(pages: Path) -> None:
    kinds = workload_of(pages, pages=False)["request"]
    assert len(kinds) == 4
    assert not any("objects" in kind for kind in kinds)


def without_agents(log: Path) -> Path:
    """The same log in the Common Log Format."""
    found = log.with_name(f"common-{log.name}")
    lines = log.read_text().splitlines()
    found.write_text("".join(line.rsplit(' "-" "', 1)[0] + "\n" for line in lines))
    return found


def test_people_of_a_log_without_agents_are_people(pages: Path) -> None:
    """They were `callers`, as if a user without an agent were a program; and so was everybody."""
    found = tell_apart(read([without_agents(pages)]).requests)
    (people,) = found.populations
    assert (people.kind, people.model, people.confidence) == ("people", "open", "likely")
    assert [one.name for one in found.findings] == ["no agents"]


def test_an_interface_without_agents_has_callers(tmp_path: Path) -> None:
    draw = np.random.default_rng(10)
    times = np.sort(draw.uniform(0, 7200, 2000))
    calls = [(t, f"10.0.0.{draw.integers(200)}", "/api/items", "-") for t in times]
    found = tell_apart(read([without_agents(written(tmp_path / "api.log", calls))]).requests)
    assert {one.kind for one in found.populations} == {"callers"}
