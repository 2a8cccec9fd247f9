"""Users whose addresses change from page to page: their behaviour is unclear, and `learn` says so.

The logs are made here by a few lines of their own, with fixed seeds.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from thinktime.learn import learn

pytestmark = pytest.mark.usefixtures("brief_advice")
AGENT = "Mozilla/5.0 (Windows NT 10.0) Chrome/120.0"
SITE = "https://shop.example"


def log_of(path: Path, moving: float, outside: str, seed: int) -> Path:
    """Sessions of five pages on average, a share of which take another address for each page."""
    random, rows = Random(seed), []
    at = 0.0
    for session in range(1500):
        at += random.expovariate(1 / 10)
        time, before = at, outside
        moves = random.random() < moving
        own = f"10.{session // 250}.{session % 250}.1"
        while True:
            there = f"146.75.{random.randrange(250)}.{random.randrange(250)}" if moves else own
            page = f"/item/{random.randrange(300)}" if random.random() < 0.8 else "/"
            rows.append((time, there, page, before))
            before = SITE + page
            if random.random() < 0.2:
                break
            time += 0.05 + random.expovariate(1 / 20)
    lines = ["time,address,path,status,duration_s,referer,user_agent"]
    lines += [f"{1_700_000_000 + time:.3f},{there},{page},200,0.05,{before},{AGENT}"
              for time, there, page, before in sorted(rows)]  # fmt: skip
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("moving", [1.0, 0.5])
def test_sessions_of_changing_addresses_are_not_sure(moving: float, tmp_path: Path) -> None:
    found = learn([log_of(tmp_path / "log.csv", moving, "", 21)], fidelity=False)
    (people,) = found.split.populations
    assert people.confidence == "unsure"
    assert "found on another page of the site" in people.reason
    assert found.to_dict()["confidence"] == "unsure"


@pytest.mark.parametrize(
    "outside",
    ["", "https://www.google.example/", "https://other.example/x", "https://other.example/item/1"],
)
def test_people_who_come_from_elsewhere_are_not_taken_for_these(
    outside: str, tmp_path: Path
) -> None:
    found = learn([log_of(tmp_path / "log.csv", 0.0, outside, 22)], fidelity=False)
    (people,) = found.split.populations
    assert (people.model, people.confidence) == ("partly-open", "sure")
