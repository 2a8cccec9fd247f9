"""A run that sees a part of a profile, with another rate, does not have the rate of its workload.

The numbers of requests are tens of standard deviations from the bounds, or half of the bound at
most: with 4 standard deviations each fine case is doubted with a chance of 0.006 %, and seeds are
fixed.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from validity_runs import verdict

import thinktime as tt
from thinktime.validity import DOUBTFUL, FINE, UNSEEN
from thinktime.validity.checks import judge
from thinktime.validity.evidence import of_result

SYSTEM = tt.System('name = "s"\n[[station]]\nname = "a"\nservers = 9\ndemand = "exp(1ms)"\n')
RATES = "rates(rates.csv, every=100s)"
POPULATION = '[[population]]\nname = "{}"\n[population.arrivals]\nmodel = "open"\nrate = "{}"\n{}\n'


def shop(folder: Path, profile: str, others: str = "0.1/s") -> tt.Workload:
    """People whose rate changes, and others whose rate does not."""
    (folder / "rates.csv").write_text("rate\n10\n30\n35\n25\n")
    people = POPULATION.format("people", "50/s", f'profile = "{profile}"')
    file = folder / "w.toml"
    file.write_text(f'name = "w"\n{people}{POPULATION.format("checks", others, "")}')
    return tt.Workload.load(file)


@pytest.mark.parametrize(
    ("profile", "others", "duration_s", "expected"),
    [
        (RATES, "0.1/s", 100, DOUBTFUL),  # 0.4 of the mean rate
        (RATES, "0.1/s", 300, FINE),  # as often as on average
        (RATES, "0.1/s", 400, FINE),  # all of it
        (RATES, "0.1/s", 450, FINE),  # more than all: the arrivals' end is said elsewhere
        ("sine(period=400s, low=1/5)", "0.1/s", 100, DOUBTFUL),
        ("sine(period=100s, low=1/5)", "0.1/s", 400, FINE),  # whole periods
        (RATES, "5000/s", 100, None),  # they make hardly any request
        ("steps(0s: 1, 200s: 3)", "0.1/s", 100, None),  # the stages of a test
        ("ramp(from=0, to=1, over=400s)", "0.1/s", 100, None),
        ("constant", "0.1/s", 100, None),
    ],
)
def test_a_part_of_a_profile_is_doubted_if_its_rate_is_another(
    profile: str, others: str, duration_s: int, expected: str | None, tmp_path: Path
) -> None:
    made = tt.simulate(
        shop(tmp_path, profile, others), SYSTEM, duration=f"{duration_s}s", rows="none"
    )
    found = {one.name: one.verdict for one in judge(of_result(made))}
    assert found.get("profile") == expected


def test_the_words_name_both_rates_and_the_time_that_covers_it_all(tmp_path: Path) -> None:
    made = tt.simulate(shop(tmp_path, RATES), SYSTEM, duration="100s", rows="none")
    (found,) = (one for one in judge(of_result(made)) if one.name == "profile")
    assert "the rate of `people` changes over 6.67 min" in found.found
    assert "of the time from 0 s to 100 s" in found.found
    assert "over the whole profile they come at 50.0/s" in found.found
    assert "--duration 400s" in found.advice
    again = tt.simulate(shop(tmp_path, RATES), SYSTEM, duration="400s", rows="none")
    assert verdict(of_result(again), "profile") == FINE


def test_a_workload_without_populations_is_examined_too(tmp_path: Path) -> None:
    (tmp_path / "rates.csv").write_text("rate\n10\n30\n35\n25\n")
    file = tmp_path / "w.toml"
    file.write_text(
        'name = "w"\n[arrivals]\nmodel = "partly-open"\nrate = "20/s"\n'
        f'profile = "{RATES}"\n[session]\nrequests = "geometric(3)"\nthink = "exp(1s)"\n'
    )
    made = tt.simulate(file, SYSTEM, requests=3000, rows="none")
    assert verdict(of_result(made), "profile") == DOUBTFUL


def test_failures_that_may_end_sessions_hide_the_rate(tmp_path: Path) -> None:
    """Of a loss system, most of whose requests fail, nothing is said."""
    loss = tt.System(
        'name = "s"\n[[station]]\nname = "a"\nqueue_limit = 0\ndemand = "exp(100ms)"\n'
    )
    made = tt.simulate(shop(tmp_path, RATES), loss, duration="100s", rows="none")
    assert verdict(of_result(made), "profile") == UNSEEN


def test_probes_of_a_capacity_have_no_profile(tmp_path: Path) -> None:
    """They hold the rate of its busiest part (`test_capacity_busiest.py`)."""
    found = tt.capacity(
        shop(tmp_path, RATES), SYSTEM, duration="100s", precision="30%", what="scale"
    )
    words = [one["name"] for one in found.probes["validity"][0]]
    assert words
    assert "profile" not in words
