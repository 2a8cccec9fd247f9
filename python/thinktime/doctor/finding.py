"""A probe's finding."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One limit or property of a machine."""

    name: str
    """As in `descriptors`."""

    found: str
    """The present state, in words with units."""

    enough: bool
    """Whether it allows all common uses of Thinktime."""

    allows: str
    """The uses that it allows, or the harm that it does."""

    change: str = ""
    """The command or the setting that changes it; empty if it is enough or cannot be changed."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        return asdict(self)
