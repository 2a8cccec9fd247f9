"""What this machine allows: how many connections, how punctual, how many cores; and what to change.

from thinktime.doctor import examine

for finding in examine():
    print(finding.name, finding.found, finding.change)
"""

from __future__ import annotations

from thinktime.doctor.finding import Finding
from thinktime.doctor.machine import Machine
from thinktime.doctor.probes import PROBES

__all__ = ["Finding", "Machine", "examine"]


def examine(machine: Machine | None = None) -> list[Finding]:
    """Look at everything, in the order of the list of probes."""
    machine = machine or Machine()
    return [finding for probe in PROBES if (finding := probe(machine)) is not None]
