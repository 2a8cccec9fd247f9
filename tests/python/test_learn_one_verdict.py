"""One figure for one thing, and one verdict for one population, in all that `learn` says."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import polars as pl
import pytest
from test_learn_whole_seconds import Answer, log_of, loops, visits

from thinktime.learn import Learned, learn
from thinktime.learn.advice.advice import main_part
from thinktime.learn.model.population_model import PopulationModel
from thinktime.learn.views.terminal import lines

pytestmark = pytest.mark.usefixtures("brief_advice")


def learned_of(path: Path, answers: list[Answer]) -> Learned:
    return learn([log_of(path, answers, stamps="s")], fidelity=False)


def test_sessions_have_one_length(tmp_path: Path) -> None:
    """1,288 sessions of 4.00 pages stood above pages a session of 3.30 and requests of 4.03."""
    found = learned_of(tmp_path / "access.log", visits(1.0, 0, 3, 0.02))
    told = found.to_dict()
    (only,) = told["populations"]
    assert told["requests_per_session"]["mean"] == pytest.approx(4.0, rel=0.02)
    assert told["pages_per_session"]["mean"] == told["requests_per_session"]["mean"]
    assert only["requests_per_journey"] == told["requests_per_session"]["mean"]
    assert only["journeys"] == told["sessions"]
    assert only["think_time_law"] == told["think_time_s"]["law"]
    # The reason has the evidence, and leaves lengths to the figures.
    assert not [word for word in only["reason"].split() if "." in word.strip(".")]


def test_the_verdict_is_that_of_the_population_with_most_work(tmp_path: Path) -> None:
    """Few requests that take long matter more to a server than many that are quick."""
    many = visits(4.0, 0, 3, 0.01)
    few = [(came, done, 10_000 + user) for came, done, user in loops(10, "const", 0.0, 1.0, 10)]
    found = learned_of(tmp_path / "access.log", [*many, *few])
    told = found.to_dict()
    largest = max(told["populations"], key=lambda one: one["requests"])
    assert largest["model"] == "partly-open"
    (main,) = (one for one in told["populations"] if one["name"] == told["recommended_for"])
    assert (main["model"], main["clients"]) == ("closed", 10)
    for key, own in (("recommended_model", "model"), ("reason",) * 2, ("confidence",) * 2):
        assert told[key] == main[own]
    assert told["plan"].startswith("Plan with a closed model")
    assert set(told["misleading_if"]) == {"open"}
    shown = "\n".join(lines(found))
    assert "advice           for " + main["name"] in shown
    assert shown.count("CLOSED (") == 1


def test_work_is_requests_without_durations(tmp_path: Path) -> None:
    draw = np.random.default_rng(4)
    rows = [(at, f"10.0.{n // 250}.{n % 250}") for n, at in enumerate(draw.uniform(0, 3600, 900))]
    rows += [(n * 10.0, "10.9.9.9") for n in range(360)]
    agents = {"10.9.9.9": "curl/8.5"}
    text = "".join(
        f"{1_790_000_000 + at:.3f},{address},/,{agents.get(address, 'Mozilla/5.0 (X11) F/1')}\n"
        for at, address in sorted(rows)
    )
    (tmp_path / "log.csv").write_text("time,address,path,agent\n" + text)
    advice = learn([tmp_path / "log.csv"], fidelity=False).advice
    assert (advice.population.name, advice.work) == ("people", pytest.approx(900 / 1260))


def test_work_of_more_than_71_minutes_counts_whole() -> None:
    """People with 96 % of the work had 42 %: a sum of 32-bit microseconds lost all but the rest."""

    def part(hours: list[float]) -> PopulationModel:
        rows = pl.DataFrame({"duration_us": [1e6 * 3600 * one for one in hours]})
        requests = SimpleNamespace(timed=True, rows=rows.cast(pl.UInt32))
        return cast(PopulationModel, SimpleNamespace(requests=requests))

    people, checks = part([1.0] * 12), part([0.5])
    assert main_part([people, checks]) == (people, pytest.approx(0.96))
