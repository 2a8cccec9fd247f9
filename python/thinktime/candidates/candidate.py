"""A model of a server: a station, perhaps in a pool or behind a delay, or several in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thinktime._core import System
from thinktime.inputs.files import system_of
from thinktime.present import policies, units


@dataclass(frozen=True)
class Candidate:
    """A model of the server."""

    kind: str
    """A short name, such as `fcfs`, `ps`, `pool` or `row`."""

    policy: str
    servers: int
    demands: tuple[str, ...]
    """The law of demands at each station, in order."""

    places: int | None = None
    """The size of a pool around the station; None without a pool."""

    delay_s: float = 0.0
    """A delay that each request has at any load: half before the station, half after."""

    @property
    def words(self) -> str:
        """The model in words."""
        beside = f", behind a delay of {units.seconds(self.delay_s)}" if self.delay_s else ""
        if self.kind == "row":
            return f"two stations in a row, first come, first served{beside}"
        many = units.counted(self.servers, "server")
        inside = f"{many}, {policies.words(self.policy)}{beside}"
        return inside if self.places is None else f"a pool of {self.places} places around {inside}"

    @property
    def size(self) -> tuple[int, float]:
        """The number of servers, and of places around them: infinite without a pool."""
        return self.servers, float("inf") if self.places is None else self.places

    def system(self, *, policy: str | None = None, servers: int | None = None) -> System:
        """The model as a system, perhaps with another policy or number of servers per station."""
        many = servers or self.servers
        names = [f"station-{place}" for place, _ in enumerate(self.demands, start=1)]
        tables: dict[str, Any] = {
            "name": "explained",
            "station": [
                station(name, policy or self.policy, many, demand)
                for name, demand in zip(names, self.demands, strict=True)
            ],
        }
        steps = [{"use": name} for name in names]
        if self.places is not None:
            tables["pool"] = [{"name": "places", "size": self.places + many - self.servers}]
            steps = [{"acquire": "places"}, *steps, {"release": "places"}]
        if self.delay_s:
            half = {"delay": f"{self.delay_s / 2:.6g}s"}
            steps = [half, *steps, half]
        if len(steps) > len(names):
            tables["behaviour"] = [{"steps": steps}]
        return system_of(tables)


def station(
    name: str, policy: str, servers: int, demand: str | Mapping[str, str]
) -> dict[str, Any]:
    """A station as a system file has it; `demand` is one law, or one for each kind of request."""
    return {"name": name, "policy": policy, "servers": servers, "demand": demand}


def in_a_row(
    stations: Sequence[tuple[str, int]],
    demand: str | Mapping[str, str],
    delays: Mapping[str, str] | None = None,
) -> System:
    """Stations with these policies and servers, of the same law of demands, or laws by kind.

    Kinds in `delays` pass all of them, and take as long as its laws say.
    """
    named = {f"station-{place}": one for place, one in enumerate(stations, start=1)}
    behaviour: list[dict[str, Any]] = [
        {"request": kind, "steps": [{"delay": law}]} for kind, law in (delays or {}).items()
    ]
    if len(named) > 1:
        behaviour.append({"steps": [{"use": name} for name in named]})
    return system_of(
        {
            "name": "learned",
            "station": [station(name, *one, demand) for name, one in named.items()],
            **({"behaviour": behaviour} if behaviour else {}),
        }
    )
