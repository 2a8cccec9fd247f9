"""Controllers of JMeter of which a turn sends one part: how the ways through a group part.

Source: https://jmeter.apache.org/usermanual/component_reference.html#Interleave_Controller
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from thinktime.importing.draft import Population, Request
from thinktime.importing.journeys import joined

SAID = {
    "RandomController": "",
    "InterleaveControl": "its parts come with equal shares, and not one after the other",
    "SwitchController": "",
}
"""These controllers, with what is said of them."""


@dataclass
class Choice:
    """The requests of each part, of which a turn sends one."""

    parts: list[list[Request]]

    def among(self, kept: Collection[Request]) -> list[list[Request]]:
        """The parts with the requests that are kept."""
        found = [[one for one in part if one in kept] for part in self.parts]
        return [part for part in found if part]


def chosen(names: Sequence[str], value: str) -> int | None:
    """The place of the part that the value of a switch names: its number from 0, or its name.

    The first one stands for a number beyond, and the one named `default` for a name that none has;
    None if there is no such part.
    """
    if value.isdecimal() or not value:
        place = int(value or 0)
        return None if not names else place if place < len(names) else 0
    places = [at for at, name in enumerate(names) if name == value]
    places += [at for at, name in enumerate(names) if name.lower() == "default"]
    return places[0] if places else None


def follower(requests: Sequence[Request], at: int, choices: Sequence[Choice]) -> int:
    """The place of the request that follows that at a place; behind a part its choice has ended."""
    after = at + 1
    for choice in choices:
        if any(part[-1] is requests[at] for part in choice.parts[:-1]):
            after = max(after, requests.index(choice.parts[-1][-1]) + 1)
    return after % len(requests)


def part_ways(population: Population, choices: Sequence[Choice]) -> None:
    """Give requests that follow one another in the plan's order the ways of its choices.

    The outer of two choices comes first.
    """
    requests = population.requests
    for choice in choices:
        parts = choice.among(requests)
        if len(parts) < 2:
            continue
        behind = parts[-1][-1].next
        for part in parts[:-1]:
            part[-1].next = list(behind)
        begin, shares = parts[0][0], [(part[0], 1 / len(parts)) for part in parts]
        for holder in requests:
            holder.next = _split(holder.next, begin, shares)
        first = population.first or [(requests[0], 1.0)]
        split = [(one, share) for one, share in _split(list(first), begin, shares) if one]
        population.first = split if len(split) > 1 else []


def _split(
    edges: list[tuple[Request | None, float]],
    begin: Request,
    shares: list[tuple[Request, float]],
) -> list[tuple[Request | None, float]]:
    found: list[tuple[Request | None, float]] = []
    for one, share in edges:
        found += [(to, share * each) for to, each in shares] if one is begin else [(one, share)]
    return joined(found)
