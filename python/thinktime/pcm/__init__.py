"""Import of Palladio Component Models: files of Palladio become a workload and a system.

Source: Reussner et al. (eds.), Modeling and Simulating Software Architectures: The Palladio
Approach, MIT Press, 2016.

    from pathlib import Path
    from thinktime.pcm import Choices, import_model

    made = import_model(Path("model"), Choices(os="linux-2.6.22"))
    made.write(Path("imported"))
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from thinktime import InputError, _core
from thinktime.pcm import file_text
from thinktime.pcm.notes import Note
from thinktime.pcm.resources import check_os
from thinktime.pcm.translate import UNITS, Choices, translated

__all__ = ["SCRIPT", "UNITS", "Choices", "Imported", "Note", "import_model"]

SCRIPT = "session.luau"
"""The name of the program of a session, if users call several services."""


@dataclass(frozen=True)
class Imported:
    """The outcome of an import.

    Attributes:
        files: The text of each file, by its name.
        notes: Parts that are not carried, or approximated.
        made: How many machines, stations, services, pools and requests there are.
        time_unit_s: What one unit of the model's time is taken as, in seconds.
    """

    files: dict[str, str]
    notes: list[Note]
    made: dict[str, int]
    time_unit_s: float

    def write(self, folder: Path) -> list[Path]:
        """Write the files into a folder, which is made if it does not exist; return their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for name, text in self.files.items():
            path = folder / name
            path.write_text(text, encoding="utf-8")
            written.append(path)
        return written


def import_model(folder: Path, choices: Choices | None = None) -> Imported:
    """Translate the model whose files are in `folder`.

    The folder needs one `*.usagemodel` and one `*.allocation`; these two refer to the other files.

    Raises:
        InputError: A file is missing or broken, a reference leads nowhere, an expression makes no
            sense, or a choice names nothing known; the message names file and element.
    """
    choices = choices or Choices()
    if choices.os is not None:
        check_os(choices.os, list(_core.schedulers()))
    if choices.time_unit is not None and choices.time_unit not in UNITS:
        known = ", ".join(UNITS)
        raise InputError(f"the unit of time {choices.time_unit!r} is unknown; known are {known}")
    try:
        found = translated(folder, choices)
    except RecursionError:
        raise InputError(f"{folder}: the model is nested too deeply") from None
    program = file_text.program(found)
    files = {
        "workload.toml": file_text.workload(found, SCRIPT if program else ""),
        "system.toml": file_text.system(found),
    }
    if program:
        files[SCRIPT] = program
    used = [one for one in found.resources.made.values() if one.used]
    requests = [request for _, requests in found.scenarios for request in requests]
    made = {
        "machines": sum(one.kind == "machine" for one in used),
        "stations": sum(one.kind == "station" for one in used),
        "services": len(found.services),
        "pools": len(found.pools.made),
        "requests": sum(len(request.names) for request in requests),
    }
    return Imported(files, list(found.notes), made, found.unit_s)
