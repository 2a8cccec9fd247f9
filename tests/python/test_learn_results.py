"""Our own results identify the user and the page of each request: that is used, not guessed.

The workload is simulated with a fixed seed. Bounds are five standard errors of the drawn values or
more (false alarm below one in a million each).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.learn import Learned, learn
from thinktime.learn.fidelity import BAD
from thinktime.learn.logs.log import read
from thinktime.learn.model.population_model import PopulationModel

pytestmark = pytest.mark.usefixtures("brief_advice")
WORKLOAD = """
name = "mixed"
[[population]]
name = "visitors"
[population.arrivals]
model = "partly-open"
rate = "2/s"
[population.session]
first = { home = 0.8, item = 0.2 }
think = "lognormal(mu=1.9, sigma=0.8)"
[[population.request]]
name = "home"
next = { item = 0.6, search = 0.3, end = 0.1 }
objects = { count = "uniform(2, 8)", of = { image = 0.6, script = 0.4 }, connections = 3 }
[[population.request]]
name = "item"
next = { item = 0.5, home = 0.3, end = 0.2 }
think = "exp(10s)"
objects = { count = "5", of = { image = 1 }, connections = 3 }
[[population.request]]
name = "search"
next = { item = 0.7, home = 0.1, end = 0.2 }
[[population.request]]
name = "image"
[[population.request]]
name = "script"
[[population]]
name = "pollers"
[population.arrivals]
model = "closed"
clients = 40
[population.session]
think = "const(5s)"
[[population.request]]
name = "status"
[[population]]
name = "staff"
[population.arrivals]
model = "closed"
clients = 15
[population.session]
think = "exp(8s)"
[[population.request]]
name = "list"
weight = 3
objects = { count = "3", of = { image.png = 1 }, connections = 1 }
[[population.request]]
name = "edit"
[[population.request]]
name = "image.png"
[[population]]
name = "hooks"
[population.arrivals]
model = "open"
rate = "6/s"
[[population.request]]
name = "hook"
""".replace("image.png = 1", '"image.png" = 1')

SYSTEM = 'name = "s"\n[[station]]\nname = "cpu"\nservers = 4\npolicy = "ps"\ndemand = "exp(20ms)"\n'


def simulated(folder: Path, workload: str, duration: str) -> Path:
    """The rows of a simulation."""
    tt.simulate(
        tt.Workload(workload), tt.System(SYSTEM), duration=duration, rows="all", seed=11,
        output=folder / "result",
    )  # fmt: skip
    return folder / "result" / "requests.parquet"


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulated(tmp_path_factory.mktemp("mixed"), WORKLOAD, "50min")


@pytest.fixture(scope="module")
def learned(rows: Path) -> Learned:
    return learn([rows])


def test_populations_are_those_of_the_column(rows: Path, learned: Learned) -> None:
    """None of the requests is on the wrong side."""
    written = pl.read_parquet(rows).filter(pl.col("attempt") == 1)
    truth = dict(written["population"].cast(str).value_counts().rows())
    found = {one.name: one for one in learned.split.populations}
    counts = {name: one.requests for name, one in found.items()}
    # In a run that ends, its row does not show whether it was never sent.
    assert counts == pytest.approx(truth, abs=3)
    models = {name: one.model for name, one in found.items()}
    assert models == {
        "visitors": "partly-open", "pollers": "closed", "staff": "closed", "hooks": "open",
    }  # fmt: skip
    assert (found["pollers"].clients, found["staff"].clients) == (40, 15)
    assert all(not one.host for one in found.values())


def test_pages_are_those_of_the_column(rows: Path, learned: Learned) -> None:
    written = pl.read_parquet(rows).filter(pl.col("population") == "visitors")
    bases = written.filter(pl.col("page").is_null() | (pl.col("page") == pl.col("request")))
    visitors = part(learned, "visitors")
    assert len(visitors.journeys.visits.base) == bases.height
    assert learned.to_dict()["persons"]["pages"] == bases.height
    embedded = {kind.name: kind.embedded for kind in visitors.journeys.kinds.kinds}
    assert embedded == {
        "/home": False, "/item": False, "/search": False, "/image": True, "/script": True,
    }  # fmt: skip
    assert visitors.journeys.embeddings.connections == 3
    assert part(learned, "staff").journeys.embeddings.connections == 1


def part(learned: Learned, name: str) -> PopulationModel:
    return next(one for one in learned.parts if one.population.name == name)


def test_laws_are_those_of_the_workload(learned: Learned, tmp_path: Path) -> None:
    """About 6,000 sessions and 30,000 pages."""
    learned.save(tmp_path / "learned.toml")
    text = (tmp_path / "learned.toml").read_text()
    visitors, pollers, staff, _ = text.split("[[population]]")[1:]
    assert "lognormal(mu=1.9" in visitors or "lognormal(mu=1.8" in visitors
    assert 'think = "const(5s)"' in pollers
    assert 'think = "exp(' in staff
    journeys = part(learned, "staff").journeys
    assert journeys.thinks.mean_s == pytest.approx(8, rel=0.07)
    names = [kind.name for kind in part(learned, "visitors").journeys.kinds.kinds]
    chain = part(learned, "visitors").journeys.chain
    home, item = names.index("/home"), names.index("/item")
    matrix = np.asarray(chain.next)
    assert matrix[home, item] == pytest.approx(0.6, abs=0.03)
    assert matrix[item, home] == pytest.approx(0.3, abs=0.03)


def test_what_the_columns_say_is_told(tmp_path: Path) -> None:
    told = "populations by `population` and pages by `page`"
    rows = simulated(tmp_path, WORKLOAD, "3min")
    assert any(told in one for one in read([rows]).notes)
    shown = CliRunner().invoke(app, ["learn", str(rows), "--no-fidelity"]).output
    assert told in " ".join(shown.split())
    assert "visitors " in shown


def test_the_learned_workload_stands_in_for_the_rows(learned: Learned) -> None:
    """No figure differs by more than chance, which may be large for so short a log."""
    found = learned.fidelity
    assert found is not None
    assert found.verdict != BAD, found.to_dict()["sentences"]
    assert found.measured
    assert not [one for one in found.differences if one.startswith("lru")], "rows have no targets"


def test_older_rows_without_the_columns_are_read_as_before(rows: Path, tmp_path: Path) -> None:
    old = pl.read_parquet(rows).filter(pl.col("population") == "hooks")
    old.drop("population", "page").write_parquet(tmp_path / "old.parquet")
    log = read([tmp_path / "old.parquet"])
    assert log.formats == ["thinktime"]
    assert log.requests.populations is None
    assert not log.requests.paged
    assert not [one for one in log.notes if "page" in one]


LONG = """
name = "long"
[arrivals]
model = "partly-open"
rate = "1/s"
[session]
requests = "const(100)"
think = "const(1s)"
[[request]]
name = "step"
"""


def test_long_sessions_that_go_are_no_loops(tmp_path: Path) -> None:
    """Each asks by the clock, but leaves after a hundred requests."""
    found = learn([simulated(tmp_path, LONG, "30min")], fidelity=False)
    (only,) = found.split.populations
    assert (only.model, only.clients) == ("partly-open", None)
    assert found.parts[0].journeys.requests_per_journey == pytest.approx(100, rel=0.1)


ONE = """
name = "one"
[arrivals]
model = "closed"
clients = 1
[session]
think = "exp(1s)"
[[request]]
name = "page"
objects = { count = "4", of = { image = 1 }, connections = 4 }
[[request]]
name = "image"
"""


def test_a_single_client_is_closed(tmp_path: Path) -> None:
    found = learn([simulated(tmp_path, ONE, "30min")], fidelity=False)
    (only,) = found.split.populations
    assert (only.model, only.clients) == ("closed", 1)
    assert not [one for one in found.split.findings if "address" in one.name]
