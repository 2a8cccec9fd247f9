"""A `thinktime serve --burn` in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

COMMAND = [sys.executable, "-c", "from thinktime.cli import main; main()"]


@dataclass
class Server:
    """A server that runs, or ran."""

    url: str
    said: list[str] = field(default_factory=list)
    """What it printed; all of it once it has ended."""


@contextmanager
def burning(system: Path, cores: Sequence[int]) -> Iterator[Server]:
    """Serve until the end of the block."""
    options = ["--cores", ",".join(map(str, cores)), "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(
        [*COMMAND, "serve", str(system), "--burn", *options],
        stdout=subprocess.PIPE,
        text=True,
        # Ctrl-C is this process's to handle: the server is stopped after the run.
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
        if not first:
            raise SystemExit("the server did not start; its message is above")
        server = Server(first.split()[2].rstrip(";"), [first.strip()])
        yield server
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=30)
        server.said += rest.splitlines()
    finally:
        process.kill()
        process.wait()
