"""The parts of a lab, on disk before they are made, so that a crash hides nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from thinktime.lab import places

FILE = "journal.jsonl"


class Journal:
    """The journal of one lab: lines of JSON, the first of which names its owner."""

    def __init__(self, identity: str, name: str) -> None:
        """Make the lab's folder, for this user alone, and begin.

        It appears with its first line, so that it never looks like a remnant.
        """
        places.STATE.mkdir(mode=0o755, exist_ok=True)
        folder = places.STATE / f"{identity}.begun-{os.getpid()}"
        folder.mkdir(mode=0o700)
        self._file = open(folder / FILE, "w", encoding="utf-8")  # noqa: SIM115 - closed at the end
        self.note(lab=name, pid=os.getpid(), started=started(os.getpid()))
        folder.rename(places.folder(identity))

    def note(self, **what: Any) -> None:
        """Add a line."""
        self._file.write(json.dumps(what) + "\n")
        self._file.flush()

    def close(self) -> None:
        """End it; the file stays until everything that it names is gone."""
        self._file.close()


def read(identity: str) -> list[dict[str, Any]]:
    """The lines of a lab's journal; empty without a journal. An incomplete line is left out."""
    try:
        text = (places.folder(identity) / FILE).read_text("utf-8", "replace")
    except OSError:
        return []
    found = []
    for line in text.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict):
            found.append(said)
    return found


def is_running(identity: str) -> bool:
    """Whether the process that made a lab still exists."""
    first = next(iter(read(identity)), {})
    pid = first.get("pid")
    return isinstance(pid, int) and started(pid) == first.get("started") is not None


def started(pid: int) -> int | None:
    """The start of a process, in ticks since the machine's; None if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The name of the program, in brackets, may contain anything.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])
