"""p99 at twice the traffic, of logs whose truth is known: right, or not to be trusted.

A trusted answer is wrong by chance for one site in 1,000 or less: the bounds of its uncertainty are
those of 99 %, and most answers are far within them. `make fuzz` asks of 40 fresh sites.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzzing import seeds
from road.journey import FACTOR, asked
from road.log import true_p99_s
from road.site import site_of
from road.truths import TRUTHS
from volume import oracle, volume

FIXED = (3, 15, 19, 29, 44, 32855751, 531979374)
"""Stamps of 1 s; one server and constant demands; two servers; a pool; processor sharing; a pool
that processor sharing explains; more visitors than usual in a short log."""

TRUSTED = (15, 19, 44)

RECKONED = (15, 29)
"""Sites whose truth is quick to compute: one server, and two."""


@pytest.mark.fuzz
@pytest.mark.usefixtures("brief_advice")
@pytest.mark.parametrize("seed", seeds(FIXED, 40))
def test_the_answer_is_right_or_not_trusted(seed: int, tmp_path: Path) -> None:
    answer = asked(seed, tmp_path)
    print(answer)
    assert not answer.wrong, str(answer)
    if seed in TRUSTED:
        assert answer.trusted, f"nothing can be told any more: {answer}"


@oracle
@pytest.mark.parametrize("seed", volume(RECKONED, FIXED))
def test_the_recorded_truth_is_that_of_the_simulator(seed: int) -> None:
    """The same seeds give the same times; libraries of mathematics may differ in a last digit."""
    assert true_p99_s(site_of(seed).busier(FACTOR)) == pytest.approx(TRUTHS[seed], rel=1e-6)
