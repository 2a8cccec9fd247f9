"""README and docs are true: every command is run, every file read, every program run.

Each page has a folder with the files of README and of the page, the examples and a small access
log. Long commands of the page are made shorter here: the rules are in `shorter`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import command_copies
import docs_snippets
import jsonschema_lite
import pytest
import typer
from docs_snippets import ALL, PAGES, ROOT, Snippet, snippets
from recorded_pairs import write_log
from test_import_recordings import CURL, VISIT, har

import thinktime as tt
from thinktime import _core
from thinktime.cli import app
from thinktime.cli.group import COMMANDS
from thinktime.cli.lab import run_options
from thinktime.lab import file as lab_file
from thinktime.validity import agreement
from thinktime.validity.checks import CHECKS

THINKTIME = [sys.executable, "-c", "from thinktime.cli import main; main()"]
HOST = "://127.0.0.1:8080"
URL = f"http{HOST}"

NOT_RUN = {
    "make": "it builds and tests all of this; that its targets exist is tested",
    "cargo": "it compiles; the examples are built with the tests",
    ".venv/bin/python": "the studies have tests of their own; that the file exists is tested",
    "thinktime record": "it waits for Ctrl-C; test_record.py records visits with it",
    "thinktime mcp": "it waits for an assistant; test_assistants.py has one",
    "thinktime new": "it needs a page of HTML; test_new.py has a server with some",
    "thinktime run postgresql://shop@127.0.0.1/shop": "it needs a database, as tests have",
    "thinktime run --link": "it needs root; test_run_link.py has links, and servers behind them",
    "thinktime lab": "it needs root; test_lab.py has labs, and test_lab_file.py the example",
    "thinktime capacity --target": "minutes of probes; test_capacity.py searches a real server",
    "thinktime capacity --generator": "minutes of probes; test_capacity.py has its parts",
}
"""Commands that are only parsed, by their beginnings, and the reasons."""

RUN_ELSEWHERE = {
    "docs/many-machines.md": "test_many_machines.py runs them on the cluster that it has",
    "docs/principles.md": "test_guides.py walks it",
    "docs/retries.md": "test_guides.py walks it",
    "docs/tutorial.md": "test_tutorial.py walks it from beginning to end",
}
"""Pages whose commands build on one another or need a cluster, and the tests that run them."""

WALKED = (
    "docs/coming-from-jmeter.md", "docs/coming-from-locust.md", "docs/compare.md",
    "docs/explain.md", "docs/learn.md",
)  # fmt: skip
"""Pages whose commands test_guides.py runs and compares with the shown output; here only their
files are needed, by the commands that follow."""

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
    "docs/clusters.md 2": 'name = "part"\n'
    '[[cluster]]\nname = "web"\nservers = 7\ndispatch = "jsq"\n'
    '[[cluster.station]]\nname = "cpu"\ndemand = "exp(1ms)"\n{}',
    "docs/machines.md 3": 'name = "part"\n{}',
    "docs/machines.md 4": 'name = "part"\n{}',
    "docs/machines.md 6": 'name = "part"\n{}',
    "docs/running.md 3": OPEN + "{}",
    "docs/system-file.md 2": 'name = "part"\n{}[[station]]\nname = "web"\ndemand = "exp(1ms)"\n',
    "docs/system-file.md 3": 'name = "part"\n{}',
    "docs/system-file.md 4": 'name = "part"\n{}',
    "docs/system-file.md 5": 'name = "part"\n{}',
    "docs/system-file.md 6": 'name = "part"\n'
    '[[station]]\nname = "web"\ndemand = "exp(1ms)"\n'
    '[[station]]\nname = "application"\n[[station]]\nname = "database"\n{}',
    "docs/system-file.md 8": 'name = "part"\n[[station]]\nname = "web"\ndemand = "exp(1ms)"\n{}',
    "docs/tutorial.md 3": '{}demand = "exp(1ms)"\n',
    "docs/tutorial.md 4": OPEN + "{}",
    "docs/workload-file.md 6": OPEN + "{}",
    "docs/workload-file.md 9": OPEN + "{}",
}
"""Parts of a file, and the text that completes them."""


def made(folder: Path, page: str) -> Path:
    """The folder of a page, with its files."""
    (folder / "examples").symlink_to(ROOT / "examples")
    write_log(folder / "access.log")
    text = (folder / "access.log").read_text().replace('"x"', '"Mozilla/5.0 (X11) Firefox/120.0"')
    timed = [f"{line} rt=0.00{1 + n % 7}\n" for n, line in enumerate(text.splitlines())]
    (folder / "access.log").write_text("".join(timed))
    (folder / "users.csv").write_text("user,password\nann,secret\n")
    (folder / "azure.csv").write_text(
        "TIMESTAMP,ContextTokens,GeneratedTokens\n"
        "2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n"
    )
    (folder / "login.txt").write_text("user:passwd\n")
    (folder / "photo.png").write_bytes(b"\x89PNG")
    (folder / "visit.har").write_text(har(*VISIT))
    (folder / "commands.txt").write_text(CURL)
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text("<p>Welcome")
    for snippet in [*snippets("README.md"), *snippets(page)]:
        if snippet.file is not None:
            (folder / snippet.file).write_text(snippet.text)
    for policy in ("fcfs", "srpt"):  # as docs/statistics.md says
        text = (folder / "server.toml").read_text()
        (folder / f"{policy}.toml").write_text(text.replace('"ps"', f'"{policy}"'))
    return folder


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


def commands(page: str) -> list[list[str]]:
    """The commands of a page, with `thinktime` under its short name."""
    found = [words for snippet in snippets(page) for words in snippet.commands]
    return [
        ["thinktime", *words[1:]] if words[0] == ".venv/bin/thinktime" else words for words in found
    ]


def why_not_run(words: list[str]) -> str | None:
    for beginning, reason in NOT_RUN.items():
        program, *others = beginning.split()
        if words[0] == program and all(one in words for one in others):
            return reason
    return None


def parsed(words: list[str]) -> None:
    """Raise if the command line does not accept the words."""
    group = typer.main.get_command(app)
    with group.make_context("thinktime", words) as context:
        name, command, rest = group.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        if hasattr(command, "resolve_command"):
            with command.make_context(name, rest, parent=context) as inner:
                _, command, rest = command.resolve_command(
                    inner, [*inner._protected_args, *inner.args]
                )
        command.make_context(name, list(rest), parent=context).close()


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


def shorter(words: list[str], folder: Path) -> list[str]:
    """The command with less to do."""
    words = list(words)
    for option, less in (("--duration", "1s"), ("--warmup", "200ms"), ("--replications", "2")):
        if option in words:
            words[words.index(option) + 1] = less
    if words[1] in ("simulate", "sweep") and "--duration" not in words:
        words += ["--requests", "1000"]
    if words[1] == "run" and "--duration" not in words:
        words += ["--duration", "1s"]
    return [word if "*" not in word else str(next(folder.glob(word)).name) for word in words]


def run(words: list[str], folder: Path, statuses: tuple[int, ...] = (0,)) -> str:
    """Run a program, or `thinktime`, whose start would take longer than most commands."""
    if words[0] == "thinktime":
        done = command_copies.thinktime(words[1:], folder, timeout_s=300)
    else:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in statuses, (words, done.returncode, done.stderr)
    return done.stdout


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


def is_walked(page: str, words: list[str]) -> bool:
    """Whether test_guides.py runs a command whose files are not needed by any command here."""
    shown = [one for snippet in snippets(page) if "$ " in snippet.text for one in snippet.commands]
    return page in WALKED and words in shown and "-o" not in words


def begun_and_ended(words: list[str], command: str, folder: Path) -> None:
    """A server begins to listen, on a port of its own, and ends with Ctrl-C."""
    if "--listen" in words:
        place = words.index("--listen")
        del words[place : place + 2]
    words = [*words[: len(THINKTIME)], command, *words[len(THINKTIME) :], "--listen", "127.0.0.1:0"]
    server = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    first = server.stdout.readline()
    server.send_signal(2)
    server.communicate(timeout=300)
    assert re.match(r"(serving|switching) on http://127\.0\.0\.1:", first)


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
