"""The study of ClubWeb: in small, the order of CAP and LARD and its flip; in full, its tables.

The part with real servers measures, ends its processes and continues. The test makes no statement
about the times of a late run.

Seeds are fixed, so the results are the same each time. Were they not, an order would be wrong with
a probability of at most 2.5 % each.
"""

from __future__ import annotations

import copy
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

STUDY = Path(__file__).resolve().parents[2] / "studies" / "clubweb"
NAMES = ("cells", "order", "plan", "tables", "real_tables", "real_run", "real")
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


@pytest.mark.study("clubweb")
def test_the_order_of_cap_and_lard_and_its_flip(
    done: dict[str, Any], modules: dict[str, ModuleType]
) -> None:
    for start, slower, faster in (
        ("cpu | {} | 20/s | 1 | 7", LARD, "cap"),
        ("static | {} | 10/s | 10000 | 7", "cap", LARD),
    ):
        runs = [done["cells"][start.format(one)]["p90_ms"] for one in (slower, faster)]
        assert modules["order"].ratio(*runs).low > 1


@pytest.mark.study("clubweb")
def test_what_is_done_is_kept(tmp_path: Path, done: dict[str, Any]) -> None:
    """A cell is kept as it is, and done again if it was shorter."""
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


def frame(text: str) -> list[tuple[str, int]]:
    """The parts of tables without figures: each line, or the first cell of a row."""
    lines = [line.split(" | ") if line.startswith("|") else [line] for line in text.splitlines()]
    return [(cells[0], len(cells)) for cells in lines]


def test_the_tables_have_every_cell_and_those_made_anew_are_the_same(
    modules: dict[str, ModuleType],
) -> None:
    """All of it takes half an hour: two cells are simulated as long as the study does."""
    cells, plan, tables = (modules[name] for name in ("cells", "plan", "tables"))
    wanted = plan.everything()
    anew = [cells.Cell("cpu", one, plan.RATES["cpu"][0], plan.ONE) for one in ("cap", LARD)]
    others = {"p90_ms": [1.0] * 10, "megabits": [1.0] * 10}
    found = {cell.key: others for cell in wanted}
    with cells.new_pool() as pool:
        found |= {cell.key: cells.study(cell, wanted[cell], pool) for cell in anew}
    made = tables.text(found)
    kept = (STUDY / "tables.md").read_text(encoding="utf-8")
    assert frame(made) == frame(kept)
    begin = f"| {anew[0].rate} | "
    row = next(line for line in made.splitlines() if line.startswith(begin))
    assert row == next(line for line in kept.splitlines() if line.startswith(begin))


def test_the_page_has_the_figures_of_the_tables() -> None:
    """Ratios by the number of URLs, and the policies of today, to two digits."""
    page = (STUDY.parents[1] / "docs" / "studies-clubweb.md").read_text(encoding="utf-8")
    tables = (STUDY / "tables.md").read_text(encoding="utf-8")
    compared = 0
    for name in ("CPU | ", "disk | ", "`jsq(2)` | 112", "`prequal` | 127", "`jsq(2)` | 136"):
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


