"""Runs that were to last longer than the arrivals of their workload: they end with these."""

from __future__ import annotations

import json

from thinktime import _core
from thinktime.operations.outcome import seconds
from thinktime.present import units

_LONGER = 1.1
"""A run that is to last this many times as long as the arrivals ends with them."""


def within_arrivals(command: str, workload: _core.Workload, options: str) -> tuple[str, list[str]]:
    """The options of `run` or `simulate` as JSON, and notes on how they differ from those given.

    After the last arrival there is nothing to measure, and rates would be those of an idle time.

    Raises:
        InputError: The options do not go with the workload.
    """
    _, asked_s = _core.planned_end(command, workload, options)
    end_s = workload.arrivals_end_s
    if asked_s is None or end_s is None or asked_s <= _LONGER * end_s:
        return options, []
    note = (
        f"the arrivals of the workload end after {units.seconds(end_s)}: all figures are those up "
        f"to then, and not of {units.seconds(asked_s)}"
    )
    given = json.loads(options)
    if (warmup := given.get("warmup", "auto")) != "auto" and seconds(warmup) >= end_s:
        raise _core.InputError(f"warmup: must end before the arrivals do; {note}")
    return json.dumps(given | {"duration": end_s}), [note]
