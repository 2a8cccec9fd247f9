"""Workloads and systems that several tests use, as text."""

from __future__ import annotations

import thinktime as tt


def workload(sessions: str, name: str = "test", seed: int = 1, requests: str = "") -> tt.Workload:
    """A workload of the lines of its [arrivals] and [session] tables."""
    return tt.Workload(f'name = "{name}"\nseed = {seed}\n[arrivals]\n{sessions}\n{requests}')


def open_model(rate: float, **more: str) -> tt.Workload:
    """Poisson arrivals, one request each."""
    lines = "".join(f'\n{key} = "{value}"' for key, value in more.items())
    return workload(f'model = "open"\nrate = {rate}{lines}')


def closed_model(clients: int, think: str) -> tt.Workload:
    """Clients that never leave."""
    return workload(f'model = "closed"\nclients = {clients}\n[session]\nthink = "{think}"')


def partly_open_model(rate: float, requests: str, think: str) -> tt.Workload:
    """Poisson sessions of several requests."""
    return workload(
        f'model = "partly-open"\nrate = {rate}\n'
        f'[session]\nrequests = "{requests}"\nthink = "{think}"'
    )


def system(*stations: tuple[str, str] | tuple[str, str, int], name: str = "test") -> tt.System:
    """Stations, each (policy, demand) or (policy, demand, servers)."""
    text = f'name = "{name}"\n'
    for number, (policy, demand, *servers) in enumerate(stations):
        text += (
            f'[[station]]\nname = "station-{number}"\npolicy = "{policy}"\ndemand = "{demand}"\n'
            f"servers = {servers[0] if servers else 1}\n"
        )
    return tt.System(text)
