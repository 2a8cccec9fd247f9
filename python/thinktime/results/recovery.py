"""Results of runs that were killed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from thinktime import _core
from thinktime.inputs.arguments import checked


@dataclass(frozen=True)
class Recovered:
    """The remains of a run that was killed."""

    source: Path
    """The directory that it wrote to."""

    path: Path | None
    """The result that was made of it; None if nothing had been measured yet."""


@checked
def recover(path: str | Path) -> list[Recovered]:
    """Make ordinary results from the remains of runs that were killed while they wrote to `path`.

    A result goes to `path` itself, or to `path.recovered` if an older result is at `path`.

    Raises:
        InputError: A file is damaged, or cannot be read or written.
    """
    found = _core.recover(Path(path))
    return [Recovered(Path(one), None if to is None else Path(to)) for one, to in found]


def leftovers(path: str | Path) -> list[Path]:
    """The directories that killed runs left behind for the result at `path`."""
    return [Path(one) for one in _core.leftovers(Path(path))]
