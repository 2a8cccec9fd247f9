"""Requests whose paths a workload file does not name: the paths of their runs, and a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from thinktime.learn.logs.log import Log
from thinktime.learn.model.population_model import PopulationModel
from thinktime.learn.populations import Finding
from thinktime.present import units

HIDDEN = 0.001
"""From this share of the requests on, a finding says that their paths are not named."""


def with_existing_paths(parts: Sequence[PopulationModel]) -> list[PopulationModel]:
    """The same; if a population has no named path, its requests go to one of another population."""
    known = next((path for one in parts if (path := one.journeys.kinds.existing)), None)
    return [part if known is None else _going_to(known, part) for part in parts]


def _going_to(path: str, part: PopulationModel) -> PopulationModel:
    kinds = part.journeys.kinds.going_to(part.journeys.kinds.existing or path)
    return replace(part, journeys=replace(part.journeys, kinds=kinds))


def unnamed_paths(
    parts: Sequence[PopulationModel], log: Log, least_users: int
) -> Iterator[Finding]:
    """That the file does not name the paths of many requests, and how it would."""
    hidden = {part.population.name: part.journeys.kinds.hidden for part in parts}
    many = sum(hidden.values())
    share = many / len(log.requests)
    if share > HIDDEN:
        yield Finding(
            "unnamed paths",
            f"{units.counted(many * log.one_in, 'request')}, {units.percent(share)}, of "
            f"{units.listed([name for name, some in hidden.items() if some])} have no path in the "
            f"workload file, as fewer than {least_users} users requested it or it may identify a "
            "person: runs send another path of the log with a made-up query. --least-users 1 names "
            "those of few users",
            share,
        )
