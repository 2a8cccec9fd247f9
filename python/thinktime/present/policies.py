"""Scheduling policies in words."""

from __future__ import annotations

WORDS = {
    "fcfs": "first come, first served",
    "ps": "processor sharing",
    "srpt": "shortest remaining processing time",
    "las": "least attained service",
    "sjf": "shortest job first",
    "ljf": "longest job first",
    "psjf": "preemptive shortest job first",
    "plcfs": "preemptive last come, first served",
    "lcfs": "last come, first served",
    "siro": "service in random order",
    "rr": "round robin",
    "pesjf": "preemptive expected shortest job first",
    "peljf": "preemptive expected longest job first",
    "priority": "priorities",
    "mlfq": "multi-level feedback",
    "edf": "earliest deadline first",
    "dps": "discriminatory processor sharing",
}

SHARED = ("ps", "las", "dps")
"""Under these policies nobody waits: all are served at once."""


def words(policy: str) -> str:
    """A policy in the form of a system file, as in 'round robin (10ms)'."""
    name, bracket, inner = policy.partition("(")
    known = WORDS.get(name.strip())
    return policy if known is None else known + (f" ({inner}" if bracket else "")
