"""What was found of one thing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One thing that a machine allows or not."""

    name: str
    """As in `descriptors`."""

    found: str
    """What is, in words with units."""

    enough: bool
    """Whether it limits nothing that Thinktime commonly does."""

    allows: str
    """What it is enough for, or what it spoils."""

    change: str = ""
    """The command or the setting that changes it; empty where it is enough or cannot be changed."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        return asdict(self)
