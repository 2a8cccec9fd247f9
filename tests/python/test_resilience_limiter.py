"""Rate limiters: schedules by hand, a second implementation, and M/D/1."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars
import pytest
from test_networks import behaviour, ends, faults, scenario, station, table

import thinktime as tt


def limiter(name: str = "gate", **values: object) -> str:
    return table("limiter", name=name, **values)


def rows_of(rate: str, limit: str, *, requests: int, seed: int = 11) -> polars.DataFrame:
    """The rows of Poisson arrivals at a limiter before a station where nobody waits for 1 ms."""
    workload = f'name = "w"\nseed = {seed}\n[arrivals]\nmodel = "open"\nrate = "{rate}"\n'
    system = f'name = "s"\n{station(demand="1ms", servers=1000)}{limit}'
    result = tt.simulate(
        tt.Workload(workload), tt.System(system), requests=requests, warmup=0, rows="all"
    )
    return polars.DataFrame(result.requests).sort("scheduled_ns")


@pytest.mark.parametrize("burst", [1, 2, 7])
def test_a_bucket_of_tokens_refuses_whom_a_second_implementation_refuses(burst: int) -> None:
    """The tokens are fractions, grow by one in 20 ms up to `burst`, and each request takes one."""
    rows = rows_of("80/s", limiter(rate="50/s", burst=burst), requests=3000)
    tokens, last = Fraction(burst), 0
    expected = []
    for at in rows["scheduled_ns"]:
        tokens = min(Fraction(burst), tokens + Fraction(at - last, 20_000_000))
        last = at
        passes = tokens >= 1
        tokens -= passes
        expected.append(None if passes else "refused")
    assert rows["error"].cast(polars.String).to_list() == expected
    done = rows.filter(polars.col("error").is_null())
    assert set(done["done_ns"] - done["scheduled_ns"]) == {1_000_000}


def test_a_bucket_of_one_token_is_a_dead_time() -> None:
    """After each request that passes, others are refused for 1/rate, so that a share of
    1/(1 + arrivals per dead time) passes (a type-I counter; W. Feller, An Introduction to
    Probability Theory, vol. 2, XI.3). The test errs with probability 1e-6, on a fixed seed."""
    many = 20_000
    rows = rows_of("50/s", limiter(rate="50/s"), requests=many)
    passed = rows["error"].is_null().sum()
    # Between two that pass 1 + Poisson(1) requests come: the variance of a renewal count.
    assert abs(passed - many / 2) < 4.9 * np.sqrt(many / 8)


def test_a_leaky_bucket_is_an_m_d_1_queue() -> None:
    """Row by row Lindley's recursion; and the mean wait of Pollaczek and Khinchine, which errs with
    probability 1e-6 (50 batches), on a fixed seed."""
    rows = rows_of("70/s", limiter(rate="100/s", kind="leaky"), requests=100_000)
    assert rows["error"].null_count() == rows.height
    came = rows["scheduled_ns"].to_numpy()
    step = 10_000_000
    number = np.arange(len(came))
    passed = np.maximum.accumulate(came - number * step) + number * step
    assert np.array_equal(rows["done_ns"].to_numpy(), passed + 1_000_000)
    batches = (passed - came).reshape(50, -1).mean(axis=1) / 1e9
    wait = 0.7 * 0.01 / (2 * 0.3)
    assert abs(batches.mean() - wait) < 5.6 * batches.std(ddof=1) / np.sqrt(50)


def test_a_full_line_refuses() -> None:
    # One passes in 2 s: at 1, 3, 5 and 7 s. Who comes at 4 and 6 s finds one waiting.
    text = station(demand="250ms") + limiter(rate="0.5/s", kind="leaky", queue_limit=1)
    times, summary = scenario(6, text)
    assert faults(times) == [None, None, None, "refused", None, "refused"]
    assert [end for end in ends(times) if end % 1] == [1.25, 3.25, 5.25, 7.25]
    assert summary["errors_by_kind"] == {"refused": 2}


def test_who_is_taken_back_passes_his_turn_on() -> None:
    # As above, in a line without a limit, which clients leave after 1.5 s: of those that would pass
    # at 5 s and 7 s, the ones who came at 3 s and 5 s have gone by then.
    text = station(demand="250ms") + limiter(rate="0.5/s", kind="leaky")
    request = table("request", name="r", timeout="1.5s", cancel="queued")
    times, _ = scenario(6, text, request)
    assert faults(times) == [None, None, "timeout", None, "timeout", None]
    assert ends(times) == [1.25, 3.25, 4.5, 5.25, 6.5, 7.25]


def test_steps_pass_a_limiter_where_they_say() -> None:
    # Only the second use of x is limited. Session 0 is at x from 1 s to 2.5 s, and takes the token
    # at 2 s. Session 1 is at x from 2.5 s to 3.5 s, and finds none.
    steps = '{use="x"}, {pass="gate"}, {use="x", demand="500ms"}'
    text = station(demand="1s") + limiter(rate="0.1/s") + limiter("other", rate="0.001/s")
    times, _ = scenario(2, text + behaviour(steps))
    assert faults(times) == [None, "refused"]
    assert ends(times) == [2.5, 3.5]


def test_without_steps_all_limiters_are_passed_first() -> None:
    # Two pass the first at once; the second lets one through.
    text = station(demand="5s") + limiter(rate="0.01/s", burst=2) + limiter("next", rate="0.02/s")
    times, _ = scenario(3, text)
    assert faults(times) == [None, "refused", "refused"]
    assert ends(times) == [6, 2, 3]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"rate": "0/s"}, "must be more than 0"),
        ({"rate": "1/s", "burst": 0}, "must be from 1 to"),
        ({"rate": "1/s", "queue_limit": 3}, 'goes with kind = "leaky"'),
        ({"rate": "1/s", "kind": "leaky", "burst": 3}, 'goes with kind = "token"'),
    ],
)
def test_mistakes_are_named(values: dict[str, object], words: str) -> None:
    text = f'name = "s"\n{station(demand="1s")}{limiter(**values)}'
    with pytest.raises(tt.InputError, match=r"limiter") as caught:
        tt.System(text)
    assert words in str(caught.value)


def test_an_unknown_limiter_is_named() -> None:
    text = f'name = "s"\n{station(demand="1s")}{limiter(rate="1/s")}'
    with pytest.raises(tt.InputError, match="gate"):
        tt.System(text + behaviour('{use="x"}, {pass="gat"}'))
