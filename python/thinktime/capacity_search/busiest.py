"""The busiest stretch of profiles: its rate is the load with which a search begins.

A probe is short beside a learned week, and would see the beginning of the first night. So each
probe holds the rates of the busiest stretch, and the capacity is a multiple of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from thinktime import _core
from thinktime.inputs.dicts import toml_of
from thinktime.inputs.options import options_json
from thinktime.operations import seconds
from thinktime.present import units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CONSTANT = "constant"

LONGEST_S = 3600.0
"""A stretch is an hour of a day or of a longer profile."""

PART = 24
"""Of a shorter profile it is this part, as an hour is of a day."""

SHORTEST_S = 10.0
"""A stretch is not shorter than a probe by default."""

_PLACES = 60
"""A stretch may begin at any multiple of this part of its length."""

_ARRIVALS = (20_000, 2_000_000)
_ARRIVALS_OF_STRETCH = 2000
"""Evenly spaced arrivals show a profile: as many in a stretch of average rate, within bounds."""

_ABSENT = 1e-6
"""The part of its rate at which a population comes that is absent from the stretch: a rate is
more than 0."""

_SYSTEM = 'name = "s"\n[[station]]\nname = "s"\ndemand = "0s"\n'


@dataclass(frozen=True)
class Busiest:
    """The stretch of a workload's profiles in which most requests come."""

    begin_s: float
    """Its beginning, from the beginning of the profile."""

    end_s: float
    rate: float
    """The mean rate in it, of all populations with a profile."""

    unit: str
    """The unit of the rate: `/s` for requests a second, or `sessions/s`."""

    @property
    def words(self) -> str:
        """What probes hold, in a clause."""
        begin, end = (clock(time_s) for time_s in (self.begin_s, self.end_s))
        return (
            f"each probe holds the rate of the profile's busiest part, {begin} to {end} after its "
            f"beginning: {units.amount(self.rate, self.unit)}"
        )


