"""The list of scenarios: each is a function from the log's span in seconds to a scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from traffic.scene import Made, Scene, make

Build = Callable[[float], Scene]


@dataclass(frozen=True)
class Scenario:
    """One scenario."""

    name: str
    about: str
    span_s: float
    """The span that makes about 100,000 lines."""

    build: Build


SCENARIOS: dict[str, Scenario] = {}
"""All scenarios by name."""


def named(name: str, span_s: float, about: str) -> Callable[[Build], Build]:
    """Put a scenario on the list."""

    def listed(build: Build) -> Build:
        if name in SCENARIOS:
            raise ValueError(f"there are two scenarios `{name}`")
        SCENARIOS[name] = Scenario(name, about, span_s, build)
        return build

    return listed


def scenario(name: str, seed: int = 1, scale: float = 1.0) -> Made:
    """The log of a scenario, and its truth.

    The same name, seed and scale give the same log. With `scale` the log's span is that multiple of
    the usual one; rates stay.
    """
    if name not in SCENARIOS:
        raise KeyError(f"no scenario `{name}`: there are {', '.join(SCENARIOS)}")
    found = SCENARIOS[name]
    return make(found.build(found.span_s * scale), seed)
