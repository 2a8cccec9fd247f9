"""The answer of a search for the capacity: value, interval, probes, and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from thinktime.capacity_search.busiest import Busiest
from thinktime.capacity_search.probe import Probe
from thinktime.capacity_search.probes_frame import checks_of, frame_of
from thinktime.capacity_search.search import Search
from thinktime.present import units
from thinktime.report import point_checks
from thinktime.results import independent_requests

if TYPE_CHECKING:
    import polars as pl

What = Literal["rate", "clients", "scale"]
Outcome = Literal[
    "found", "imprecise", "too short", "generator", "no limit", "not met", "interrupted"
]

SCALE = "times the workload"
"""The unit of a scale."""


@dataclass(frozen=True)
class Capacity:
    """The largest rate, number of clients, or scale that is sustained within the objectives."""

    what: What
    """`rate`, `clients` or `scale`."""

    unit: str
    """`/s` for requests a second, `sessions/s`, `clients`, or `times the workload`."""

    value: float | None
    """The capacity; None if not even the lowest value tried is sustained, 0 if no value is certain
    to be sustained."""

    low: float | None
    """The lower end of its 95 % confidence interval."""

    high: float | None
    """The upper end; None if the value is a lower bound only."""

    verdict: Outcome
    """`found`; `imprecise`: found, but not to the precision; `too short`: the probes had too few
    requests to tell which values surely meet the objectives; `generator`: the generator itself was
    late at all values that missed the objectives; `no limit`: no limit was found; `not met`: not
    even at the lowest value; `interrupted`: by Ctrl-C."""

    words: str
    """The verdict in a sentence."""

    probes: pl.DataFrame
    """A row a probe, in order. `margin` is the logarithm of measured over allowed, for the
    objective named in `why`."""

    throughput: float | None = None
    """The requests a second at the value, in proportion to those of the nearest probe; None if no
    probe with requests met the objectives."""

    doubts: Sequence[str] = ()
    """Reservations about the answer besides its verdict, in sentences."""

    objectives: str = ""
    """The objectives in words, as in `p99 ≤ 250 ms`; empty if they are unknown."""

    against: str = ""
    """For the generator's own capacity, the server that it was measured against, in words."""

    workload: str = ""
    """The workload's name."""

    place: str = ""
    """The server's url, or the system's name."""

    moment: str = ""
    """When a search against a server began."""

    busiest: Busiest | None = None
    """The part of the workload's profiles whose rate the probes held; None without a profile."""

    @property
    def multiple(self) -> float | None:
        """The value as a multiple of the rate of the busiest part; None without either."""
        if self.busiest is None or not self.value:
            return None
        return self.value if self.what == "scale" else self.value / self.busiest.rate

    @property
    def busiest_words(self) -> str:
        """The busiest part, and the multiple of it, in a clause; empty without a profile."""
        if self.busiest is None:
            return ""
        if self.multiple is None:
            return self.busiest.words
        least = "at least " if self.high is None else ""
        multiple = f"{least}{units.number(self.multiple)} times that"
        return f"{self.busiest.words}; the capacity is {multiple}"

    def to_dict(self) -> dict[str, Any]:
        """The whole answer as plain values, for JSON."""
        return {
            "what": self.what,
            "unit": self.unit,
            "value": self.value,
            "throughput": self.throughput,
            "ci95": None if self.value is None else [self.low, self.high],
            "verdict": self.verdict,
            "words": self.words,
            "doubts": list(self.doubts),
            "probes": self.probes.to_dicts(),
            **({"against": self.against} if self.against else {}),
            **self._of_profile(),
        }

    def _of_profile(self) -> dict[str, Any]:
        held = self.busiest
        return {} if held is None else {"busiest": asdict(held) | {"multiple": self.multiple}}


def answer(search: Search, what: What, unit: str, interrupted: bool = False) -> Capacity:
    """The result of the search."""
    verdict = _verdict(search, interrupted)
    value, low, high = _ends(search, verdict)
    throughput = _throughput(search.probes, value)
    words = _words(verdict, (value, low, high), unit, throughput, search)
    rows, doubts = frame_of(search.probes), _doubts(search.probes, unit)
    return Capacity(what, unit, value, low, high, verdict, words, rows, throughput, doubts)


def so_far(probes: Sequence[Probe], what: What, unit: str) -> Capacity:
    """The answer so far: the search's probes."""
    words = f"{units.counted(len(probes), 'probe')} so far"
    doubts = _doubts(probes, unit)
    return Capacity(
        what, unit, None, None, None, "interrupted", words, frame_of(probes), doubts=doubts
    )


def requests_told(unit: str, throughput: float | None) -> str:
    """The requests a second at a scale, in words; empty for other quantities, which say it."""
    known = unit == SCALE and throughput is not None
    return f"{units.number(throughput or 0.0)} requests/s" if known else ""


