"""Whether this user may limit CPU time; root may, and so these tests run in `.ci/run`."""

from __future__ import annotations

import os
import re
from pathlib import Path

import thinktime as tt

SYSTEM = 'name = "s"\n[[station]]\nname = "cpu"\ndemand = "1ms"\n'


def groups() -> list[Path]:
    """The control groups of this process's servers."""
    return list(Path("/sys/fs/cgroup").rglob(f"thinktime-{os.getpid()}-*"))


def refusal() -> str | None:
    """Why no server can have a limit here; None if it can."""
    try:
        with tt.serve(tt.System(SYSTEM), burn=True, cpu_limit=1):
            made = len(groups())
    except tt.RunError as error:
        if re.search("cannot be limited.*(cannot be written|are mounted)", str(error)):
            return str(error)
        raise
    assert (made, groups()) == (1, [])
    return None
