"""The commands of pages: parsed, made shorter, and run in a folder with the files of their page."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import command_copies
import typer
from docs_snippets import ROOT, snippets
from recorded_pairs import write_log
from test_import_conversations import conversation
from test_import_recordings import CURL, VISIT, har

from thinktime.cli import app

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

WALKED = (
    "docs/coming-from-jmeter.md", "docs/coming-from-locust.md", "docs/compare.md",
    "docs/explain.md", "docs/learn.md",
)  # fmt: skip
"""Pages whose commands test_guides.py runs and compares with the shown output; here only their
files are needed, by the commands that follow."""


SHORT = {"tour": {"thinktime.tour:RUN_S": 6.0, "thinktime.tour:LONG_REQUESTS": 2000}}
"""Constants of commands whose length is no option of theirs: with these they have less to do."""


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
    (folder / "ShareGPT.json").write_text(json.dumps([conversation("a", "b")]))
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text("<p>Welcome")
    for snippet in [*snippets("README.md"), *snippets(page)]:
        if snippet.file is not None:
            (folder / snippet.file).write_text(snippet.text)
    for policy in ("fcfs", "srpt"):  # as docs/statistics.md says
        text = (folder / "server.toml").read_text()
        (folder / f"{policy}.toml").write_text(text.replace('"ps"', f'"{policy}"'))
    return folder


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


def shorter(words: list[str], folder: Path) -> list[str]:
    """The command with less to do."""
    words = list(words)
    for option, less in (("--duration", "500ms"), ("--warmup", "100ms"), ("--replications", "2")):
        if option in words:
            words[words.index(option) + 1] = less
    if words[1] in ("simulate", "sweep") and "--duration" not in words:
        words += ["--requests", "1000"]
    if words[1] == "run" and "--duration" not in words:
        words += ["--duration", "500ms"]
    return [word if "*" not in word else str(next(folder.glob(word)).name) for word in words]


def run(words: list[str], folder: Path, statuses: tuple[int, ...] = (0,)) -> str:
    """Run a program, or `thinktime`, whose start would take longer than most commands."""
    if words[0] == "thinktime":
        constants = SHORT.get(words[1])
        done = command_copies.thinktime(words[1:], folder, timeout_s=300, constants=constants)
    else:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in statuses, (words, done.returncode, done.stderr)
    return done.stdout


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
