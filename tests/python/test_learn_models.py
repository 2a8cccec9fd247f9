"""The demands that the advice is simulated with, and rates that change or do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thinktime import Distribution
from thinktime.learn import learn
from thinktime.learn.advice.models import demands

pytestmark = pytest.mark.usefixtures("brief_advice")


@pytest.mark.parametrize("cv2", [0.01, 0.06, 1 / 16, 0.07, 0.2, 1 / 3, 0.41, 0.5, 0.77, 0.94, 1, 9])
def test_demands_have_the_mean_and_the_variability_that_were_asked_for(cv2: float) -> None:
    law = Distribution(demands(0.025, cv2))
    assert law.mean == pytest.approx(0.025, rel=1e-9)
    assert law.cv2 == pytest.approx(cv2, rel=1e-6)


@pytest.mark.parametrize("stages", range(2, 17))
def test_demands_that_an_erlang_law_has_are_no_mix(stages: int) -> None:
    for cv2 in (1 / stages, np.nextafter(1 / stages, 0), np.nextafter(1 / stages, 1)):
        assert Distribution(demands(1.0, float(cv2))).cv2 == pytest.approx(cv2, rel=1e-6)


def site(path: Path, *, later: float = 1.0, at_first: int = 0) -> Path:
    """Two hours of sessions of 20 requests on average, a minute apart, which begin at 0.4 a second.

    Earlier sessions are in progress when the log begins. ``later`` times as many come in the second
    hour, and ``at_first`` more in the first minute.
    """
    draw = np.random.default_rng(5)
    before, rate = 12_000, 0.4
    begins = [draw.uniform(-before, 3600, draw.poisson(rate * (before + 3600)))]
    begins.append(draw.uniform(3600, 7200, draw.poisson(later * rate * 3600)))
    begins.append(draw.uniform(0, 60, at_first))
    rows = []
    for user, begin in enumerate(np.concatenate(begins)):
        gaps = draw.exponential(60, draw.geometric(1 / 20) - 1)
        rows += [(at, user) for at in begin + np.cumsum([0.0, *gaps]) if 0 <= at < 7200]
    lines = [
        f"{1_790_000_000 + at:.3f},10.0.{user // 250}.{user % 250},/,Mozilla/5.0\n"
        for at, user in sorted(rows)
    ]
    path.write_text("time,address,path,agent\n" + "".join(lines))
    return path


@pytest.mark.parametrize(
    ("later", "at_first", "changes"), [(1.0, 0, False), (1.5, 0, True), (1.0, 3000, True)]
)
def test_sessions_under_way_at_the_begin_are_no_change(
    later: float, at_first: int, changes: bool, tmp_path: Path
) -> None:
    """Some 480 are under way. A constant rate is called changing with a probability of 1 %."""
    log = site(tmp_path / "log.csv", later=later, at_first=at_first)
    assert learn([log], fidelity=False).figures.changes == changes
