"""A server that nobody here wrote: llama.cpp's, in a process of its own until a block ends."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSIONS = "xllamacpp==2026.10.11549 gguf==0.19.0 numpy"
NEEDED = f"""{{python}} has no llama.cpp. Install it, best in an environment of its own:
    python3 -m venv llama && llama/bin/pip install {VERSIONS}
    .venv/bin/python studies/token-servers/real.py --python llama/bin/python"""


@dataclass(frozen=True)
class Server:
    """A server of tokens that listens."""

    url: str
    what: str
    """Its name and version."""

    pid: int | None = None
    """Its process; None if somebody else started it."""

    def waited_s(self) -> float:
        """The time so far that the thread which computes was ready to run, and had no core."""
        if self.pid is None:
            return 0.0
        threads = Path(f"/proc/{self.pid}/task").iterdir()
        ran_and_waited = [(one / "schedstat").read_text().split()[:2] for one in threads]
        return max((int(ran), int(waited)) for ran, waited in ran_and_waited)[1] / 1e9


@contextmanager
def llama(python: str, places: int) -> Iterator[Server]:
    """Start llama.cpp's server, whose batch has this number of places.

    Raises:
        SystemExit: It is not installed, with the command that does it; or it does not start.
    """
    imports = [python, "-c", "import gguf, xllamacpp"]
    if shutil.which(python) is None or subprocess.run(imports, capture_output=True).returncode:
        raise SystemExit(NEEDED.format(python=python))
    command = [python, str(HERE / "llama_server.py"), str(places)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url, _, what = process.stdout.readline().strip().partition(" ")
            if not url:
                raise SystemExit("llama.cpp's server did not start; its message is above")
            yield Server(url, what, process.pid)
        finally:
            process.kill()
