"""Commands that are watched: begun, their live page found, ended."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

_MAIN = "from thinktime.cli import main; main()"
COMMAND = [sys.executable, "-c", _MAIN]
WORKLOAD = """
name = "shop"
[arrivals]
model = "open"
rate = "200/s"
[[request]]
name = "item"
"""
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(2ms)"\n'
_ADDRESS = re.compile(r"live: (http://\S+)")


class Watched:
    """A command in a process of its own; a context manager.

    Lines of Python may run before it, as those that shorten a wait.
    """

    def __init__(self, arguments: list[str], cwd: Path, before: str = "") -> None:
        self.url = ""
        self.said = ""
        self._found = threading.Event()
        self.process = subprocess.Popen(
            [*COMMAND[:2], before + _MAIN, *arguments], cwd=cwd, text=True,
            env=os.environ | {"COLUMNS": "100"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._threads = [threading.Thread(target=one) for one in (self._read, self._drain)]
        for one in self._threads:
            one.start()

    def __enter__(self) -> Watched:
        assert self._found.wait(120), self.said
        assert self.url, self.said
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for one in self._threads:
            one.join()

    def ended(self) -> int:
        """The exit status."""
        status = self.process.wait(300)
        for one in self._threads:
            one.join()
        return status

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line
            if found := _ADDRESS.match(line):
                self.url = found[1]
                self._found.set()
        self._found.set()

    def _drain(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.read()
