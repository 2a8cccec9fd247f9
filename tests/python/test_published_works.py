"""The page of the five published works: it counts its rows, and all that it names is there."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest
from answer_server import Answer, Received, answer_server
from docs_snippets import snippets
from page_commands import made, parsed
from test_features import functions
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "seeds.md"
TEXT = PAGE.read_text("utf-8")
STATE = re.compile(r"works|(?:differs|not there): \S.*")
COMMAND = re.compile(r"`(thinktime [^`]+)`")
TEST = re.compile(r"`(test_\w+\.py)(?:::(\w+))?`")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def rows(text: str) -> list[list[list[str]]]:
    """The rows of each work: number, what it has, what shows it, and its state."""
    works = text.split("\n## ")[1:]
    return [
        [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in work.splitlines()
            if re.match(r"\| \d+ \|", line)
        ]
        for work in works
    ]


def counts(text: str) -> str:
    """The sentence that says how many rows are in which state."""
    found = Counter(row[3].partition(":")[0] for work in rows(text) for row in work)
    return (
        f"Of {found.total()} rows {found['works']} work, {found['differs']} differ and "
        f"{found['not there']} are not there."
    )


def test_the_first_lines_count_the_rows() -> None:
    assert counts(TEXT) in " ".join(TEXT.split("\n## ")[0].split())
    assert counts(TEXT.replace("| works |\n", "| differs: so |\n", 2)) not in TEXT


def test_there_are_five_works_and_each_row_has_a_state_with_its_reason() -> None:
    assert len(rows(TEXT)) == 5
    for work in rows(TEXT):
        assert [row[0] for row in work] == [str(at) for at in range(1, len(work) + 1)]
        for row in work:
            assert len(row) == 4, row
            assert row[2], row
            assert STATE.fullmatch(row[3]), row
        assert len({row[1] for row in work}) == len(work)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a reader who follows the eight principles."""
    return made(tmp_path_factory.mktemp("works"), "docs/principles.md")


def test_the_commands_are_understood(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    commands = COMMAND.findall(TEXT)
    assert len(commands) > 30
    for command in commands:
        words = shlex.split(command)
        try:
            parsed(words[1:])
        except Exception as error:
            pytest.fail(f"{command}: {error}")
        for word in words:
            if word.endswith(".toml") and "=" not in word and not word.startswith("-"):
                assert (folder / word).exists(), f"{command}: {word}"


def test_the_simulations_can_be_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short ones, with the least number of clients: files and options go together."""
    monkeypatch.chdir(folder)
    commands = {one for one in COMMAND.findall(TEXT) if one.split()[1] in ("simulate", "sweep")}
    assert len(commands) > 10
    for command in sorted(commands):
        words = re.sub(r" --(requests|duration|precision) \S+", "", command)
        words = re.sub(r"(clients=\d+)\S*", r"\1", words) + " --requests 50 --warmup 0s"
        done = CliRunner().invoke(app, shlex.split(words)[1:])
        assert done.exit_code in (0, 1, 3), f"{command}: {done.output}"


def test_the_tests_are_there() -> None:
    named = TEST.findall(TEXT)
    assert len(named) > 5
    for file, function in named:
        path = ROOT / "tests" / "python" / file
        assert path.is_file(), file
        assert not function or function in functions(path), f"{file} has no {function}"


def test_the_pages_and_studies_are_there() -> None:
    linked = set(LINK.findall(TEXT))
    assert len(linked) > 30
    for file in linked:
        assert (PAGE.parent / file).is_file(), file
    for study in ("nsdi06", "omission-and-collapse", "moss", "clubweb"):
        assert f"studies-{study}.md" in linked


# ---- rows that no other test holds


def test_one_cookie_serves_all_sessions(tmp_path: Path) -> None:
    """The first session gets the cookie; those that begin later bring it."""
    block = next(one for one in snippets("docs/eve.md") if one.file == "one-cookie.luau")
    (tmp_path / "one-cookie.luau").write_text(block.text)
    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 1\n'
        '[session]\nscript = "one-cookie.luau"\nthink = "const(1ms)"\n',
        str(tmp_path / "w.toml"),
    )

    def answer(request: Received) -> Answer:
        brought = "Cookie" in request.headers
        return Answer("ok", headers=[] if brought else [("Set-Cookie", "id=7; Path=/")])

    with answer_server(answer) as (url, seen):
        result = tt.run(workload, target=url, requests=5)
    assert [one.headers.get("Cookie") for one in seen] == [None, *["id=7"] * 4]
    assert result.summary["checks"]["session completed"] == {"passed": 5, "failed": 0}


@pytest.mark.parametrize(("timeout", "word"), [("30s", "passed"), ("1ns", "failed")])
def test_completed_sessions_are_counted(timeout: str, word: str) -> None:
    """The example of Eve's figure 6: a session ends in one of two ways, or is under way."""
    workload = tt.Workload.load(ROOT / "examples" / "eve-clients.toml")
    workload = workload.with_value("request.item.timeout", timeout)
    system = tt.System('name = "s"\n[[station]]\nname = "a"\ndemand = "const(1ms)"\n')
    summary = tt.simulate(workload, system, duration=60, warmup=0).summary
    found = summary["checks"]["session completed"]
    assert 0.8 * summary["sessions"] < found[word] <= summary["sessions"]
    assert sum(found.values()) == found[word]
