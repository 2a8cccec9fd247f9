"""Runs that last longer than the arrivals of their workload: a note says so."""

from __future__ import annotations

from thinktime import _core
from thinktime.present import units

_LONGER = 1.1
"""A note is made of a run that is to last this many times as long as the arrivals."""


def arrivals_notes(command: str, workload: _core.Workload, options: str) -> list[str]:
    """What is to be noted of `run` or `simulate` with these options, as JSON.

    Raises:
        InputError: The options do not go with the workload.
    """
    _, asked_s = _core.planned_end(command, workload, options)
    end_s = workload.arrivals_end_s
    if asked_s is None or end_s is None or asked_s <= _LONGER * end_s:
        return []
    end = units.seconds(end_s)
    return [
        f"the arrivals of the workload end after {end}, and the rates and loads are those of "
        f"{units.seconds(asked_s)}: a duration of {end} leaves out the time without arrivals"
    ]
