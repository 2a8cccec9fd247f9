"""Names for requests, machines, stations and pools, each a different one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Names:
    """Names given so far."""

    given: set[str] = field(default_factory=set)

    def unique(self, name: str) -> str:
        """The name, with a number behind it if it is taken."""
        found, number = name, 1
        while found in self.given:
            number += 1
            found = f"{name}-{number}"
        self.given.add(found)
        return found


def plain(name: str) -> str:
    """A name that is valid in a target: letters, digits, dots, dashes and underscores."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "request"
