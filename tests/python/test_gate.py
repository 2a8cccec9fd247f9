"""The files for pipelines: JUnit files and summaries in Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from file_limit import MESSAGE, file_limit
from real_runs import ended_well
from typer.testing import CliRunner

import thinktime as tt
from thinktime import gate
from thinktime.cli import app
from thinktime.gate import junit, markdown
from thinktime.present.report import Case, Report
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.report import report_of
from thinktime.report.objectives import unjudged_checks
from thinktime.results.verdict import Verdict

WORKLOAD = 'name = "shop"\n[arrivals]\nmodel = "open"\nrate = "80/s"\n'
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(5ms)"\n'
OBJECTIVES: list[dict[str, Any]] = [
    {"name": "p99", "of": None, "limit": 0.25, "value": 0.1, "interval": [0.09, 0.12],
     "verdict": "met", "words": "p99 is 100 ms (90.0 ms to 120 ms), wanted 250 ms or less"},
    {"name": "p99", "of": "item", "limit": 0.05, "value": 0.1, "interval": None,
     "verdict": "not met", "words": "it took long"},
    {"name": "errors", "of": None, "limit": 0.01, "value": 0.0104, "interval": [0.008, 0.013],
     "verdict": "cannot tell",
     "words": "1.04 % of requests failed (0.800 % to 1.30 %), wanted 1.00 % or less"},
    {"name": "checks", "of": "home answers", "limit": 0.99, "value": 1.0, "interval": [0.999, 1.0],
     "verdict": "met", "words": "100 % of checks passed, wanted 99.0 % or more"},
]  # fmt: skip
CHECKS = {
    "home answers": {"passed": 10, "failed": 0},
    "cart is full": {"passed": 9, "failed": 3},
    "all well": {"passed": 12, "failed": 0},
}
UNJUDGED = "it failed 3 of 12 times; it has no objective, so it decides nothing"
HOSTILE = "a|b\n## `<script>` ]]> @all \x00\x1b[31m \ud800 [x](http://evil) *i*"


@pytest.fixture
def result() -> tt.Result:
    made = tt.simulate(tt.Workload(WORKLOAD), tt.System(SYSTEM), requests=2000, label="the first")
    made.summary["objectives"] = OBJECTIVES
    return made


def read(text: str) -> dict[tuple[str, str], tuple[str, str]]:
    """As GitLab reads it: by `classname` and `name`, with the element and its text."""
    root = Xml.fromstring(text.encode())
    assert root.tag == "testsuites"
    found = {}
    for suite in root:
        assert suite.tag == "testsuite"
        tags = [part.tag for case in suite for part in case]
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.attrib[count]) == tags.count(tag)
        assert int(suite.attrib["tests"]) == len(suite)
        assert float(suite.attrib["time"]) == sum(float(case.attrib["time"]) for case in suite)
        for case in suite:
            key = (case.attrib["classname"], case.attrib["name"])
            assert key not in found, f"GitLab would leave out the second {key}"
            (part,) = list(case) or [None]
            found[key] = ("passed", "") if part is None else (part.tag, part.text or "")
    return found


# ---- JUnit


def test_each_objective_is_a_test_case(result: tt.Result) -> None:
    found = read(junit.document([report_of(result)]))
    assert {about for about, _ in found} == {"shop"}
    assert found["shop", "the result is to be trusted"] == ("passed", "")
    tag, words = found["shop", "p99"]
    assert tag == "system-out"
    assert words == "p99 is 100 ms (90.0 ms to 120 ms), wanted 250 ms or less"
    assert found["shop", "item: p99"] == ("failure", "it took long")
    tag, words = found["shop", "errors"]
    assert tag == "error"
    assert words == "1.04 % of requests failed (0.800 % to 1.30 %), wanted 1.00 % or less"
    assert "wanted 99.0 % or more" in found["shop", "check home answers"][1]
    assert len(found) == 5


@pytest.mark.parametrize(
    ("objectives", "cart"),
    [
        ([], UNJUDGED),
        (OBJECTIVES, UNJUDGED),
        ([OBJECTIVES[3] | {"of": None, "limit": 0.5}], "it failed 3 of 12 times"),
    ],
)
def test_each_check_is_a_test_case(
    result: tt.Result, objectives: list[dict[str, Any]], cart: str
) -> None:
    """A check without an objective fails nothing, because the exit status does not know it
    either."""
    result.summary |= {"objectives": objectives, "checks": CHECKS}
    reports = [report_of(result)]
    found, summary = read(junit.document(reports)), markdown.document(reports)
    assert found["shop", "check cart is full"] == ("system-out", cart)
    assert found["shop", "check all well"] == ("system-out", "it failed 0 of 12 times")
    assert ("shop", "check home answers") in found
    assert ("shop", "check home answers (2)") not in found
    assert f"- cart is full: {cart}" in summary


@pytest.mark.parametrize("lost", [False, True])
def test_a_failed_check_fails_the_file_where_it_fails_the_status(
    result: tt.Result, lost: bool
) -> None:
    """And nowhere else: pipelines that read either one get the same result."""
    objective = {"name": "checks", "of": "cart is full", "limit": 0.99, "value": 0.75,
                 "interval": [0.5, 0.9], "verdict": "not met", "words": "75 % passed"}  # fmt: skip
    result.summary |= {"objectives": [objective] if lost else [], "checks": CHECKS}
    tags = [tag for tag, _ in read(junit.document([report_of(result)])).values()]
    assert (tags.count("failure"), result.verdict.exit_status) == (int(lost), int(lost))


@pytest.mark.parametrize(("of", "told"), [("home answers", 1), ("cart is full", 0), (None, 0)])
def test_checks_of_which_no_objective_speaks_are_told(
    result: tt.Result, of: str | None, told: int
) -> None:
    result.summary |= {"checks": CHECKS, "objectives": [OBJECTIVES[3] | {"of": of, "limit": 0.5}]}
    words = unjudged_checks(result)
    assert len(words) == told
    assert all("`cart is full` failed 3 of 12 times, and no objective" in one for one in words)


def test_doubt_is_an_error(result: tt.Result) -> None:
    late = "the generator was late"
    reports = [report_of(result, Verdict("not to be trusted", late, late))]
    found, summary = read(junit.document(reports)), markdown.document(reports)
    assert found["shop", "the result is to be trusted"] == ("error", "the generator was late")
    assert "**Not to be trusted**: the generator was late" in summary


@pytest.mark.parametrize(
    ("kept", "title"),
    [
        ([1, 2], r"\*\*Not met\*\*: the SLO is not met: it took long"),
        ([0, 2], r"\*\*Cannot tell\*\*: it cannot be told .*: 1\.04 % of requests failed .*"),
        ([0], r"\*\*Met\*\*: the SLO is met: p99 is 100 ms .*"),
        ([], r"\*\*Done\*\*"),
    ],
)
def test_the_verdict_is_the_results(result: tt.Result, kept: list[int], title: str) -> None:
    result.summary["objectives"] = [OBJECTIVES[place] for place in kept]
    assert re.search(rf"^{title}$", markdown.document([report_of(result)]), re.M)


def test_names_that_are_the_same_are_told_apart() -> None:
    cases = [Case("p99", "passed", ""), Case("p99", "failed", "no"), Case("p99", "failed", "no")]
    reports = [
        Report("a", "shop", "", "", cases=cases, time_s=1.0),
        Report("b", "shop", "", "", cases=cases),
    ]
    assert len(read(junit.document(reports))) == 8


def test_hostile_names_stay_text() -> None:
    case = Case(HOSTILE, "failed", HOSTILE)
    text = junit.document([Report(HOSTILE, HOSTILE, "", "", cases=[case])])
    _, (_, name) = read(text)
    assert "<script>" in name
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]", text)


# ---- Markdown


def columns(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line))


def test_the_summary_has_verdict_objectives_and_figures(result: tt.Result) -> None:
    summary = markdown.document([report_of(result)])
    assert summary.startswith("## the first\n\n**")
    assert "| item: p99 | — |  | 50.0 ms or less | not met |" in summary
    assert re.search(r"^\| p99 \| 100 ms \| 90\.0 ms to 120 ms \| 250 ms or less \| met \|$",
                     summary, re.M)  # fmt: skip
    assert re.search(
        r"^\| mean \| \d+\.\d+ ms ± \d+\.\d+ ms \(.* %\) \| 8\.33 ms \|$", summary, re.M
    )
    assert "exact (M/M/1 FCFS)" in summary


def test_what_is_not_met_stands_at_the_top() -> None:
    slow = tt.Workload(WORKLOAD + '[slo]\np99 = "1ms"\n')
    made = tt.simulate(slow, tt.System(SYSTEM), requests=20_000)
    reports = [report_of(made)]
    assert re.search(
        r"^\*\*Not met\*\*: .*p99 is .* ms \(.*\), wanted 1\.00 ms or less",
        markdown.document(reports),
        re.M,
    )
    assert read(junit.document(reports))["shop", "p99"][0] == "failure"


def test_tables_stay_whole_whatever_names_are() -> None:
    table = Table("t", "T", HOSTILE, [HOSTILE], [Group([Line(HOSTILE, [Cell(HOSTILE, HOSTILE)])])])
    for made in (markdown.rows(table), markdown.rows(table.turned())):
        lines = made.split("\n")
        assert len(lines) == 3
        assert {columns(line) for line in lines} == {3}
        assert "<" not in made
        assert "](" not in made.replace("\\](", "")


def test_text_is_shown_as_it_is_and_calls_nobody() -> None:
    assert markdown.text("a & b <i> #1") == "a &amp; b &lt;i&gt; \\#1"
    assert markdown.text("@all") == "@&#8203;all"
    assert markdown.text("\x1b[31m\u202ea\x00") == "\ufffd\\[31m\ufffda\ufffd"


def test_a_comparison_tells_differences_with_intervals(tmp_path: Path) -> None:
    from thinktime.comparison import compare, judged, limit
    from thinktime.comparison.report import report_of as comparison_report

    fast, slow = (
        tt.simulate(tt.Workload(WORKLOAD), tt.System(SYSTEM.replace("5ms", demand)),
                    requests=20_000, output=tmp_path / demand, label=f"demand {demand}")
        for demand in ("2ms", "5ms")
    )  # fmt: skip
    found = compare(fast, slow)
    limits = [judged(limit(one), found) for one in ("mean > +5%", "mean < -5%")]
    reports = [comparison_report(found, limits)]
    cases, summary = read(junit.document(reports)), markdown.document(reports)
    assert cases["changes of shop", "mean > +5%"][0] == "failure"
    assert cases["changes of shop", "mean < -5%"][0] == "system-out"
    assert "## demand 5ms against demand 2ms" in summary
    assert re.search(r"^\*\*Worse: p99 rose by [\d.]+ to [\d.]+ ms \(", summary, re.M)
    assert re.search(r"^- mean &gt; \+5%: broken: the mean rose by", summary, re.M)
    assert re.search(
        r"^\| mean \| [^|]+ ms \| [^|]+ ms \| \+[^|]+ to \+[^|]+ ms \| \+", summary, re.M
    )


# ---- the commands


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    Path("w.toml").write_text(WORKLOAD)
    Path("slow.toml").write_text(WORKLOAD + '[slo]\np99 = "1ms"\n')
    Path("s.toml").write_text(SYSTEM)
    return tmp_path


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments)


TOLD = ("--junit", "junit.xml", "--markdown", "summary.md")


@pytest.mark.parametrize(("workload", "status"), [("w.toml", 0), ("slow.toml", 1)])
def test_the_files_agree_with_the_status(files: Path, workload: str, status: int) -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        commands = (
            ("simulate", workload, "s.toml", "--requests", "2000", "--quiet"),
            ("run", workload, "--target", server.url, "--duration", "1s", "--quiet"),
        )
        for command in commands:
            done = invoke(*command, *TOLD)
            assert ended_well(done.exit_code, done.output, status), done.output
            assert done.exit_code == status or command[0] == "run", done.output
            tags = [tag for tag, _ in read(Path("junit.xml").read_text()).values()]
            bad = {0: set(), 1: {"failure"}, 3: {"error"}}[done.exit_code]
            assert bad <= set(tags)
            assert done.exit_code != 0 or not {"failure", "error"} & set(tags)
            word = {0: "**Done**", 1: "**Not met**", 3: "**"}[done.exit_code]
            assert word in Path("summary.md").read_text()


def test_a_run_without_a_result_tells_why(files: Path) -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        url = server.url
    done = invoke("run", "w.toml", "--target", url, "--duration", "1s", *TOLD)
    assert done.exit_code == 3
    (((about, _), (_, why)),) = read(Path("junit.xml").read_text()).items()
    assert about == "shop"
    assert "refused" in why
    assert "refused" in Path("summary.md").read_text()


def test_doubt_is_said_once(result: tt.Result) -> None:
    why = "not to be trusted: every request failed"
    words = markdown.document([report_of(result, Verdict("not to be trusted", why, why))])
    assert "**Not to be trusted**: every request failed" in words


def test_the_summary_of_a_step_is_added_to(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("simulate", "w.toml", "s.toml", "--requests", "500", "--label")
    for label in ("one", "two"):
        invoke(*command, label, "--markdown", "summary.md")
    assert Path("summary.md").read_text().count("\n## ") == 0
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files / "summary.md"))
    invoke(*command, "three", "--markdown", "summary.md")
    titles = re.findall(r"^## (\w+)$", Path("summary.md").read_text(), re.M)
    assert titles == ["two", "three"]


@pytest.mark.parametrize(
    ("path", "words"), [("none/j.xml", "there is no folder none"), (".", "it is a folder")]
)
@pytest.mark.parametrize("option", ["--junit", "--markdown"])
def test_a_path_that_cannot_be_is_found_before_the_run(
    files: Path, option: str, path: str, words: str
) -> None:
    done = invoke("simulate", "w.toml", "s.toml", option, path, "-o", "out")
    assert done.exit_code == 2
    assert f"{option} {path}: {words}" in " ".join(done.output.split())
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("option", "kind"), [("--junit", "JUnit file"), ("--markdown", "summary of Thinktime")]
)
def test_a_file_of_another_kind_is_not_replaced(files: Path, option: str, kind: str) -> None:
    before = Path("w.toml").read_bytes()
    done = invoke("simulate", "w.toml", "s.toml", option, "w.toml")
    assert done.exit_code == 2
    assert f"{option} w.toml: is a file and no {kind}" in " ".join(done.output.split())
    assert Path("w.toml").read_bytes() == before


def test_an_older_file_is_not_taken_for_this_run(files: Path) -> None:
    Path("junit.xml").write_text("<testsuites/>")
    assert invoke("simulate", "none.toml", "s.toml", *TOLD).exit_code == 2
    assert not Path("junit.xml").exists()


def test_compare_writes_both(files: Path) -> None:
    for name, demand in (("before", "5ms"), ("after", "9ms")):
        Path("s.toml").write_text(SYSTEM.replace("5ms", demand))
        invoke("simulate", "w.toml", "s.toml", "--requests", "20000", "-o", name, "--label", name)
    done = invoke("compare", "before", "after", "--fail-if", "mean > +5%", *TOLD)
    assert done.exit_code == 1
    assert read(Path("junit.xml").read_text())["changes of shop", "mean > +5%"][0] == "failure"
    assert Path("summary.md").read_text().startswith("## after against before\n")


# ---- files that cannot be written


def test_a_file_that_cannot_be_written_names_itself_and_hides_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD + '[slo]\np99 = "1ms"\n')
    (tmp_path / "s.toml").write_text(SYSTEM)
    for option in ("--junit", "--markdown"):
        files = [str(tmp_path / "w.toml"), str(tmp_path / "s.toml"), option, "/dev/full"]
        done = CliRunner().invoke(app, ["simulate", *files, "--requests", "2000", "--quiet"])
        assert done.exit_code == 3
        assert "written: /dev/full: No space left" in done.stderr
        assert "; the SLO is not met: p99 is" in done.stderr


def test_a_folder_of_others_is_refused_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, _mode: path != tmp_path)
    with pytest.raises(tt.InputError, match="nothing can be written there"):
        gate.files(junit=tmp_path / "junit.xml")


def test_a_junit_file_is_there_whole_or_not_at_all(result: tt.Result, tmp_path: Path) -> None:
    files = gate.files(junit=tmp_path / "junit.xml")
    reports = [report_of(result)]
    with file_limit(10), pytest.raises(OSError, match=rf"{MESSAGE}: '.*junit\.xml'"):
        files.write(reports)
    assert list(tmp_path.iterdir()) == []
