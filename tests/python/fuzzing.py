"""Random cases: fixed ones in ordinary runs of the tests, fresh ones in `make fuzz`.

A test with random cases is marked `pytest.mark.fuzz`, and draws them from `seeds`. `make fuzz` runs
the marked tests with THINKTIME_FUZZ_SEED set to a fresh number, which it prints first; the same
number gives the same cases again.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable


def seeds(fixed: Iterable[int], fresh: int) -> list[int]:
    """The seeds of the cases: `fixed`, or with THINKTIME_FUZZ_SEED `fresh` others drawn from it."""
    text = os.environ.get("THINKTIME_FUZZ_SEED")
    if not text:
        return list(fixed)
    draw = random.Random(int(text))
    return [draw.randrange(10_000, 1_000_000_000) for _ in range(fresh)]
