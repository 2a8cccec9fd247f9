"""What a modelled system bears, if more comes than it can do and no steady state exists."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from thinktime import _core
from thinktime.present import units
from thinktime.results.learned_server import doubt_at

_REFUSAL = re.compile(r"the offered load is ([\d.]+):")
"""The beginning of the core's refusal of an overload that would never end."""

HIGH = 0.9
"""The load of the scale that is proposed: near 1 the times of any run depend on its length."""


def overload_words(
    refusal: str, workload: _core.Workload, system: _core.System, given: Mapping[str, Any]
) -> str | None:
    """The refusal of an overload, with the largest scale that the system bears.

    None if it is no such refusal. All populations then have a rate, to which the load is
    proportional. ``given`` are the options: `scale` is proposed unless `rate` sets the traffic.
    """
    found = _REFUSAL.match(refusal)
    if found is None:
        return None
    load, asked = float(found[1]), float(given["scale"] or 1.0)
    if given["rate"] is None:
        borne = f"{units.number(asked / load)} times the traffic of the workload"
        borne += _proposed(workload, system, asked, load)
    else:
        borne = f"{units.number(1 / load)} times this traffic"
    words = f"{refusal}. The system bears less than {borne}"
    doubt = doubt_at(system, workload.request_rate or 0.0)
    return f"{words}; not to be trusted: {doubt}" if doubt else words


def _proposed(workload: _core.Workload, system: _core.System, asked: float, load: float) -> str:
    """A scale with a high load at which the system is known, and that load."""
    learned, rate = system.learned, workload.request_rate
    part, most = HIGH / load, ""
    if learned is not None and not learned["confirmed"] and learned["up_to"] and rate:
        known = learned["up_to"] / rate
        if known < part:
            part, most = known, ", the most at which the server is known"
    scale = _down(part * asked)
    return f": `--scale {scale:g}` makes a load of {units.load(scale / asked * load)}{most}"


def _down(value: float, digits: int = 3) -> float:
    """The value rounded down to some digits."""
    step = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return float(f"{math.floor(value / step + 1e-9) * step:.{digits}g}")
