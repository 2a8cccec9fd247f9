"""Redirects that tools follow, as the one number that the sessions of a workload have."""

from __future__ import annotations

from dataclasses import dataclass, field

from thinktime.importing.draft import Population, Request
from thinktime.importing.notes import Notes

REDIRECTS_MAX = 50
"""The largest number that a workload file takes."""


@dataclass
class Redirects:
    """How many redirects each request follows at most."""

    of: dict[Request, int] = field(default_factory=dict)

    def add(self, request: Request, most: int) -> None:
        """Note the number for a request: -1 for any number."""
        self.of[request] = REDIRECTS_MAX if most < 0 else min(most, REDIRECTS_MAX)

    def write(self, population: Population, notes: Notes) -> None:
        """Give the sessions the largest number, and note the requests with another."""
        requests = [one for one in population.requests if one in self.of]
        most = max((self.of[one] for one in requests), default=0)
        if most:
            population.session["redirects"] = most
        for one in requests:
            if self.of[one] != most:
                own = f"at most {self.of[one]}" if self.of[one] else "no"
                notes.add(one.place, f"follows {own} redirects; all requests follow {most} here")
