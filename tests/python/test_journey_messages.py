"""Messages about invalid journeys: the cause, and not its consequences."""

from __future__ import annotations

import pytest

import thinktime as tt

HEAD = 'name = "w"\n[arrivals]\nmodel = "partly-open"\nrate = 1\n[session]\nthink = "1s"\n'


def message(*requests: str) -> str:
    text = HEAD + "".join(f"[[request]]\n{one}\n" for one in requests)
    with pytest.raises(tt.InputError) as error:
        tt.Workload(text, "w.toml")
    return str(error.value)


def test_a_request_named_end_is_refused_before_what_others_say_of_it() -> None:
    told = message(
        'name = "home"\nget = "/"\nnext = { item = 0.6, end = 0.4 }',
        'name = "end"\nget = "/i"\nnext = { home = 1 }',
    )
    assert told == (
        "w.toml:12: request[2].name: is what ends a session in `next`: "
        "give the request another name"
    )


def test_sums_are_rounded() -> None:
    told = message(
        'name = "home"\nget = "/"\nnext = { home = 0.6, end = 0.3 }',
    )
    assert "the shares sum to 0.9, and must sum to 1, `end` included" in told
    with pytest.raises(tt.InputError, match=r"sum to 1, not 0\.9;"):
        tt.Workload(f'{HEAD}requests = "discrete(0.6: 1, 0.3: 2)"\n')


def test_a_demand_that_lacks_a_size_is_found_in_its_file() -> None:
    workload = tt.Workload(f'{HEAD}requests = 2\n[[request]]\nname = "home"\nget = "/"\n')
    text = 'name = "s"\n[[station]]\nname = "disk"\ndemand = "1ms + size / 1MB/s"\n'
    with pytest.raises(tt.InputError, match=r"^s\.toml:4: station\[1\]\.demand: the demand of"):
        tt.simulate(workload, tt.System(text, "s.toml"), requests=10)
