"""What went wrong is named by request: on terminals, on the page, in summaries."""

from __future__ import annotations

import io

from rich.console import Console

import thinktime as tt
from thinktime import gate
from thinktime.report import failures, results_page, terminal
from thinktime.report import rows as rows_of
from thinktime.report.table import Table

WORKLOAD = """
name = "shop"
[arrivals]
model = "open"
rate = "20/s"
[[request]]
name = "hopeless"
get = "/a"
timeout = "1us"
[[request]]
name = "fine"
get = "/b"
[[request]]
name = "tries"
get = "/c"
timeout = "1us"
retry = { attempts = 3 }
"""
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "const(1ms)"\n'


def failed() -> tt.Result:
    return tt.simulate(tt.Workload(WORKLOAD), tt.System(SYSTEM), requests=300)


def cells(table: Table) -> dict[str, list[str]]:
    return {line.name: [cell.text for cell in line.cells] for line in table.lines}


def test_each_name_has_its_causes() -> None:
    result = failed()
    found = result.summary["by_request"]
    lines = {line.name: [cell.text for cell in line.cells] for line in failures.lines_of(result)}
    times = {name: str(found[name]["errors"]) for name in found}
    assert set(lines) == {"hopeless", "tries"}
    assert lines["hopeless"] == ["timeout", times["hopeless"], times["hopeless"], "100 %"]
    assert lines["tries"] == ["timeout", str(3 * int(times["tries"])), times["tries"], "100 %"]


def test_several_causes_of_one_name_are_ranked() -> None:
    result = failed()
    result.summary["by_request"] = {
        "fine": {"requests": 90, "errors": 10, "causes": {"reset": 3, "status 404": 7}}
    }
    texts = [[cell.text for cell in line.cells] for line in failures.lines_of(result)]
    assert texts == [["status 404", "7", "10", "10 %"], ["reset", "3", "", ""]]


def test_the_terminal_the_page_and_the_summary_have_them() -> None:
    result = failed()
    console = Console(file=io.StringIO(), width=80)
    console.print(terminal.render(rows_of([result])))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "hopeless" in shown
    assert "fine" not in shown
    tables = {table.name: table for table in results_page.page_of([result]).tables}
    assert set(cells(tables["failures"])) == {"hopeless", "tries"}
    assert "| hopeless | timeout |" in gate.of_result(result)[1]


def test_where_nothing_failed_nothing_is_said() -> None:
    well = tt.simulate(
        tt.Workload(WORKLOAD.replace('timeout = "1us"', "")), tt.System(SYSTEM), requests=300
    )
    assert failures.lines_of(well) == []
    assert "failures" not in {table.name for table in results_page.page_of([well]).tables}
