"""Workloads that are known by name: files of the package, to use as they are or to change.

Each is a workload file whose first line says what it is, with a line `# Source: ...` and the
reason of every number. A file that is added to the folder `presets` is known by its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from thinktime._core import InputError, Population, Workload

__all__ = ["Preset", "describe", "load", "names", "text"]

_FOLDER = Path(__file__).parent / "presets"
_SOURCE = re.compile(r"^# Source: (.*\n(?:#   .*\n)*)", re.MULTILINE)
_MODELS = {"open": "open", "closed": "closed", "partly-open": "partly open"}


@dataclass(frozen=True)
class Preset:
    """A preset's entry in a list."""

    name: str
    about: str
    """Its description, in a sentence."""

    populations: list[str]
    """One entry for each population: its name, if it has one, its model, and its size."""

    requests: list[str]
    """The names of its kinds of request."""

    source: str
    """The publication of its numbers."""


def names() -> list[str]:
    """Return the names of all presets, sorted."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def text(name: str) -> str:
    """Return the workload file of a preset.

    Raises:
        InputError: There is no preset of this name; the message lists the existing ones.
    """
    if name not in names():
        near = _near(name)
        right = f"did you mean {near}?" if near else f"there are {', '.join(names())}"
        raise InputError(f"unknown preset `{name}`: {right}")
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def describe(name: str) -> Preset:
    """Return a preset's entry in a list.

    Raises:
        InputError: As in `text`.
    """
    whole = text(name)
    populations = Workload(whole).populations
    source = _SOURCE.search(whole)
    return Preset(
        name=name,
        about=whole.partition("\n")[0].removeprefix("# "),
        populations=[_words(one) for one in populations],
        requests=[kind for one in populations for kind in one.request_names],
        source=" ".join(source[1].replace("\n#", " ").split()) if source else "",
    )


def load(path: Path) -> Workload:
    """Load a workload file, or the preset of this name if there is no such file.

    Raises:
        InputError: The file cannot be read, or is not a workload. If its name is like that of a
            preset, the message says so.
    """
    name = str(path)
    if name in names() and not path.is_file():
        return Workload(text(name), f"preset {name}")
    near = "" if path.exists() else _near(path.stem)
    if near:
        raise InputError(f"{path}: there is no such file; did you mean the preset {near}?")
    return Workload.load(path)


def _near(name: str) -> str:
    """The presets with this beginning, or else the one with the most similar name; perhaps none."""
    name = name.lower()
    begin_so = [one for one in names() if one.startswith(f"{name}-")]
    found = begin_so or get_close_matches(name, names(), n=1, cutoff=0.7)
    return " or ".join(f"`{one}`" for one in found)


def _words(population: Population) -> str:
    clients, rate = population.clients, population.table["arrivals"]["rate"]
    many = str(rate or "") if clients is None else f"{clients} clients"
    return ", ".join(filter(None, (population.name, _MODELS[population.model], many)))
