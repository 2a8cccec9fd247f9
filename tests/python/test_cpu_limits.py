"""CPU limits in reports and sweeps."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

import thinktime as tt
from thinktime.report import cpu_limits
from thinktime.report import rows as rows_of
from thinktime.report.results_page import page_of
from thinktime.report.terminal import render
from thinktime.sweeps.grid import parse

WORKLOAD = tt.Workload(
    'name = "w"\n[arrivals]\nmodel = "open"\nrate = "30/s"\n[[request]]\nname = "a"\n'
)


def system(limit: str, more: str = "") -> tt.System:
    return tt.System(
        f'name = "s"\n[[machine]]\nname = "node"\nos = "linux-eevdf"\ncores = 2\n'
        f'[[service]]\nname = "shop"\nmachine = "node"\ndemand = "10ms"\n{limit}\n{more}'
    )


@pytest.fixture(scope="module")
def limited() -> tt.Result:
    """0.3 cores of work under a limit of 0.4, with a lock that each request holds."""
    lock = (
        '[[pool]]\nname = "lock"\nsize = 1\n[[behaviour]]\nrequest = "a"\n'
        'steps = [{ acquire = "lock" }, { use = "shop" }, { release = "lock" }]\n'
    )
    return tt.simulate(WORKLOAD, system('cpu_limit = "400m"', lock), requests=2000, warmup=0)


def test_waits_by_cause_add_up_to_the_response_time(limited: tt.Result) -> None:
    """A request waits for the lock, a core or the limit, and works for 10 ms: nothing else."""
    waits = dict(cpu_limits.waits_of(limited))
    assert list(waits) == ["for a core of node", "throttled in shop", "for a place in lock"]
    assert waits["throttled in shop"] > 0.001
    assert waits["for a place in lock"] > 0.001
    mean_s = limited.summary["response_time_s"]["mean"]
    assert mean_s is not None
    # Those that are in the system at the end have waited, too.
    assert sum(waits.values()) + 0.01 == pytest.approx(mean_s, rel=0.01)


def test_the_terminal_and_the_page_show_them(limited: tt.Result) -> None:
    out = io.StringIO()
    Console(file=out, width=200).print(render(rows_of([limited])))
    said = out.getvalue()
    (shop,) = cpu_limits.services_of(limited)
    for words in (shop.words, "mean waits of a request: for a core of node", "throttling in shop"):
        assert words in said
    assert "--vary service.shop.cpu_limit=" in said
    tables = {table.name: table for table in page_of([limited]).details}
    assert [line.name for line in tables["limits"].lines] == ["shop"]
    assert len(tables["waits"].lines) == 3


@pytest.mark.parametrize("limit", ["", 'cpu_limit = "2"', 'quota = "200ms"'])
def test_without_throttling_nothing_is_advised(limit: str) -> None:
    result = tt.simulate(WORKLOAD, system(limit), requests=200, warmup=0)
    assert not any("--vary" in line for line in cpu_limits.sentences(result))
    assert len(cpu_limits.services_of(result)) == (1 if limit else 0)


def test_the_advice_names_the_key_that_the_file_has() -> None:
    result = tt.simulate(WORKLOAD, system('quota = "35ms"'), requests=500, warmup=0)
    assert "--vary service.shop.quota=" in cpu_limits.sentences(result)[-1]


@pytest.mark.parametrize(
    ("text", "numbers", "unit"),
    [
        ("service.shop.cpu_limit=500m,0.7,1", [0.5, 0.7, 1.0], "cores"),
        ("service.shop.cpu_limit=500m..1500m/3", [0.5, 1.0, 1.5], "cores"),
        ("machine.m.cpu_limit=0.5..2/4", [0.5, 1.0, 1.5, 2.0], "cores"),
        ("service.shop.quota=5ms,50ms", [5.0, 50.0], "ms"),
        ("load=0.5,0.8", [0.5, 0.8], ""),
    ],
)
def test_limits_are_numbers_of_cores(text: str, numbers: list[float], unit: str) -> None:
    axis = parse(text)
    assert axis.numbers == pytest.approx(numbers)
    assert axis.unit == unit


def test_a_sweep_over_limits_has_the_share_of_throttled_periods() -> None:
    vary = ["service.shop.cpu_limit=350m,0.5,2"]
    table = tt.sweep(WORKLOAD, system('cpu_limit = "1"'), vary, requests=1000, warmup=0)
    assert table["service.shop.cpu_limit"].to_list() == [0.35, 0.5, 2.0]
    shares = table["throttled_share"].to_list()
    assert shares[0] > shares[1] > shares[2] == 0
