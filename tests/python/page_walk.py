"""Pages whose commands build on one another, run from the first to the last in one folder.

The output that a page shows below a command must come, line by line and in this order, with the
same words. Simulations and imports are the same on any machine, so their figures must be near those
of the page; of measurements only the names must come.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from docs_snippets import ROOT, Snippet, snippets
from ports import free_port
from typer.testing import CliRunner

from thinktime.cli import app

NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
NEAR = 0.3
"""The tolerance of a figure against the page's. A p99 at a load of 0.9 differs this much if another
library has fitted a law a little differently."""

MEASURED = ("thinktime run",)


def shape(line: str) -> str:
    """A line without its figures, and with one blank for any number of them."""
    return " ".join(NUMBER.sub("#", line).split())


def figures(line: str) -> list[float]:
    """The numbers of a line."""
    return [float(found.replace(",", "")) for found in NUMBER.findall(line)]


def near(shown: str, found: str) -> bool:
    """Whether a line is one of the page; a line that ends in `...` is the beginning of one."""
    if shown.endswith("..."):
        begin = shape(shown.removesuffix("..."))
        return shape(found).startswith(begin)
    if shape(shown) != shape(found):
        return False
    pairs = zip(figures(shown), figures(found), strict=True)
    return all(abs(one - other) <= NEAR * max(one, other) for one, other in pairs)


def missing(shown: list[str], found: list[str], measured: bool) -> list[str]:
    """The first line of the page that does not come, if there is one.

    A table of a short run may have another layout: of measurements only the names must come.
    """
    if measured:
        words = {word for line in found for word in line.split()}
        return [line for line in shown if not set(line.replace("...", "").split()[:1]) <= words]
    left = iter(found)
    for line in shown:
        if line.strip() in ("...", ""):
            continue
        if not any(near(line, other) for other in left):
            return [line]
    return []


def sessions(snippet: Snippet) -> Iterator[tuple[str, list[str]]]:
    """Each command of a block, with the output on the page below it."""
    parts = re.split(r"^\$ ", snippet.text.replace("\\\n", " "), flags=re.MULTILINE)
    for part in parts[1:]:
        command, _, output = part.partition("\n")
        yield command, output.splitlines()


def clone(folder: Path) -> Path:
    """Make the folder a clone with only the files that pages ask for; returns it."""
    (folder / "tests").symlink_to(ROOT / "tests")
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, words in (
        ("python", '"$@"'),
        ("thinktime", "-c 'from thinktime.cli import main; main()' \"$@\""),
    ):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}\n')
        (programs / name).chmod(0o755)
    return folder


def walk(
    page: str,
    folder: Path,
    follow: Callable[[Path, Snippet], None],
    seconds: int,
    port: int | None = None,
    within: bool = True,
) -> int:
    """Run a page's commands in a clone; returns their number.

    Runs are made `seconds` long, and `follow` handles a block of a file without a name. A server is
    already at `port`, for a page that starts none. With `within` Thinktime's commands are run in
    this process, which has its libraries; servers and other commands never are.
    """
    port = port or free_port()
    environment = os.environ | {"COLUMNS": "80"}
    environment["PATH"] = f"{folder / '.venv' / 'bin'}:{environment['PATH']}"
    background = []
    commands = 0
    try:
        for snippet in snippets(page):
            if snippet.file is not None:
                (folder / snippet.file).write_text(snippet.text)
            elif snippet.language == "toml":
                follow(folder, snippet)
            for command, shown in sessions(snippet):
                commands += 1
                words = command.replace("127.0.0.1:8080", f"127.0.0.1:{port}")
                if command.startswith(MEASURED):
                    words = re.sub(r"--duration \d+s", f"--duration {seconds}s", words)
                if words.endswith("&"):
                    background.append(begun(words.removesuffix("&"), folder, environment))
                    continue
                status, output = done(words, folder, environment, within)
                assert "Traceback" not in output, (command, output)
                # 1 and 3: a short run may miss its objectives, or say too little.
                assert status in (0, 1, 3), (command, output)
                gone = missing(shown, output.splitlines(), command.startswith(MEASURED))
                assert gone == [], (command, output)
    finally:
        for server in background:
            server.send_signal(2)
            server.communicate(timeout=60)
    return commands


def done(words: str, folder: Path, environment: dict[str, str], within: bool) -> tuple[int, str]:
    """The status of a command that ends, and all that it prints."""
    if within and words.startswith("thinktime "):
        with contextlib.chdir(folder):
            found = CliRunner().invoke(app, shlex.split(words)[1:], env=environment)
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        return found.exit_code, found.output
    ended = subprocess.run(
        words, shell=True, cwd=folder, env=environment, timeout=300,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return ended.returncode, ended.stdout


def begun(command: str, folder: Path, environment: dict[str, str]) -> subprocess.Popen[str]:
    """A server that stays, once it listens."""
    server = subprocess.Popen(
        f"exec {command}", shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert server.stdout is not None
    assert server.stdout.readline().startswith("serving on ")
    return server