def _throughput(probes: Sequence[Probe], value: float | None) -> float | None:
    passed = [one for one in probes if one.passed and one.figures.get("throughput")]
    if not value or not passed:
        return None
    nearest = min(passed, key=lambda one: abs(one.value - value))
    return float(nearest.figures["throughput"]) * value / nearest.value


def _doubts(probes: Sequence[Probe], unit: str) -> list[str]:
    """Notes on probes that were too short, and on checks of those that met the objectives.

    The others are beyond the capacity, where no server is steady.
    """
    rows = [(units.amount(probe.value, unit), checks_of(probe)) for probe in probes]
    passed = (row for row, probe in zip(rows, probes, strict=True) if probe.passed)
    return [*_too_short(probes), *point_checks.untrusted(rows), *point_checks.sentences(passed)]


def _too_short(probes: Sequence[Probe]) -> list[str]:
    """A note that probes were too short, and the sufficient length."""
    short = [probe for probe in probes if probe.short]
    if not short:
        return []
    name = short[-1].short
    needed = math.ceil(math.log(0.025) / math.log(float(name[1:]) / 100))
    worth = [probe.figures.get(independent_requests.KEY) for probe in short]
    known = [one for one in worth if one is not None and one < needed]
    if known:
        enough = units.factor(1.1 * needed / max(min(known), 1.0))
        return [
            f"{len(short)} of {units.counted(len(probes), 'probe')} had too few independent "
            f"requests to bound {name}, so none of these surely meets the objectives: successive "
            f"response times are alike, so that those of a probe are worth {_ends_of(known)}, and "
            f"{needed} are needed. Make probes {enough} times as long."
        ]
    return [
        f"{len(short)} of {units.counted(len(probes), 'probe')} had too few requests to bound "
        f"{name}, so none of these surely meets the objectives: give a longer duration for at "
        f"least {units.count(needed)} requests a probe, several times as many if the server is "
        "busy."
    ]


def _ends_of(known: Sequence[float]) -> str:
    """As in '40 to 300 independent ones'."""
    ends = dict.fromkeys(units.count(math.floor(one)) for one in (min(known), max(known)))
    return f"{' to '.join(ends)} independent ones"


def _verdict(search: Search, interrupted: bool) -> Outcome:
    if interrupted:
        return "interrupted"
    if search.nothing_passed:
        return "not met"
    fails = [probe for probe in search.probes if not probe.passed]
    if fails and all(probe.generator for probe in fails):
        return "generator"
    if not search.bracketed:
        return "no limit"
    if search.done:
        return "found"
    return "imprecise" if search.estimate().low > 0 else "too short"


def _ends(search: Search, verdict: Outcome) -> tuple[float | None, float | None, float | None]:
    passed = [probe.value for probe in search.probes if probe.passed]
    if not passed:
        return None, None, None
    if verdict in ("generator", "no limit") or not search.bracketed:
        return max(passed), max(passed), None
    found = search.estimate()
    ends = (found.value, found.low, found.high)
    if search.whole:
        ends = (math.floor(found.value), math.floor(found.low), math.floor(found.high))
    return (*ends[:2], ends[2] if math.isfinite(ends[2]) else None)


def _words(
    verdict: Outcome,
    ends: tuple[float | None, float | None, float | None],
    unit: str,
    throughput: float | None,
    search: Search,
) -> str:
    count, (value, low, high) = units.counted(len(search.probes), "probe"), ends
    if value is None or low is None:
        if not search.probes:
            return "no probe was finished"
        least = min(probe.value for probe in search.probes)
        why = search.probes[-1].why
        if verdict == "interrupted":  # lower values were not tried yet
            return f"below {units.amount(least, unit)}, by {count}, as none met the SLO yet: {why}"
        return f"the objectives are not met even at {units.amount(least, unit)}: {why}"
    unsure = f"by {count}, none of which surely met the SLO"
    if value <= 0:
        return (
            f"unknown, {unsure}" if high is None else f"below {units.amount(high, unit)}, {unsure}"
        )
    told = ": ".join(filter(None, [units.amount(value, unit), requests_told(unit, throughput)]))
    if high is None:
        why = {
            "generator": "beyond it the generator itself was late, so the server may bear more",
            "no limit": "no value that was tried failed",
        }.get(verdict, "no value that was tried failed yet")
        return f"at least {told}, by {count}: {why}"
    between = f"{units.amount(low)} to {units.amount(high)}"
    found = f"{told}, 95 % interval {between}, by {count}"
    if verdict == "too short":
        return f"{told}, 95 % interval {between}, {unsure}"
    if verdict == "imprecise":
        return f"{found}, which is less precise than asked for"
    return f"interrupted: {found}" if verdict == "interrupted" else found
