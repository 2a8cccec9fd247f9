"""README and docs are true: every command is run, every file read, every program run.

Each page has a folder with the files of README and of the page, the examples and a small access
log. Long commands of the page are made shorter: the rules are in `shorter` of page_commands.py.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import docs_snippets
import jsonschema_lite
import pytest
from docs_snippets import ALL, PAGES, ROOT, Snippet
from page_commands import (
    HOST,
    NOT_RUN,
    THINKTIME,
    URL,
    begun_and_ended,
    commands,
    is_walked,
    made,
    parsed,
    run,
    shorter,
    why_not_run,
)

import thinktime as tt
from thinktime import _core
from thinktime.cli.group import COMMANDS
from thinktime.cli.lab import run_options
from thinktime.lab import file as lab_file
from thinktime.validity import agreement
from thinktime.validity.checks import CHECKS

RUN_ELSEWHERE = {
    "docs/many-machines.md": "test_many_machines.py runs them on the cluster that it has",
    "docs/principles.md": "test_guides.py walks it",
    "docs/retries.md": "test_guides.py walks it",
    "docs/tutorial.md": "test_tutorial.py walks it from beginning to end",
}
"""Pages whose commands build on one another or need a cluster, and the tests that run them."""

OTHER_LANGUAGES = {
    "docs/ci.md 2": "how the action is used; test_pipelines.py checks its inputs, and runs it",
    "docs/ci.md 3": "how the template is included; test_pipelines.py does the same with it",
    "docs/learn.md 6": "nginx's log_format; test_finer_logs.py writes and reads such a log",
    "docs/learn.md 7": "Apache's LogFormat; the same test",
    "docs/live.md 1": "the address that it prints; test_live_page.py opens it",
    "docs/live.md 2": "a way to another machine, by a program of others",
    "docs/live.md 3": "a header field; test_traces.py looks at those that are sent",
    "docs/machines.md 7": "a diagram",
    "docs/switch.md 5": "a line of a log; test_switch.py looks at others",
    "docs/switch.md 6": "an answer to a probe; test_switch_probes.py has servers that give some",
    "docs/scripts.md 5": "a part of a script, which examples/browser.luau has as a whole",
}
"""Blocks that are neither a file nor a command nor a program, and their kinds."""

OPEN = 'name = "part"\n[arrivals]\nmodel = "open"\nrate = "1/s"\n'

COMPLETED = {
    "docs/clusters.md 3": 'name = "part"\n'
    '[[cluster]]\nname = "web"\nservers = 7\ndispatch = "jsq"\n'
    '[[cluster.station]]\nname = "cpu"\ndemand = "exp(1ms)"\n{}',
    "docs/machines.md 3": 'name = "part"\n{}',
    "docs/machines.md 4": 'name = "part"\n{}',
    "docs/machines.md 6": 'name = "part"\n{}',
    "docs/running.md 3": OPEN + "{}",
    "docs/system-file.md 2": 'name = "part"\n{}[[station]]\nname = "web"\ndemand = "exp(1ms)"\n',
    "docs/system-file.md 3": 'name = "part"\n{}',
    "docs/system-file.md 4": 'name = "part"\n{}',
    "docs/system-file.md 6": 'name = "part"\n{}',
    "docs/system-file.md 7": 'name = "part"\n'
    '[[station]]\nname = "web"\ndemand = "exp(1ms)"\n'
    '[[station]]\nname = "application"\n[[station]]\nname = "database"\n{}',
    "docs/system-file.md 10": 'name = "part"\n[[station]]\nname = "web"\ndemand = "exp(1ms)"\n{}',
    "docs/tutorial.md 3": '{}demand = "exp(1ms)"\n',
    "docs/tutorial.md 4": OPEN + "{}",
    "docs/workload-file.md 6": OPEN + "{}",
    "docs/workload-file.md 9": OPEN + "{}",
}
"""Parts of a file, and the text that completes them."""


# ---- files


@pytest.mark.parametrize("snippet", [s for s in ALL if s.language == "toml"], ids=lambda s: s.name)
def test_files_are_accepted(snippet: Snippet, tmp_path: Path) -> None:
    made(tmp_path, snippet.page)
    text = COMPLETED.get(snippet.name, "{}").replace("{}", snippet.text)
    if "[[tasks]]" in text:
        (tmp_path / "tasks.toml").write_text(text)
        export = next(words for words in commands(snippet.page) if "export" in words)
        run([*export, "--scenario", "tasks.toml"], tmp_path)
    elif "[[host]]" in text:
        assert lab_file.load(tmp_path / "lab.toml", run_options).runs
    elif "arrivals]" in text:
        if "buyer.luau" in text:
            (tmp_path / "buyer.luau").write_text((ROOT / "examples/buyer.luau").read_text())
        assert tt.Workload(text, str(tmp_path / "page.toml")).name
    else:
        assert tt.System(text, str(tmp_path / "page.toml")).name


def test_a_wrong_file_is_found_out(tmp_path: Path) -> None:
    made(tmp_path, "README.md")
    block = next(s for s in ALL if s.file == "server.toml")
    with pytest.raises(tt.InputError):
        tt.System(block.text.replace("policy", "polciy"), str(tmp_path / "page.toml"))


# ---- commands


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_commands_are_understood(page: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(made(tmp_path, page))
    makefile = (ROOT / "Makefile").read_text()
    for words in commands(page):
        if words[0] == "thinktime":
            parsed(words[1:])
        elif words[0] == "make":
            assert re.search(rf"^{words[1]}:", makefile, re.MULTILINE), words
        elif words[0] == ".venv/bin/python":
            assert (ROOT / words[1]).is_file(), words


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "shop.toml", "server.toml", "--laod", "0.8"],
        ["run", "shop.toml", URL],
        ["simulat", "shop.toml"],
        ["machine", "shwo", "linux-eevdf"],
    ],
)
def test_a_wrong_command_is_found_out(words: list[str]) -> None:
    with pytest.raises(Exception, match=r"No such|[Uu]nexpected|[Mm]issing"):
        parsed(words)


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    system = tt.System('name = "s"\n[[station]]\nname = "server"\npolicy = "ps"\ndemand = "1ms"\n')
    with tt.serve(system) as server:
        yield server.url


@pytest.mark.parametrize(
    "page", [page for page in PAGES if commands(page) and page not in RUN_ELSEWHERE]
)
def test_commands_do_what_the_page_says(page: str, tmp_path: Path, url: str) -> None:
    made(tmp_path, page)
    for words in commands(page):
        if why_not_run(words) is not None or is_walked(page, words):
            continue
        own = url.removeprefix("http")
        words = [word.replace(HOST, own) for word in shorter(words, tmp_path)]
        if words[1] in ("serve", "switch"):
            begun_and_ended([*THINKTIME, *words[2:]], words[1], tmp_path)
            continue
        # 1: the objectives are missed at the page's load or in a second. 3: on a busy machine the
        # generator is late, or so short a run says too little.
        run(words, tmp_path, statuses=(0, 1, 3))
        for option in ("-o", "--report"):
            if option in words:
                assert (tmp_path / words[words.index(option) + 1]).exists(), words


# ---- programs


PYTHON = [snippet for snippet in ALL if snippet.language == "python"]


@pytest.mark.parametrize("snippet", PYTHON, ids=lambda s: s.name)
def test_python_runs(snippet: Snippet, tmp_path: Path) -> None:
    made(tmp_path, snippet.page)
    tt.simulate(
        tmp_path / "shop.toml", tmp_path / "server.toml",
        requests=500, output=tmp_path / "results" / "shop",
    )  # fmt: skip
    code = re.sub(r'duration="\d+s"', 'duration="1s"', snippet.text)
    run([sys.executable, "-c", code], tmp_path)


def test_scripts_are_simulated(tmp_path: Path) -> None:
    made(tmp_path, "docs/scripts.md")
    assert (tmp_path / "buyer.luau").exists()
    system = tt.System.load(ROOT / "examples" / "shop-server.toml")
    result = tt.simulate(tmp_path / "buyers.toml", system, duration="20s")
    assert result.summary["requests"] > 100
    assert not result.summary["warnings"]
    database = tt.System('name = "s"\n[[station]]\nname = "db"\ndemand = "exp(10ms)"\n')
    result = tt.simulate(tmp_path / "buyers-of-a-database.toml", database, duration="20s")
    by_request = result.summary["by_request"]
    assert by_request["item"]["requests"] > 100 < by_request["order"]["requests"]
    assert not result.summary["warnings"]


# ---- nothing is left out


def test_every_block_is_looked_at() -> None:
    for snippet in ALL:
        known = (
            snippet.language in ("toml", "python")
            or snippet.commands
            or snippet.file is not None
            or snippet.name in OTHER_LANGUAGES
        )
        assert known, f"{snippet.name} is neither file nor command nor program: {snippet.text}"
    assert set(COMPLETED) | set(OTHER_LANGUAGES) <= {snippet.name for snippet in ALL}


INLINE = re.compile(r"`([^`\n]+)`")
CODE = "\n".join(
    [one.text for one in ALL]
    + [word for page in PAGES for word in INLINE.findall((ROOT / page).read_text("utf-8"))]
)
"""All code on hand-written pages."""


def keys(kind: str) -> list[str]:
    """The keys of a kind of file, tables and their own keys alike."""
    described = jsonschema_lite.property_descriptions(json.loads(tt.schema(kind)))
    return [name.split(".", 1)[1] for name in described]


NAMES = {
    "commands": lambda: [f"thinktime {name}" for name in COMMANDS],
    "keys of workload files": lambda: keys("workload"),
    "keys of system files": lambda: keys("system"),
    "fields of summary.json": lambda: keys("result"),
    "distributions": lambda: [name for name, _, _ in _core.distributions()],
    "dispatch policies": lambda: [name for name, *_ in _core.dispatch_policies()],
    "operating systems": _core.schedulers,
    "log formats": lambda: [name for name, _, _ in _core.log_formats()],
    "checks of validity": lambda: [*CHECKS, agreement.NAME],
}
"""The names that users can type, and the program's own lists of them."""


