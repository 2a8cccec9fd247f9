"""A capacity of a workload with profiles is that of their busiest part, at its rate.

The truth is a formula of the busy hour's queue, or the integral of the profile.
"""

from __future__ import annotations

import html
import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.capacity_search.busiest import at_busiest, clock
from thinktime.capacity_search.report import report_of
from thinktime.cli import app

DAY = "rates(day.csv, column=rate, every=1h)"
NIGHT, NOON, DAYS = 10, 100, 7
MEAN = (23 * NIGHT + NOON) / 24


def week(folder: Path, slo: str, arrivals: str = "") -> Path:
    """A week of nights at 10/s, with an hour of 100/s at each noon."""
    hours = [NOON if hour % 24 == 12 else NIGHT for hour in range(24 * DAYS)]
    (folder / "day.csv").write_text("rate\n" + "".join(f"{one}\n" for one in hours))
    file = folder / "week.toml"
    text = f'model = "open"\nrate = "{MEAN}/s"\nprofile = "{DAY}"\n{arrivals}'
    file.write_text(f'name = "week"\n[arrivals]\n{text}[slo]\n{slo}\n')
    return file


def server(demand: str, servers: int = 1) -> tt.System:
    return tt.System(
        f'name = "s"\n[[station]]\nname = "a"\nservers = {servers}\ndemand = "{demand}"\n'
    )


def erlang_mean_s(rate: float, demand_s: float, servers: int) -> float:
    """The mean response time of M/M/k, by Erlang's formula C."""
    work = rate * demand_s
    terms = [work**n / math.factorial(n) for n in range(servers)]
    last = work**servers / math.factorial(servers) * servers / (servers - work)
    return demand_s + last / (sum(terms) + last) * demand_s / (servers - work)


@pytest.mark.parametrize(
    ("demand", "servers", "limit_s", "exact"),
    [
        # M/M/1: T = 1 / (200/s - rate).
        ("exp(5ms)", 1, 1 / 50, 150.0),
        # M/M/2 has the mean of Erlang's formula at 300/s.
        ("exp(5ms)", 2, erlang_mean_s(300.0, 0.005, 2), 300.0),
        # M/D/1: T = S + load S / (2 (1 - load)), at a load of 0.8 three times S.
        ("5ms", 1, 0.015, 160.0),
    ],
)
def test_the_capacity_is_that_of_the_busy_hour(
    demand: str, servers: int, limit_s: float, exact: float, tmp_path: Path
) -> None:
    """The night would bear ten times as much in proportion, and the whole week seven times.

    The interval is narrower than 5 %, so that 15 % are six of its standard errors: 2e-9.
    """
    found = tt.capacity(week(tmp_path, f'mean = "{limit_s * 1e3:.6g}ms"'), server(demand, servers))
    assert found.verdict == "found"
    assert found.value == pytest.approx(exact, rel=0.15)
    assert found.busiest is not None
    assert (found.busiest.rate, found.busiest.unit) == (NOON, "/s")
    assert (found.busiest.begin_s, found.busiest.end_s) == (12 * 3600, 13 * 3600)
    assert found.multiple == pytest.approx(found.value / NOON)
    assert "12:00:00 to 13:00:00 after its beginning: 100/s" in found.busiest_words
    assert f"the capacity is {found.multiple:.2f} times that" in found.busiest_words
    checks = {one["name"] for row in found.probes["validity"] for one in row}
    assert "profile" not in checks


POPULATION = """
[[population]]
name = "{0}"
[population.arrivals]
model = "partly-open"
rate = "{1}/s"
profile = "steps(0s: {2})"
[population.session]
requests = "{3}"
think = "exp(1s)"
"""


