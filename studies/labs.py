"""Labs that a study runs: `thinktime lab` in a process of its own.

said = labs.run(folder / "lab.toml", folder / "out")
"""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from listening import COMMAND


def run(file: Path, output: Path) -> str:
    """Let a lab run to its end; what it complains of, on one line or several.

    Where the study is ended in the middle of it, so is the lab, which tidies up before.
    """
    process = subprocess.Popen(
        [*COMMAND, "lab", str(file), "-o", str(output)],
        # No terminal: what the lab prints is of no use here, unless it fails.
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        return process.communicate()[1].strip()
    except BaseException:
        # Not Ctrl-C, which who is started in the background ignores.
        process.send_signal(signal.SIGTERM)
        process.communicate()
        raise
