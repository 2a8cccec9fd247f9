"""The study of a thousand nodes: its figures come from the measurements, and keep to laws."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

STUDY = Path(__file__).resolve().parents[2] / "studies" / "thousand-nodes"


@pytest.fixture(scope="module")
def simulate() -> ModuleType:
    """The study's module; other studies have modules of the same name."""
    spec = importlib.util.spec_from_file_location("thousand_nodes", STUDY / "simulate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def run(reports: int, requests: int, begin_s: float = 0.001) -> dict[str, Any]:
    """The costs of a run, if a report cost 2 ms and 300 bytes, a row 3 us and 60 bytes; and half a
    second and 1 kB to begin and to end."""
    return {
        "cpu_s": 0.5 + reports * 2e-3 + requests * 3e-6,
        "bytes": 1000 + 300 * reports + 60 * requests,
        "reports": reports,
        "requests": requests,
        "length_s": 1.0,
        "begin_s": begin_s,
        "begun_late_s": [1e-5],
    }


def test_costs_are_found_again(simulate: ModuleType) -> None:
    pairs = [
        {
            "generators": n,
            "rate": rate,
            "runs": [run(length * 2 * n, length * rate, n * 1e-3) for length in (4, 14)],
        }
        for n in (1, 2, 4)
        for rate in (20, 2000)
    ]
    found = simulate.costs({"runs": pairs})
    assert found.report_s == pytest.approx(2e-3)
    assert found.row_s == pytest.approx(3e-6)
    assert (found.report_bytes, found.row_bytes) == (pytest.approx(300), pytest.approx(60))
    assert found.begin_s == pytest.approx(1e-3)


def costs(simulate: ModuleType, report_s: float, row_s: float) -> Any:
    return simulate.Costs(report_s, row_s, 300.0, 60.0, 1e-3)


def test_one_node_never_waits(simulate: ModuleType) -> None:
    # Alone it is late by its own demand, which is d = a + b r (1/2 + d): 400 reports, exponential,
    # so that their mean is within a fifth of that but for one case in 10,000.
    found = simulate.cell(costs(simulate, 0.02, 1e-4), 1, 1000.0, 300.0)
    demand_s = (0.02 + 1e-4 * 1000 * 0.5) / (1 - 1e-4 * 1000)
    assert found.late_s == pytest.approx(demand_s, rel=0.2)
    assert found.load == pytest.approx(demand_s / (0.5 + demand_s), rel=0.2)
    assert found.bytes_per_s == pytest.approx(300 / (0.5 + demand_s) + 60 * 1000, rel=0.02)


def test_many_nodes_saturate_it(simulate: ModuleType) -> None:
    # The asymptote of closed workloads: everybody waits, each for all the others.
    found = simulate.cell(costs(simulate, 5e-3, 0.0), 1000, 10.0, 100.0)
    assert found.late_s == pytest.approx(1000 * 5e-3 - 0.5, rel=0.05)
    assert found.load == pytest.approx(1.0, abs=0.02)
    assert found.begin_s == pytest.approx(1.0)


def test_rows_that_are_too_many_are_never_caught_up_with(simulate: ModuleType) -> None:
    found = simulate.cell(costs(simulate, 1e-3, 2e-6), 1000, 1000.0, 20.0)
    assert (found.load, found.late_s) == (pytest.approx(2.0), None)
    assert "for ever" in simulate.row(found)


def test_the_published_tables_are_of_what_was_measured(simulate: ModuleType) -> None:
    measured = json.loads((STUDY / "measured.json").read_text("ascii"))
    results = json.loads((STUDY / "results.json").read_text("ascii"))
    of = simulate.costs(measured)
    assert of == simulate.Costs(**results["costs"])
    cells = [simulate.Cell(**one) for one in results["cells"]]
    assert (STUDY / "tables.md").read_text("utf-8") == simulate.tables(of, cells, measured)
    assert [(one.nodes, one.rate) for one in cells] == [
        (nodes, rate) for rate in simulate.RATES for nodes in simulate.NODES
    ]
    page = (STUDY.parents[1] / "docs" / "studies-thousand-nodes.md").read_text("utf-8")
    for line in simulate.tables(of, cells, measured).splitlines():
        if line.startswith("| 1,000 |"):
            assert line in page
