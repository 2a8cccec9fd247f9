"""Failures are listed by request: on terminals, on the page, in summaries."""

from __future__ import annotations

import io
import re
import threading
from http.server import BaseHTTPRequestHandler

import pytest
from real_runs import HttpServer
from rich.console import Console

import thinktime as tt
from thinktime.gate import markdown
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.report import failures, report_of, results_page, terminal
from thinktime.report import rows as rows_of

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
name = "faultless"
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
    assert "faultless" not in shown
    tables = {table.name: table for table in results_page.page_of([result]).details}
    assert set(cells(tables["failures"])) == {"hopeless", "tries"}
    assert "| hopeless | timeout |" in markdown.document([report_of(result)])


def test_the_page_of_one_result_says_whether_its_objectives_are_met() -> None:
    workload = tt.Workload(WORKLOAD + '[slo]\nerrors = "1%"\n')
    result = tt.simulate(workload, tt.System(SYSTEM), requests=300)
    found = results_page.page_of([result]).headline
    assert (found.state, found.mark) == ("not met", "✕")
    assert " of requests failed" in found.sentence
    assert "SLO" not in found.sentence  # the mark above it says so
    assert results_page.page_of([failed()]).headline.sentence != found.sentence


def test_where_nothing_failed_nothing_is_said() -> None:
    well = tt.simulate(
        tt.Workload(WORKLOAD.replace('timeout = "1us"', "")), tt.System(SYSTEM), requests=300
    )
    assert failures.lines_of(well) == []
    assert "failures" not in {table.name for table in results_page.page_of([well]).tables}


class Refuses(BaseHTTPRequestHandler):
    """Says why, in HTML with an escape sequence; every other time with another status."""

    protocol_version = "HTTP/1.1"
    number = 0

    def do_GET(self) -> None:
        Refuses.number += 1
        body = f"<h1>no {Refuses.number}</h1>\r\n\x1b[31m{'x' * 400}".encode()
        self.send_response(503 if self.path == "/busy" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


REFUSED = """
name = "refused"
[arrivals]
model = "closed"
clients = 1
[session]
think = "0s"
[[request]]
name = "gone"
get = "/gone"
[[request]]
name = "busy"
get = "/busy"
"""


@pytest.mark.parametrize("loops", [1, 2])
def test_the_first_answer_of_each_cause_is_shown_where_asked_for(loops: int) -> None:
    server = HttpServer(("127.0.0.1", 0), Refuses)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    given = REFUSED.replace("clients = 1", f"clients = {loops}")
    try:
        Refuses.number = 0
        result = tt.run(tt.Workload(given), url, requests=40, show_errors=True, loops=loops)
        plain = tt.run(tt.Workload(given), url, requests=40)
    finally:
        server.shutdown()
    found = result.summary["by_request"]
    for name, cause in (("gone", "status 404"), ("busy", "status 503")):
        ((of, text),) = found[name]["bodies"].items()
        assert of == cause
        assert re.fullmatch(r"<h1>no \d+</h1> \[31mx+…", text)
        assert len(text) == 161
        assert "bodies" not in plain.summary["by_request"][name]
    if loops == 1:
        begun = {of["bodies"][cause] for of in found.values() for cause in of["bodies"]}
        assert any(text.startswith("<h1>no 1</h1>") for text in begun)
    console = Console(file=io.StringIO(), width=80)
    console.print(terminal.render(rows_of([result])))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "the first answer (status 404): <h1>no" in " ".join(shown.split())
    assert "\x1b[31m" not in shown
    # Long words below a row take no room from its numbers.
    assert "what went wrong  attempts  requests failed  share failed" in shown
    assert max(map(len, shown.splitlines())) <= 80
    tables = {table.name: table for table in results_page.page_of([result]).details}
    notes = [line.note for line in tables["failures"].lines]
    assert sum(text.startswith("the first answer (status ") for text in notes) == 2
    assert "- gone: the first answer (status 404): &lt;h1&gt;no" in markdown.document(
        [report_of(result)]
    )


def test_a_turned_table_keeps_what_stands_below_its_rows() -> None:
    lines = [Line("gone", [Cell("1" * 30), Cell("2" * 30)], note="the first answer was empty")]
    table = Table("t", "", "request", ("one", "other"), [Group(lines)], spare=("other",))
    console = Console(file=io.StringIO(), width=60)
    console.print(terminal.FittedTable(table))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "2" * 30 in shown
    assert "gone: the first answer was empty" in shown
