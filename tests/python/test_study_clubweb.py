"""The study of ClubWeb: in small, the order of CAP and LARD and its flip; in full, its tables.

Seeds are fixed, so the results are the same each time. Were they not, an order would be wrong with
a probability of at most 2.5 % each.
"""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

STUDY = Path(__file__).resolve().parents[2] / "studies" / "clubweb"
NAMES = ("cells", "order", "plan", "tables")
LARD = "lard(low=25, high=65)"


@pytest.fixture(scope="module")
def modules() -> dict[str, ModuleType]:
    """The study's modules; other studies have modules of the same names."""
    hidden = {name: sys.modules.pop(name, None) for name in NAMES}
    sys.path.insert(0, str(STUDY))
    try:
        return {name: __import__(name) for name in NAMES}
    finally:
        sys.path.remove(str(STUDY))
        for name, module in hidden.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module


def small(to: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, str(STUDY / "study.py"), "--small", "--to", str(to), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads((to / "results.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return small(tmp_path_factory.mktemp("clubweb"))


def test_the_order_of_cap_and_lard_and_its_flip(
    done: dict[str, Any], modules: dict[str, ModuleType]
) -> None:
    for start, slower, faster in (
        ("cpu | {} | 20/s | 1 | 7", LARD, "cap"),
        ("static | {} | 10/s | 10000 | 7", "cap", LARD),
    ):
        runs = [done["cells"][start.format(one)]["p90_ms"] for one in (slower, faster)]
        assert modules["order"].ratio(*runs).low > 1


def test_what_is_done_is_kept(tmp_path: Path, done: dict[str, Any]) -> None:
    """A cell is kept as it is, and done again where it was shorter."""
    before = copy.deepcopy(done)
    kept, shorter = list(before["cells"])[:2]
    before["cells"][kept]["p90_ms"] = before["cells"][shorter]["p90_ms"] = [1.0]
    before["lengths"][shorter]["runs"] = 1
    (tmp_path / "results.json").write_text(json.dumps(before), encoding="utf-8")
    after = small(tmp_path, "--go-on")
    assert after["cells"][kept]["p90_ms"] == [1.0]
    assert after["cells"][shorter] == done["cells"][shorter]


def test_ratios_are_those_of_pairs(modules: dict[str, ModuleType]) -> None:
    """Steps of ln 2, ln 2 and ln 8 have the mean ln(32)/3 and the spread 2 ln 2 / sqrt(3); the
    quantile of Student's t with 2 degrees of freedom is 4.3027 (any table)."""
    found = modules["order"].ratio([2.0, 20.0, 8.0], [1.0, 10.0, 1.0])
    assert found.value == pytest.approx(32 ** (1 / 3))
    assert found.high == pytest.approx(32 ** (1 / 3) * 2 ** (2 / 3 * 4.3027), rel=1e-4)
    assert found.order("a", "b") == "cannot tell"
    assert modules["order"].ratio([2.0, 2.1], [1.0, 1.1]).order("a", "b") == "b"


def test_the_tables_are_those_of_the_results(modules: dict[str, ModuleType]) -> None:
    results = json.loads((STUDY / "results.json").read_text(encoding="utf-8"))
    wanted = modules["plan"].everything()
    assert set(results["cells"]) == {cell.key for cell in wanted}
    assert {key: one["runs"] for key, one in results["lengths"].items()} == {
        cell.key: length.runs for cell, length in wanted.items()
    }
    written = (STUDY / "tables.md").read_text(encoding="utf-8")
    assert modules["tables"].text(results["cells"]) == written


def test_the_page_has_the_figures_of_the_tables() -> None:
    """Ratios by the number of URLs, and the policies of today, to two digits."""
    page = (STUDY.parents[1] / "docs" / "studies-clubweb.md").read_text(encoding="utf-8")
    tables = (STUDY / "tables.md").read_text(encoding="utf-8")
    compared = 0
    for name in ("CPU | ", "disk | ", "`jsq(2)` | 112", "`prequal` | 171", "`jsq(2)` | 136"):
        bound = {"CPU | ": "CPU-bound | ", "disk | ": "Disk-bound | "}.get(name, name)
        shown = [line for line in page.splitlines() if line.startswith(f"| {name}")]
        known = [line for line in tables.split("by the number")[1].splitlines()
                 if line.startswith(f"| {bound}")]  # fmt: skip
        for one, other in zip(shown, known, strict=False):
            numbers, expected = (
                [float(x.replace(",", "")) for x in re.findall(r"\d[\d,.]*", line)]
                for line in (one, other)
            )
            assert numbers == pytest.approx(expected, rel=0.06)
            compared += len(numbers)
    assert compared == 6 * 16 + 17 + 16 + 9
