"""Workloads that are known by name, as their tests read and judge them."""

from __future__ import annotations

import tomllib
from typing import Any

from scipy import stats

from thinktime import workload

FAST = 'name = "fast"\n[[station]]\nname = "server"\npolicy = "ps"\ndemand = "exp(1ms)"\n'
CHECKS = 100
"""More intervals than the tests of all presets have."""
Z = float(stats.norm.isf(1e-4 / CHECKS / 2))


def read(name: str) -> dict[str, Any]:
    return tomllib.loads(workload.text(name))


def kinds(name: str) -> dict[str, dict[str, Any]]:
    return {kind["name"]: kind for kind in read(name)["request"]}
