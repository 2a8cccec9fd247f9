"""Injection profiles of Gatling as arrivals.

Source: https://docs.gatling.io/concepts/injection/
"""

from __future__ import annotations

from typing import Any

from thinktime.importing.gatling.syntax import Call
from thinktime.importing.gatling.values import Names
from thinktime.importing.notes import Notes
from thinktime.importing.scenarios import Arrivals, Level, by_levels

STAIRS_MAX = 100
BURST_S = 1.0
"""Users at once are taken as arrivals within this time."""


_BEFORE_3 = {"over": "during"}
"""Names of versions before 3, with those of today."""

_KINDS = ("atOnceUsers", "rampUsers", "stressPeakUsers", "heavisideUsers", "constantUsersPerSec",
          "rampUsersPerSec", "constantConcurrentUsers", "rampConcurrentUsers",
          "incrementUsersPerSec", "incrementConcurrentUsers")  # fmt: skip


def arrivals(steps: list[Any], name: str, names: Names, notes: Notes) -> Arrivals:
    """The users of a scenario: by rates, or a number of them at a time."""
    place = f"scenario {name}"
    reader = _Reader(names, notes)
    for step in steps:
        reader.take(step, place)
    if reader.clients:
        if len(reader.clients) > 1 or reader.ramps:
            text = (
                f"all of the {max(reader.clients)} clients are there at once: the number is fixed"
            )
            notes.add(place, text)
        why = "Closed: a user is replaced when it has gone through the scenario."
        keys = {"model": "closed", "clients": max(reader.clients)}
        return Arrivals(keys, why, reader.lasts_s)
    if not any(max(level[1:]) > 0 for level in reader.levels):
        notes.add(place, "its users are not known")
    why = (
        "Users are injected at these rates, whatever the answers, so the model is open, or partly "
        "open if a user sends several requests."
    )
    process = "poisson" if reader.is_random else "even"
    return by_levels(reader.levels, process, why, place, notes)


class _Reader:
    """Reads the steps of an injection profile."""

    def __init__(self, names: Names, notes: Notes) -> None:
        self.names, self.notes = names, notes
        self.levels: list[Level] = []
        self.clients: list[int] = []
        self.lasts_s = 0.0
        self.ramps = self.is_random = False

    def take(self, step: Any, place: str) -> None:
        """Take one step: its first call says what it is, the others how much."""
        chain = step.chain() if isinstance(step, Call) else []
        if not chain:
            self.notes.add(place, "a step of its injection is left out: it is no call")
            return
        first = chain[0]
        function = self.names.function(first.name)
        if function is not None:
            with self.names.following(function, first) as known:
                if known:
                    self.take(function.body, place)
            return
        place = f"line {first.line}"
        said = {_BEFORE_3.get(one.name, one.name): one.given for one in chain}
        self.is_random |= "randomized" in said
        count = self._number(said, first.name)
        lasts = self._time(said, "during")
        made = self._made(first.name, count, lasts, said)
        if made is None or (count is None and first.name != "nothingFor"):
            is_open = count is None and first.name in _KINDS
            why = "its users are known only in a run" if is_open else "it is not known"
            self.notes.add(place, f"`{first.name}` of its injection is left out: {why}")
        elif first.name in ("atOnceUsers", "stressPeakUsers", "heavisideUsers"):
            text = f"`{first.name}` is taken as an even rate over {made[0][0]:.6g} s"
            self.notes.add(place, text)
        self.levels += made or []

    def _number(self, said: dict[str, list[Any]], name: str) -> float | None:
        given = said.get(name)
        return self.names.number(given[0]) if given else None

    def _time(self, said: dict[str, list[Any]], name: str) -> float:
        given = said.get(name)
        return (self.names.times_s(given)[0] if given else None) or 0.0

    def _made(
        self, kind: str, count: float | None, lasts: float, said: dict[str, list[Any]]
    ) -> list[Level] | None:
        """The levels of a step; None if it is not known."""
        many = count or 0.0
        until = self._number(said, "to") or 0.0
        match kind:
            case "nothingFor":
                return [(self._time(said, kind), 0.0, 0.0)]
            case "atOnceUsers":
                return [(BURST_S, many / BURST_S, many / BURST_S)]
            case "rampUsers" | "stressPeakUsers" | "heavisideUsers" if lasts > 0:
                return [(lasts, many / lasts, many / lasts)]
            case "constantUsersPerSec" if lasts > 0:
                return [(lasts, many, many)]
            case "rampUsersPerSec" if lasts > 0:
                return [(lasts, many, until)]
            case "incrementUsersPerSec":
                return self._stairs(many, said)
            case "constantConcurrentUsers" | "rampConcurrentUsers" if count is not None:
                self.clients.append(max(int(many), int(until), 1))
                self.ramps |= kind.startswith("ramp")
                self.lasts_s += lasts
                return []
            case "incrementConcurrentUsers" if count is not None:
                stairs = self._stairs(many, said)
                self.clients.append(max((int(level[2]) for level in stairs), default=1) or 1)
                self.ramps = True
                self.lasts_s += sum(level[0] for level in stairs)
                return []
        return None

    def _stairs(self, many: float, said: dict[str, list[Any]]) -> list[Level]:
        """Levels that rise by the same number, perhaps with ramps: also before them, from 0."""
        times = min(int(self._number(said, "times") or 1), STAIRS_MAX)
        lasts, ramp = (self._time(said, key) for key in ("eachLevelLasting",
                                                        "separatedByRampsLasting"))  # fmt: skip
        begin = self._number(said, "startingFrom") or 0.0
        is_climbed = ramp > 0 and begin == 0
        found: list[Level] = []
        for at in range(times):
            level = begin + (at + is_climbed) * many
            if ramp > 0 and (found or is_climbed):
                found.append((ramp, found[-1][2] if found else begin, level))
            found.append((lasts, level, level))
        return found
