"""`generator`: whether the load generator was at its own limits. For runs alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.results.finding import DOUBTFUL, FINE, SPOILT, Finding, NoData, Word
from thinktime.validity.evidence import Evidence

if TYPE_CHECKING:
    from thinktime._core_types import GeneratorFigures

NAME = "generator"

CPU_NOTED, CPU_SPOILS = 0.80, 0.95
"""Shares of its core that an event loop uses, the same as in the run's own warnings."""

WITHOUT_CORE = 0.05
INTERFACE_SPOILS = 0.90
OWN_FAILURES_SPOIL = 0.001
"""The largest share of attempts that may fail to be sent for want of ports or descriptors."""

OWN = {
    "no_free_port": "more source addresses (`--source`)",
    "no_free_descriptor": "a higher limit of open files (`ulimit -n`)",
    "system_error": "a look at the system's refusals",
}


def check(seen: Evidence) -> Finding | None:
    """Busy, without a core, out of sockets, or behind a full network interface."""
    if seen.kind != "run":
        return None
    used = seen.summary.get("generator")
    if not used:
        raise NoData("the result does not say what the generator used")
    complaints = [*_busy(used), *_refused(seen)]
    dropped = int(seen.summary.get("dropped") or 0)
    if dropped:
        words = f"{units.count(dropped)} requests were never sent: `clients` allows no more"
        complaints.append((DOUBTFUL, words, "allow more clients, or judge by errors, too"))
    if not complaints:
        cpu = units.percent(float(used["cpu_share"]))
        return Finding(NAME, FINE, f"it used {cpu} of a core, and was refused nothing")
    worst: Word = SPOILT if any(word == SPOILT for word, _, _ in complaints) else DOUBTFUL
    advice = "; ".join(dict.fromkeys(advice for _, _, advice in complaints))
    return Finding(NAME, worst, "; ".join(words for _, words, _ in complaints), advice)


_Complaint = tuple[Word, str, str]


def _busy(used: GeneratorFigures) -> list[_Complaint]:
    found: list[_Complaint] = []
    cpu, without = used["cpu_share"], used["without_core_share"]
    if cpu > CPU_NOTED:
        word: Word = SPOILT if cpu > CPU_SPOILS else DOUBTFUL
        words = f"it used {units.percent(cpu)} of the core of an event loop"
        found.append((word, words, "run more event loops (`--loops`), or a lower rate"))
    if without > WITHOUT_CORE:
        words = f"it waited for a core for {units.percent(without)} of the time"
        found.append((DOUBTFUL, words, "keep cores free for it, or run it on another machine"))
    interface = used.get("interface_share")
    if interface is not None and interface > INTERFACE_SPOILS:
        words = f"its network interface carried {units.percent(interface)} of what it can"
        found.append((SPOILT, words, "run it from several machines (`--on`)"))
    return found


def _refused(seen: Evidence) -> list[_Complaint]:
    kinds = seen.summary.get("errors_by_kind") or {}
    requests = max(int(seen.summary.get("requests") or 0), 1)
    found: list[_Complaint] = []
    for kind, remedy in OWN.items():
        count = int(kinds.get(kind) or 0)
        if count:
            word: Word = SPOILT if count > OWN_FAILURES_SPOIL * requests else DOUBTFUL
            words = f"its own machine refused {units.count(count)} attempts (`{kind}`)"
            found.append((word, words, f"give it {remedy}"))
    return found
