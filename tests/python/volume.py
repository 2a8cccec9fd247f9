"""How much is simulated to hold a figure against its exact value.

Each check has two volumes: one that finds mistakes of a few percent, for every change, and one that
finds smaller ones, for `make coverage`. Margins follow the standard error in both.
"""

from __future__ import annotations

import os
from typing import TypeVar

import pytest

T = TypeVar("T")

LONG = bool(os.environ.get("THINKTIME_LONG"))
"""Whether the long volumes are wanted."""

oracle = pytest.mark.oracle
"""Marks tests with two volumes."""


def volume(usual: T, long: T) -> T:
    """The one of the two that is wanted."""
    return long if LONG else usual
