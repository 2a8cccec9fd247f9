"""The line under a page's headline: what was done, against what, when, how long, by what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from thinktime import _core
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime._core import System

_FEW = 2
"""The most places that a line names."""


def joined(parts: Iterable[str], versions: Sequence[str] = (_core.__version__,)) -> str:
    """The parts that are known, and the versions that made the numbers."""
    made = f"thinktime {units.listed(list(dict.fromkeys(versions)))}"
    return " · ".join(filter(None, [*parts, made]))


def against(target: str | None, system: System | None) -> str:
    """The server without secrets, or the system's name; empty if neither is known."""
    if target:
        return _core.without_secrets(target)
    return "" if system is None else system.name


def places(names: Iterable[str]) -> str:
    """A few different places by name; empty if there are more."""
    different = list(dict.fromkeys(filter(None, names)))
    return units.listed(different) if 0 < len(different) <= _FEW else ""


def moments(started: Iterable[str]) -> str:
    """Moments of ISO 8601 to the minute, in UTC: the first, and the last if it is another.

    If one is no such moment, they are as they stand.
    """
    known = sorted(filter(None, started))
    ends = (known[0], known[-1]) if known else ()
    try:
        read = [units.moment(datetime.fromisoformat(one)) for one in ends]
    except ValueError:
        return " to ".join(dict.fromkeys(ends))
    return f"{' to '.join(dict.fromkeys(read))} UTC" if read else ""


def now() -> str:
    """The moment at hand, to the minute."""
    return f"{units.moment(datetime.now(UTC))} UTC"
