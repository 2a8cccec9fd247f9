"""Named scenarios; each file of this folder has those of one kind."""

from traffic.scenarios import arriving, mixed, peopled, programmed, served
from traffic.scenarios.registry import SCENARIOS, Scenario, scenario

__all__ = ["SCENARIOS", "Scenario", "scenario"]

# Importing them adds their scenarios to the list.
_ = (peopled, arriving, programmed, served, mixed)
