"""Words on the road from a log to a decision: each says what the next step needs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from road.log import write
from road.site import Site
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.importing import import_text
from thinktime.learn import Learned, learn
from thinktime.learn.fidelity import Fidelity
from thinktime.learn.fidelity.difference import Difference
from thinktime.learn.model.figures import _least_us
from thinktime.learn.views.page import page_of
from thinktime.learn.views.terminal import _populations
from thinktime.report.results_page import page_of as report_page
from thinktime.results.verdict import with_causes

SITE = Site(
    seed=11, policy="fcfs", servers=3, demand_s=0.06, cv2=1.0, load=0.45, length_s=900.0,
    millis=True, checks=True,
)  # fmt: skip


@pytest.mark.parametrize("millis", [True, False])
@pytest.mark.usefixtures("brief_advice")
def test_a_guessed_server_is_a_doubt_at_the_top_of_the_page(millis: bool, tmp_path: Path) -> None:
    site = replace(SITE, millis=millis)
    learned = learn([tmp_path / "a.log"], format=write(site, tmp_path / "a.log"), fidelity=False)
    server = learned.server()
    assert server is not None
    page = page_of(learned, None, server)
    doubts = [one for one in page.headline.doubts if "server is guessed in part" in one]
    (section,) = [one for one in page.details if one.name == "server"]
    assert bool(server.guesses) == bool(doubts) == (not section.folded) == (not millis)


def difference(name: str, log: float, learned: float, chance: float = 0.01) -> Difference:
    return Difference(name, log, learned, chance, {})


def fidelity(**learned: float) -> Fidelity:
    return Fidelity(
        0.0, 60.0, 1000, "equal", {name: difference(name, 1.0, it) for name, it in learned.items()}
    )


@pytest.mark.parametrize(
    ("laws", "replay", "nearer"),
    [
        ({"fcfs_p99": 2.0, "ps_mean": 1.5}, {"fcfs_p99": 1.0, "ps_mean": 1.5}, True),
        ({"fcfs_p99": 2.0, "ps_mean": 1.0}, {"fcfs_p99": 1.9, "ps_mean": 1.0}, False),
        ({"fcfs_p99": 2.0, "ps_mean": 1.0}, {"fcfs_p99": 0.75, "ps_mean": 1.0}, True),
        ({"fcfs_p99": 1.6, "ps_mean": 1.0}, {"fcfs_p99": 1.6, "ps_mean": 1.6}, False),
        ({"lru_5": 0.7, "ps_mean": 1.0}, {"lru_5": 1.0, "ps_mean": 1.0}, False),
    ],
)
def test_starts_are_replayed_only_if_that_is_nearer(
    laws: dict[str, float], replay: dict[str, float], nearer: bool
) -> None:
    """Caches do not depend on times, and count for neither."""
    assert fidelity(**replay).nearer(fidelity(**laws)) is nearer


@pytest.mark.parametrize(
    ("taken_us", "least"),
    [([0, 1000, 3000], 500.0), ([0, 1, 3000], 0.5), ([2e6, 0], 500_000.0), ([0, 0], 0.5)],
)
def test_a_duration_of_nothing_is_half_of_the_step_of_its_log(
    taken_us: list[float], least: float
) -> None:
    assert _least_us(np.array(taken_us, dtype=np.float64)) == least


@pytest.mark.parametrize(("many", "said"), [(3, ""), (10, ""), (31, "21 smaller ones, 3.4 %")])
def test_many_small_populations_are_one_line(many: int, said: str) -> None:
    def part(place: int) -> SimpleNamespace:
        requests = 1000 - 16 * (many - 1) if place == 0 else 16
        one = SimpleNamespace(
            name=f"callers-{place}", requests=requests, clients=None, model="open",
            confidence="sure", reason="they come",
        )  # fmt: skip
        return SimpleNamespace(population=one, offers_told="")

    parts = [part(place) for place in range(many)]
    if many == 31:  # one that is large, however late it comes
        parts[1].population.requests = 16
    total = sum(one.population.requests for one in parts)
    log = SimpleNamespace(requests=range(total * (10 if said else 1)))
    lines = list(_populations(cast("Learned", SimpleNamespace(parts=parts, log=log))))
    told = [line for line in lines if "smaller one" in line]
    assert [line.startswith(said) for line in told] == [True] * bool(said)
    assert not told or told[0].endswith("from callers-10 to callers-30")


@pytest.mark.parametrize(
    ("causes", "words"),
    [
        ([{"status 404": 7}], "every request failed: status 404"),
        ([{"refused": 3}, {"refused": 2}], "every request failed: refused"),
        ([{"timeout": 3}, {"status 500": 4}], "every request failed: mostly status 500"),
        ([{}], "every request failed"),
    ],
)
def test_a_run_that_failed_wholly_says_of_what(causes: list[dict[str, int]], words: str) -> None:
    summary: Any = {"by_request": {str(n): {"causes": one} for n, one in enumerate(causes)}}
    assert with_causes("every request failed", summary) == words
    assert with_causes("another doubt", summary) == "another doubt"
    assert with_causes(None, summary) is None


def entry(path: str, second: int, media: str) -> dict[str, Any]:
    return {
        "startedDateTime": f"2026-01-01T00:00:{second:02}Z", "time": 10,
        "request": {"method": "GET", "url": f"http://a.example/{path}", "headers": []},
        "response": {"status": 200, "headers": [], "content": {"mimeType": media}},
    }  # fmt: skip


def test_an_import_counts_the_objects_of_pages() -> None:
    entries = [entry("", 0, "text/html"), entry("a.css", 1, "text/css"), entry("b", 9, "text/html")]
    made = import_text(json.dumps({"log": {"version": "1.2", "entries": entries}}).encode(), "a")
    assert (made.requests, made.objects) == (2, 1)


def test_a_result_says_how_it_is_kept_and_two_how_they_are_shown(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text('name = "w"\n[arrivals]\nmodel = "open"\nrate = "9/s"\n')
    (tmp_path / "s.toml").write_text('name = "s"\n[[station]]\nname = "s"\ndemand = "exp(9ms)"\n')
    given = ["simulate", str(tmp_path / "w.toml"), str(tmp_path / "s.toml"), "-n", "2000", "-q"]
    assert "not kept: `-o DIR` keeps the result" in CliRunner().invoke(app, given).output
    for name in ("one", "two"):
        kept = CliRunner().invoke(app, [*given, "-o", str(tmp_path / name)]).output
        assert "not kept" not in kept
    both = CliRunner().invoke(app, ["compare", str(tmp_path / "one"), str(tmp_path / "two")])
    assert f"thinktime report {tmp_path / 'one'} {tmp_path / 'two'}" in both.output


def test_a_page_says_once_that_a_result_is_not_to_be_trusted(tmp_path: Path) -> None:
    learned = {"from": "a.log", "confidence": "low", "guesses": ["policy"]}
    system = {"name": "s", "learned": learned, "station": [{"name": "s", "demand": "exp(9ms)"}]}
    workload = {"name": "w", "arrivals": {"model": "open", "rate": "9/s"}}
    found = tt.simulate(workload, system, requests=5_000, output=tmp_path / "r")
    said = report_page([found]).headline
    assert said.state == "not to be trusted"
    words = [said.sentence, *said.findings, *said.doubts]
    assert not [one for one in words if "not to be trusted" in one.lower()]
