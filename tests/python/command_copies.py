"""The command `thinktime` in a process of its own that need not import everything anew.

One process imports the commands' libraries, and forks for each command that it receives. The new
process has the given folder, environment, limits and outputs, and ends like a command that a shell
started. So the start-up is not part of each test that needs one.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

IMPORTED = (
    "jinja2", "polars", "rich.progress", "rich.table", "scipy.optimize", "scipy.sparse.csgraph",
    "scipy.special", "scipy.stats", "thinktime.cli",
)  # fmt: skip
"""Libraries that commands import when they need them, which takes longer than most commands here;
and so do the parts of the package itself."""


def thinktime(
    words: Sequence[str],
    folder: Path,
    timeout_s: float,
    limits: Mapping[int, int] | None = None,
    constants: Mapping[str, Any] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run it with these words in a folder; `limits` are those of `resource.setrlimit`, and
    `constants` are values for constants of modules, as in `thinktime.cli.watch:EVERY_S`. A command
    that makes a lab waits until no other test has one.

    Raises TimeoutError if it takes longer than it may.
    """
    from labs import alone  # the process that becomes two needs no tests

    makes_lab = words[:1] in (["lab"], ["tour"]) or "--link" in words
    with tempfile.TemporaryDirectory() as place, alone() if makes_lab else nullcontext():
        outputs = [Path(place) / name for name in ("out", "errors")]
        status = _told(
            {
                "words": list(words),
                "folder": str(folder),
                "environment": dict(os.environ),
                "outputs": [str(one) for one in outputs],
                "limits": list((limits or {}).items()),
                "constants": dict(constants or {}),
                "timeout_s": timeout_s,
            }
        )
        out, errors = (one.read_text("utf-8", "replace") for one in outputs)
    if status is None:
        raise TimeoutError(f"{words} went on for {timeout_s} s: {errors[-2000:]}")
    return subprocess.CompletedProcess(list(words), status, out, errors)


@cache
def _server() -> subprocess.Popen[str]:
    """The process that forks; it ends with this one, whose end it reads."""
    return subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # a process of one thread can fork
    )  # fmt: skip


def _told(command: dict[str, Any]) -> int | None:
    """The exit status of a command; none if it did not end in time."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(command) + "\n")
    server.stdin.flush()
    status: int | None = json.loads(server.stdout.readline())
    return status


# ---- in the process that becomes two


def _import() -> None:
    """Import what commands would, but for the server of assistants: no command here needs that."""
    for name in IMPORTED:
        import_module(name)
    package = import_module("thinktime")
    for one in pkgutil.iter_modules(package.__path__, "thinktime."):
        if one.ispkg and one.name != "thinktime.assistants":
            place = import_module(one.name).__path__
            for part in pkgutil.walk_packages(place, f"{one.name}."):
                if not part.name.endswith(".__main__"):
                    import_module(part.name)


def _serve() -> None:
    _import()
    gc.collect()
    gc.freeze()  # what was imported stays, and is not looked through, and copied, by each command
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        command = json.loads(line)
        process = os.fork()
        if process == 0:
            return _become(command)
        answers.write(json.dumps(_ended(process, command["timeout_s"])) + "\n")
        answers.flush()
    return None


def _ended(process: int, timeout_s: float) -> int | None:
    """The status of a process as in `subprocess`; none if it had to be killed."""
    watched = os.pidfd_open(process)
    try:
        late = not select.select([watched], [], [], timeout_s)[0]
        if late:
            os.kill(process, signal.SIGKILL)
    finally:
        os.close(watched)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return None if late else status


def _become(command: dict[str, Any]) -> None:
    """Be the command, to its end."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in enumerate(command["outputs"], 1):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
    os.chdir(command["folder"])
    os.environ.clear()
    os.environ.update(command["environment"])
    for limit, value in command["limits"]:
        resource.setrlimit(limit, (value, value))
    for place, value in command["constants"].items():
        module, _, name = place.partition(":")
        setattr(import_module(module), name, tuple(value) if isinstance(value, list) else value)
    sys.argv = ["thinktime", *command["words"]]
    from thinktime.cli import main

    try:
        main()
    except SystemExit as ended:
        if not isinstance(ended.code, int):
            raise
        _end(ended.code)


def _end(status: int) -> NoReturn:
    """End as the interpreter does, without taking all modules apart, which takes half a second."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for one in (sys.stdout, sys.stderr):
        one.flush()
    os._exit(status)


if __name__ == "__main__":
    _serve()
