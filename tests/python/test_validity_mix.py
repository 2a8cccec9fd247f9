"""A run that lasts longer than the arrivals of those who make its requests is not that workload's.

Nothing is left to chance but the numbers of requests, which are far from the bound.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from validity_runs import verdict

import thinktime as tt
from thinktime import validity
from thinktime.validity import FINE, SPOILT
from thinktime.validity.checks import judge
from thinktime.validity.evidence import of_result

SYSTEM = tt.System('name = "s"\n[[station]]\nname = "a"\ndemand = "exp(1ms)"\n')
STARTS = 'process = "trace(starts.csv)"'
LOG = 'process = "trace(access.log)"'
RATES = 'rate = "20/s"\nprofile = "rates(rates.csv, every=25s)"'
LINE = '[[population]]\nname = "{}"\n[population.arrivals]\nmodel = "{}"\n{}\n'


def mix(folder: Path, *populations: tuple[str, str, str]) -> tt.Workload:
    """A workload of populations, some of which end after 100 s."""
    (folder / "starts.csv").write_text("at\n" + "".join(f"{n / 20}\n" for n in range(2000)))
    (folder / "rates.csv").write_text("rate\n10\n30\n25\n15\n")
    stamp = '10.0.0.{} - - [22/Nov/2026:10:{:02}:{:02} +0000] "GET / HTTP/1.1" 200 9 "-" "x"\n'
    lines = (stamp.format(n % 9, n // 1200, n // 20 % 60) for n in range(2000))
    (folder / "access.log").write_text("".join(lines))
    file = folder / "w.toml"
    file.write_text('name = "w"\n' + "".join(LINE.format(*one) for one in populations))
    return tt.Workload.load(file)


def checks(rate: str) -> tuple[str, str, str]:
    return "checks", "open", f'process = "even"\nrate = "{rate}"'


@pytest.mark.parametrize(
    ("ending", "continuing", "duration_s", "expected"),
    [
        (STARTS, "2/s", 1000, SPOILT),  # 91 % of the requests, and 50 % in the end
        (RATES, "2/s", 1000, SPOILT),
        (LOG, "2/s", 1000, SPOILT),
        (STARTS, "15/s", 300, SPOILT),  # 57 %, and 31 %
        (STARTS, "2/s", 105, FINE),  # as long as the starts
        (STARTS, "0.1/s", 300, FINE),  # those who continue make hardly any request
        (RATES, "200/s", 1000, FINE),  # nor do those who end
    ],
)
def test_most_requests_are_those_of_others(
    ending: str, continuing: str, duration_s: int, expected: str, tmp_path: Path
) -> None:
    workload = mix(tmp_path, ("people", "open", ending), checks(continuing))
    made = of_result(tt.simulate(workload, SYSTEM, duration=f"{duration_s}s", rows="none"))
    assert verdict(made, "mix") == expected


def test_those_who_come_during_the_warm_up_alone_are_missed(tmp_path: Path) -> None:
    workload = mix(tmp_path, ("people", "open", STARTS), checks("2/s"))
    made = tt.simulate(workload, SYSTEM, duration="1000s", warmup="150s", rows="none")
    assert made.summary["by_population"]["people"]["requests"] == 0
    assert verdict(of_result(made), "mix") == SPOILT


def test_the_advice_makes_it_fine(tmp_path: Path) -> None:
    """The same for more traffic, by which starts go by faster."""
    workload = mix(tmp_path, ("people", "open", STARTS), checks("1/s"))
    made = tt.simulate(workload, SYSTEM, scale=2, requests=20_000, rows="none")
    found = {one.name: one for one in made.validity}["mix"]
    validity.note(made)
    assert found.verdict == SPOILT
    assert made.untrusted == found.found
    assert "`people` has no arrivals after 50.0 s" in found.found
    assert "95 %" in found.found
    again = tt.simulate(workload, SYSTEM, scale=2, duration="50s", rows="none")
    validity.note(again)
    assert "--duration 50s" in found.advice
    assert again.untrusted is None
    assert verdict(of_result(again), "mix") == FINE


def test_there_is_nothing_to_examine_if_all_end_or_nobody_does(tmp_path: Path) -> None:
    both = mix(tmp_path, ("people", "open", STARTS), ("others", "open", RATES))
    endless = mix(tmp_path, ("people", "open", 'rate = "20/s"'), checks("1/s"))
    for workload in (both, endless):
        made = of_result(tt.simulate(workload, SYSTEM, duration="1000s", rows="none"))
        assert "mix" not in {one.name for one in judge(made)}