def is_shown(name: str) -> bool:
    """Whether some page has the name as code."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", CODE) is not None


@pytest.mark.parametrize("kind", NAMES)
def test_every_name_stands_on_a_page(kind: str) -> None:
    names = NAMES[kind]()
    assert names
    assert [name for name in names if not is_shown(name)] == []


def test_a_name_without_a_page_is_found_out() -> None:
    for name in ("thinktime simulat", "backoff_mi", "linux-eevd", "boundedpareto"):
        assert not is_shown(name)


def test_every_reason_is_needed() -> None:
    found = {why_not_run(words) for page in PAGES for words in commands(page)}
    assert set(NOT_RUN.values()) <= found


def test_blocks_are_found() -> None:
    text = (
        "# A\n```toml\n# a.toml\nx = 1\n```\n\n    thinktime run \\\n      a.toml  # so\n\n"
        "```\n$ make x\nout\n```\n"
    )
    one, two, three = docs_snippets.snippets("x.md", text)
    assert (one.file, one.text, one.commands) == ("a.toml", "# a.toml\nx = 1\n", [])
    assert two.commands == [["make", "x"]]
    assert three.commands == [["thinktime", "run", "a.toml"]]
    assert os.path.basename(docs_snippets.ROOT / "README.md") in PAGES