def children(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [int(one) for thread in threads for one in (thread / "children").read_text().split()]


def real(to: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(STUDY / "real.py"), "--small", "--to", str(to), *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def runs(to: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((to / "real.json").read_text(encoding="utf-8"))["runs"]
    return found


@pytest.mark.study("clubweb")
@pytest.mark.serial
def test_real_runs_end_at_ctrl_c_and_go_on(tmp_path: Path) -> None:
    """Seven servers and the switch end with it; the run that was done stays."""
    with real(tmp_path) as study:
        try:
            assert study.stderr is not None
            for line in study.stderr:
                if line.startswith("1 of 2: "):
                    break
            started = children(study.pid)
            study.send_signal(signal.SIGINT)
            _, said = study.communicate(timeout=300)
        finally:
            study.kill()
    assert study.returncode == 130, said
    assert "interrupted: 1 runs are kept" in said
    assert len(started) >= 7
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]
    (kept,) = runs(tmp_path).items()
    kept[1]["late"] = None
    text = json.loads((tmp_path / "real.json").read_text(encoding="utf-8"))
    (tmp_path / "real.json").write_text(json.dumps(text | {"runs": dict([kept])}))

    with real(tmp_path, "--go-on") as study:
        _, said = study.communicate(timeout=300)
    assert study.returncode == 0, said
    cap, lard = (runs(tmp_path)[f"cpu | {one} | 15.21/s | 1 | 7 | seed 1"] for one in ("cap", LARD))
    assert cap == kept[1]
    for one in (cap, lard):
        assert one["real"]["megabits"] > 0
        assert one["late"] is None or "late" in one["late"] or "waited" in one["late"]
    # In the simulation of the same three seconds LARD's is 4.6 times as large.
    assert lard["simulated"]["p90_ms"] > 4 * cap["simulated"]["p90_ms"]
    if lard["late"] is None and lard["tries"] == cap["tries"] == 1:
        assert lard["real"]["p90_ms"] > 2 * cap["real"]["p90_ms"]


def test_the_real_tables_are_those_of_the_results(modules: dict[str, ModuleType]) -> None:
    results = json.loads((STUDY / "real.json").read_text(encoding="utf-8"))
    tables, length = modules["real_tables"], modules["real"].LENGTH
    wanted = {
        tables.name(cell, seed) for cell in tables.wanted() for seed in range(1, 1 + length.runs)
    }
    assert set(results["runs"]) == wanted
    assert results["length"] == tables.said(length)
    written = (STUDY / "real.md").read_text(encoding="utf-8")
    assert tables.text(results["runs"], length) == written


def test_the_page_has_the_ratios_of_the_real_tables() -> None:
    page = (STUDY.parents[1] / "docs" / "studies-clubweb.md").read_text(encoding="utf-8")
    shown = page.split("## By the real switch")[1].splitlines()
    rows = [line.strip("| ").split(" | ") for line in (STUDY / "real.md").read_text().splitlines()]
    for bound, mix in (("CPU", "CPU-bound"), ("disk", "Disk-bound")):
        for load in ("0.3", "0.6", "0.9"):
            ratios = [
                one.split(":")[0]
                for spread in ("1 URL", "10,000 URLs")
                for one in next(row for row in rows if row[:3] == [mix, spread, load])[8:]
            ]
            assert f"| {bound} | {load} | {' | '.join(ratios)} |" in shown


def test_real_runs_that_came_late_do_not_count(modules: dict[str, ModuleType]) -> None:
    tables, plan = modules["real_tables"], modules["plan"]
    length = modules["cells"].Length(1, 1, 3)

    def run(p90_ms: float, late: str | None = None) -> dict[str, Any]:
        figures = {"p90_ms": p90_ms, "megabits": 8.0}
        times = {"late_ms": 0.1, "waited_ms": 0.2, "tries": 1}
        return {"real": figures, "simulated": figures, "late": late, **times}

    cap, lard = (plan.at_load("cpu", one, 0.3, 1) for one in ("cap", LARD))
    found = {tables.name(cap, seed): run(100) for seed in (1, 2, 3)}
    found |= {tables.name(lard, seed): run(200) for seed in (1, 2)}
    found[tables.name(lard, 3)] = run(10_000, "the generator itself was late")
    text = tables.text(found, length)
    assert "0 were done again, and 1 came late all the same" in text
    line = next(one for one in text.splitlines() if one.startswith("| CPU-bound | 1 URL | 0.3"))
    assert "| 2 | 100 | 100 | 200 | 200 | 2 (2 to 2): CAP | 2 (2 to 2): CAP |" in line


def test_what_waited_for_a_core_came_late(modules: dict[str, ModuleType]) -> None:
    """A tenth of the response time is too long, as with the generator's own lateness."""
    result = SimpleNamespace(untrusted=None, summary={"response_time_s": {"mean": 0.010}})
    late = modules["real_run"]._late
    assert late(result, 0.0009) is None
    assert "waited for a core for 1.1 ms a request, 11 %" in late(result, 0.0011)
    result.untrusted = "the generator itself was late"
    assert late(result, 0.0) == "the generator itself was late"
