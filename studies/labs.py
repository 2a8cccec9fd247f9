"""Labs that a study runs: `thinktime lab` in a process of its own.

said = labs.run(folder / "lab.toml", folder / "out")
"""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from listening import COMMAND


def run(file: Path, output: Path) -> str:
    """Let a lab run to its end; its error messages, on one line or several.

    If the study is ended meanwhile, so is the lab, which tidies up before.
    """
    process = subprocess.Popen(
        [*COMMAND, "lab", str(file), "-o", str(output)],
        # No terminal: the lab's output is useless here, unless it fails.
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        return process.communicate()[1].strip()
    except BaseException:
        # Not Ctrl-C, which processes started in the background ignore.
        process.send_signal(signal.SIGTERM)
        process.communicate()
        raise
