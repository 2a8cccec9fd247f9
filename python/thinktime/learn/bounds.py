"""Bounds and defaults of the options of learning."""

from __future__ import annotations

USERS_MIN = 5
"""A path is named in a workload file only if at least this many users requested it."""

USUAL_S = 1800.0
"""The session timeout that is used if none is given."""

LOAD_MIN, LOAD_MAX, CV2_MAX = 0.001, 0.95, 100
"""Beyond these the advice would need simulations that are too long."""
