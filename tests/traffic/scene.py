"""Scenes: populations that write into one log, and the log that they make."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from traffic.servers import Server
from traffic.truth import Truth
from traffic.world import World
from traffic.writing import EPOCH, FORMATS, lines

EVERYWHERE = "*"
"""The key of the server of all hosts that have none of their own."""


class Population(Protocol):
    """Anything that sends requests."""

    name: str

    def facts(self) -> dict[str, Any]:
        """The truth about it."""

    def begin(self, world: World, seed: str) -> None:
        """Start its processes."""


@dataclass
class Scene:
    """The contents of a log."""

    populations: list[Any]
    span_s: float
    servers: dict[str, Server] = field(default_factory=lambda: {EVERYWHERE: Server()})
    format: str = "json"
    lost: list[tuple[float, float]] = field(default_factory=list)
    """The time spans in which lines were lost, although there were requests."""

    bunch_s: float | None = None
    """Stamps are those of a collector, which takes the lines at this interval."""

    lead_s: float = 900.0
    """The time that everything runs before the log begins."""


@dataclass(frozen=True)
class Made:
    """A log with its truth."""

    truth: Truth
    format: str
    bunch_s: float | None = None

    @cached_property
    def text(self) -> str:
        """The lines; many tests need the truth alone."""
        with _without_search():
            form = FORMATS[self.format]
            return "".join(f"{line}\n" for line in lines(self.truth.rows(), form, self.bunch_s))

    @property
    def learn_options(self) -> list[str]:
        """The options of `thinktime learn` that read it."""
        definition = FORMATS[self.format].definition
        return ["--format", definition] if definition else []

    def write(self, folder: Path, name: str = "access") -> Path:
        """Write the log, and its truth beside it; returns the log's path."""
        path = folder / f"{name}{FORMATS[self.format].suffix}"
        path.write_text(self.text, encoding="utf-8")
        self.truth.write(path)
        return path


def make(scene: Scene, seed: int = 1) -> Made:
    """Run everything in a scene; the same seed gives the same log."""
    world = World(-float(scene.lead_s), float(scene.span_s))
    hosts = sorted({_host(one) for one in scene.populations})
    opened: set[int] = set()
    for host in hosts:
        server = scene.servers.get(host) or scene.servers[EVERYWHERE]
        world.servers[host] = server
        if id(server) not in opened:
            opened.add(id(server))
            server.open(world, f"{seed} server {host}")
    with _without_search():
        return _made(scene, seed, world)


@contextmanager
def _without_search() -> Iterator[None]:
    """Nothing here has reference cycles, and the search for them takes a fifth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _made(scene: Scene, seed: int, world: World) -> Made:
    for population in scene.populations:
        population.begin(world, f"{seed} {population.name}")
    world.run()
    rows = [row for row in world.rows if not _within(row[1], scene.lost)]
    truth = Truth.of(rows, _facts(scene, len(world.rows) - len(rows)))
    return Made(truth, scene.format, scene.bunch_s)


def _host(population: Any) -> str:
    return population.site.host if hasattr(population, "site") else population.host


def _within(time: float, parts: list[tuple[float, float]]) -> bool:
    return any(begin <= time < end for begin, end in parts)


def _facts(scene: Scene, lost_lines: int) -> dict[str, Any]:
    form = FORMATS[scene.format]
    return {
        "epoch": EPOCH,
        "span_s": scene.span_s,
        "format": form.name,
        "resolution_s": scene.bunch_s or form.resolution_s,
        "stamp": form.stamp,
        "duration_resolution_s": form.duration_s,
        "lost": scene.lost,
        "lost_lines": lost_lines,
        "servers": {host: server.facts() for host, server in scene.servers.items()},
        "populations": {one.name: one.facts() for one in scene.populations},
    }