def test_of_several_populations_their_busiest_time_together_counts() -> None:
    """`a` is busiest in the first hour and `b` in the third, but both are busy in the second."""
    text = 'name = "w"\n[slo]\nmean = "20ms"\n'
    text += POPULATION.format("a", 1, "30, 1h: 20, 2h: 1, 24h: 0", 2)
    text += POPULATION.format("b", 0.5, "1, 1h: 40, 2h: 50, 3h: 1, 24h: 0", 3)
    held, busiest = at_busiest(tt.Workload(text), "scale")
    assert busiest is not None
    # By requests: 61.5, 100, 77 and 3.5 a second.
    assert (busiest.begin_s, busiest.end_s, busiest.rate) == (3600, 7200, 100)
    assert [one.session_rate for one in held.populations] == [20, 20]
    assert held.plain
    found = tt.capacity(tt.Workload(text), server("exp(5ms)"))
    assert found.value == found.multiple == pytest.approx(1.5, rel=0.15)  # M/M/1 at 150/s
    assert found.throughput == pytest.approx(100 * found.value, rel=0.05)


@pytest.mark.parametrize(
    ("profile", "length_s", "factor"),
    [
        # A 24th of the period around its top: the integral of the sine over that.
        ("sine(period=20min, low=1/3)", 50, 2 / 3 + math.sin(math.pi / 24) * 24 / math.pi / 3),
        ("sine(20min, 1/3)", 50, 2 / 3 + math.sin(math.pi / 24) * 24 / math.pi / 3),
        ("ramp(from=0, to=1, over=10min)", 25, 1.0),
        ("ramp(from=50%, to=0.1, over=600)", 25, 0.5 - 0.4 / 48),
        # A jump that is shorter than 10 s counts with the time beside it.
        ("steps(0s: 1, 20s: 3, 25s: 1)", 10, 2.0),
        ("steps(0s: 1, 24h: 2)", 3600, 2.0),
    ],
)
def test_the_rate_is_the_mean_over_the_busiest_part(
    profile: str, length_s: float, factor: float
) -> None:
    text = f'name = "w"\n[arrivals]\nmodel = "open"\nrate = "100/s"\nprofile = "{profile}"\n'
    held, busiest = at_busiest(tt.Workload(text), "rate")
    assert busiest is not None
    assert busiest.end_s - busiest.begin_s == pytest.approx(length_s)
    assert held.session_rate == busiest.rate == pytest.approx(100 * factor, rel=1e-3)


def test_workloads_without_profiles_stay_as_they_are() -> None:
    for arrivals in (
        'model = "open"\nrate = "9/s"',
        'model = "closed"\nclients = 3\n[session]\nthink = 1',
    ):
        given = tt.Workload(f'name = "w"\n[arrivals]\n{arrivals}\n')
        assert at_busiest(given, "rate") == (given, None)


def test_times_of_a_profile_are_said_as_on_a_clock() -> None:
    assert clock(45_000) == "12:30:00"
    assert clock(2 * 86_400 + 3_661) == "2 d 01:01:01"


def test_the_command_says_what_the_probes_hold(tmp_path: Path) -> None:
    file, system = week(tmp_path, 'mean = "20ms"'), tmp_path / "s.toml"
    system.write_text(server("exp(5ms)").to_toml())
    command = ["capacity", str(file), str(system), "--quiet", "--precision", "20%"]
    shown = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "out")])
    assert shown.exit_code == 0, shown.output
    said = "each probe holds the rate of the profile's busiest part, 12:00:00 to 13:00:00"
    assert f"note: {said}" in shown.stderr
    page = html.unescape((tmp_path / "out" / "capacity.html").read_text())
    assert said[1:] in page.replace("\u202f", " ").replace("\xa0", " ")
    held = json.loads((tmp_path / "out" / "capacity.json").read_text())["busiest"]
    assert [held[key] for key in ("begin_s", "end_s", "rate", "unit")] == [43200, 46800, 100, "/s"]
    assert held["multiple"] == pytest.approx(1.5, rel=0.3)


def test_the_report_says_it_too(tmp_path: Path) -> None:
    found = tt.capacity(week(tmp_path, 'mean = "20ms"'), server("exp(5ms)"), precision="20%")
    made = report_of(found, "week")
    assert made.findings == [made.parts[0]]
    assert str(made.parts[0]).startswith("Each probe holds the rate of the profile's busiest part")