def clock(time_s: float) -> str:
    """A time of a profile as on a clock, with the days before it: `12:30:00`, `2 d 12:30:00`."""
    days, rest = divmod(round(time_s), 86_400)
    hours, minutes = divmod(rest // 60, 60)
    return f"{f'{days} d ' if days else ''}{hours:02}:{minutes:02}:{rest % 60:02}"


@dataclass(frozen=True)
class _Varying:
    """A population with a profile."""

    key: str
    """How its keys of `[arrivals]` begin."""

    profile: str
    rate: float
    """Sessions a second at a factor of 1."""

    requests: float
    """The requests of a session, as far as they are known."""


def at_busiest(workload: _core.Workload, what: str) -> tuple[_core.Workload, Busiest | None]:
    """The workload with constant rates, those of the busiest stretch; and the stretch.

    The stretch is an hour, or a 24th of profiles that are shorter than a day, but 10 s at least; of
    several populations that in which they make most requests together. Without a profile the
    workload is itself, and the stretch None. `what` is what a search varies.

    Raises:
        InputError: if a file of a profile cannot be read.
    """
    flat, several = workload, list(_varying(workload))
    for one in several:
        flat = flat.with_value(f"{one.key}profile", CONSTANT)
    if not several:
        return workload, None
    begin_s, end_s, factors = _stretch(several, workload)
    for one, factor in zip(several, factors, strict=True):
        rate = one.rate * max(factor, _ABSENT)
        flat = flat.with_value(f"{one.key}rate", f"{rate:.4g}/s")
    by_request = what == "scale" or workload.model == "open"
    parts = (
        factor * one.rate * (one.requests if by_request else 1.0)
        for one, factor in zip(several, factors, strict=True)
    )
    unit = "/s" if by_request else "sessions/s"
    return flat, Busiest(begin_s, end_s, float(f"{sum(parts):.4g}"), unit)


def _varying(workload: _core.Workload) -> Iterator[_Varying]:
    for one in workload.populations:
        profile = one.table["arrivals"]["profile"]
        if one.model == "closed" or profile in (None, CONSTANT):
            continue
        key = f"population.{one.name}.arrivals." if one.name else "arrivals."
        flat = workload.with_value(f"{key}profile", CONSTANT)
        (own,) = (each for each in flat.populations if each.name == one.name)
        rate = own.session_rate or 0.0
        yield _Varying(key, profile, rate, (own.request_rate or rate) / rate if rate else 1.0)


def _stretch(several: list[_Varying], workload: _core.Workload) -> tuple[float, float, list[float]]:
    """The begin and the end of the busiest stretch, and the mean factor of each profile in it."""
    ends_s = [_end_s(one.profile, workload.files) for one in several]
    length_s = max(end_s for end_s, _ in ends_s)
    stretch_s = min(max(SHORTEST_S, min(LONGEST_S, length_s / PART)), length_s)
    # A profile that does not end comes back, or keeps its last value, which counts as well.
    endless = any(more for _, more in ends_s)
    until_s = length_s + stretch_s if endless else length_s
    places = max(round((until_s - stretch_s) / stretch_s * _PLACES), 0) + 1
    begins_s = np.linspace(0.0, max(until_s - stretch_s, 0.0), places)
    factors = []
    for one in several:
        amount_s = _amounts_s(one.profile, workload.files, begins_s, stretch_s, until_s)
        factors.append(amount_s / stretch_s)
    pairs = zip(factors, several, strict=True)
    together = sum((factor * one.rate * one.requests for factor, one in pairs), np.zeros(places))
    # Rounding aside, the first of equally busy ones.
    at = int(np.flatnonzero(together >= together.max() * (1 - 1e-6))[0])
    begin_s = float(begins_s[at])
    return begin_s, begin_s + stretch_s, [float(factor[at]) for factor in factors]


def _amounts_s(
    profile: str,
    files: Mapping[str, Path | str],
    begins_s: Floats,
    stretch_s: float,
    until_s: float,
) -> Floats:
    """The integral of a profile over each stretch, in seconds at a factor of 1.

    Arrivals that are evenly spaced but for the profile are its integral: the nth comes when it is n
    gaps. So the core alone knows what a profile means.
    """
    wanted = _ARRIVALS_OF_STRETCH * until_s / stretch_s
    rate = min(max(wanted, _ARRIVALS[0]), _ARRIVALS[1]) / until_s
    workload = _alone(profile, rate, files)
    most = 2**40  # the duration ends it
    options = options_json("simulate", {"duration": until_s, "warmup": 0.0, "requests": most})
    import polars as pl

    rows = pl.DataFrame(_core.requests_of(workload, _core.System(_SYSTEM), options))
    times_s = np.sort(rows["scheduled_ns"].to_numpy()) * 1e-9
    times_s = np.concatenate([[0.0], times_s])
    amounts_s = np.arange(len(times_s)) / rate
    upto = [np.interp(at_s, times_s, amounts_s) for at_s in (begins_s, begins_s + stretch_s)]
    found: Floats = upto[1] - upto[0]
    return found


def _alone(profile: str, rate: float, files: Mapping[str, Path | str]) -> _core.Workload:
    arrivals = {"model": "open", "process": "even", "rate": rate, "profile": profile}
    return _core.Workload(toml_of({"name": "alone", "arrivals": arrivals}), "", files)


def _end_s(profile: str, files: Mapping[str, Path | str]) -> tuple[float, bool]:
    """The length of a profile, and whether arrivals come after it."""
    ends_s = _alone(profile, 1e3, files).arrivals_end_s
    if ends_s is not None:
        return round(ends_s, 2), False  # the last arrival comes just before it
    times_s = []
    for part in re.split(r"[(),:=]", profile)[1:]:
        try:
            times_s.append(seconds(part))
        except _core.InputError:
            continue  # a name
    # The factors among them are no times, but a longer part of a profile has all of it.
    return max(times_s), True
