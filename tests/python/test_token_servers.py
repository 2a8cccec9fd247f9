"""Servers of tokens: a second implementation, exact values, and what is said of them."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import polars
import pytest
from reference_batches import mean_in_batches
from reference_tokens import UNLIMITED, Asked, Server, serve

import thinktime as tt
from thinktime.diagrams.parts import parts_of
from thinktime.theory.match import theory_for

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def system(keys: str, more: str = "") -> tt.System:
    return tt.System(f'name = "s"\n[[token_server]]\nname = "gpu"\n{keys}\n{more}')


def workload(requests: str, rate: float = 1, slo: str = "") -> tt.Workload:
    arrivals = f'[arrivals]\nmodel = "open"\nrate = {rate}'
    return tt.Workload(f'name = "w"\nseed = 3\n{arrivals}\n{slo}\n{requests}')


def asking(tokens: str, name: str = "ask") -> str:
    return f'[[request]]\nname = "{name}"\nstream = "sse"\ntokens = {{ {tokens} }}\n'


def random_server(draw: random.Random) -> Server:
    return Server(
        step=draw.randint(1, 20) * 100_000,
        request=draw.choice([0, draw.randint(1, 300_001)]),
        prompt_token=draw.choice([0, draw.randint(1, 90_001)]),
        batch=draw.choice([1, 2, draw.randint(3, 40)]),
        chunk=draw.choice([UNLIMITED, draw.randint(1, 80)]),
        memory=draw.choice([UNLIMITED, draw.randint(70, 300)]),
    )


def keys_of(server: Server) -> str:
    keys = [f'step_time = "{server.step}ns"', f'request_time = "{server.request}ns"']
    keys += [f'prompt_token_time = "{server.prompt_token}ns"', f"max_batch = {server.batch}"]
    keys += [f"prefill_chunk = {server.chunk}"] if server.chunk < UNLIMITED else []
    keys += [f"memory = {server.memory}"] if server.memory < UNLIMITED else []
    return "\n".join(keys)


@pytest.mark.parametrize("seed", range(16))
def test_a_second_implementation_agrees_to_the_nanosecond(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    server = random_server(draw)
    prompts = [draw.randint(1, 60) for _ in range(3)]
    laws = [f"prompt = {prompt}, output = 'geometric({draw.randint(1, 30)})'" for prompt in prompts]
    requests = "".join(asking(law, f"r{at}") for at, law in enumerate(laws))
    result = tt.simulate(
        workload(requests), system(keys_of(server)), load=draw.uniform(0.4, 0.98), warmup=0,
        requests=1500, rows="all", output=tmp_path / "result",
    )  # fmt: skip
    rows = polars.read_parquet(tmp_path / "result" / "requests.parquet").sort("scheduled_ns")
    # What a refused request would have had is not known; it would never have fitted.
    asked = [
        Asked(at, prompts[int(name[1:])], events or UNLIMITED)
        for at, name, events in rows.select("scheduled_ns", "name", "events").iter_rows()
    ]
    preemptions = serve(server, asked)
    found = rows.select("events", "first_byte_ns", "done_ns", "error")
    for (events, first, done, error), one in zip(found.iter_rows(), asked, strict=True):
        assert events == len(one.given)
        assert error == (None if one.given else "refused")
        if one.given:
            assert (first, done) == (one.given[0], one.given[-1])
    figures = result.summary["token_servers"]["gpu"]
    # The figures end with the last arrival, and the rows with the last departure.
    assert figures["preemptions"] <= preemptions
    assert result.summary["events"] == sum(len(one.given) for one in asked)


def test_one_place_is_a_queue_with_general_service_times() -> None:
    """Pollaczek and Khinchine; 4.4 standard errors, a false alarm in 100,000 seeds."""
    keys = 'step_time = "2ms"\nrequest_time = "1ms"\nprompt_token_time = "100us"\nmax_batch = 1'
    tokens = asking("prompt = 'discrete(0.5: 10, 0.5: 50)', output = 'geometric(8)'")
    result = tt.simulate(workload(tokens), system(keys), load=0.7, requests=300_000)
    mean = 8 * 3e-3 + 30 * 1e-4
    second = mean**2 + 8 * 7 * 3e-3**2 + 400 * 1e-4**2
    rate = 0.7 / mean
    exact = mean + rate * second / (2 * (1 - 0.7))
    found = result.summary["response_time_s"]
    assert found["mean"] == pytest.approx(exact, abs=4.4 / 1.96 * found["ci95"])
    station = result.summary["stations"]["gpu"]
    assert station["load"] == pytest.approx(0.7, abs=0.02)
    assert station["demand_s"]["mean"] == pytest.approx(mean, rel=0.01)
    assert station["demand_s"]["cv2"] == pytest.approx(second / mean**2 - 1, rel=0.03)


@pytest.mark.parametrize(("most", "load"), [(1, 0.6), (3, 0.8), (8, 0.9), (1000, 0.002)])
def test_one_token_a_request_is_service_in_batches(most: int, load: float) -> None:
    """Each case 4.4 standard errors: a false alarm in 100,000 seeds."""
    rate = load * most / 0.01
    exact = mean_in_batches(rate, 0.01, most)
    if most == 1:
        assert exact == pytest.approx(0.01 + rate * 0.01**2 / (2 * (1 - load)), rel=1e-9)
    if most == 1000:  # there is always a place: one waits for the end of the step
        idle = 1 / (1 + rate * 0.01 * math.exp(rate * 0.01))
        assert exact == pytest.approx(0.01 + (1 - idle) * 0.005, rel=1e-9)
    made = workload(asking("prompt = 5, output = 1"), rate)
    result = tt.simulate(made, system(f'step_time = "10ms"\nmax_batch = {most}'), requests=200_000)
    found = result.summary["response_time_s"]
    assert found["mean"] == pytest.approx(exact, abs=4.4 / 1.96 * found["ci95"])
    assert result.summary["first_event_s"]["mean"] == pytest.approx(found["mean"], rel=1e-6)
    assert "event_gap_s" not in result.summary


KEYS = 'step_time = "10ms"\nrequest_time = "1ms"\nmax_batch = 4'
ASKS = asking("prompt = 20, output = 'geometric(10)'")


def test_an_overload_is_refused_beforehand_or_seen() -> None:
    with pytest.raises(tt.InputError, match=r"offered load is 1\.2"):
        tt.simulate(workload(ASKS, 1.2 / 0.035), system(KEYS), requests=1000)
    # What memory allows is not known beforehand: about 14 requests at a time, 160 a second.
    keys = 'step_time = "10ms"\nrequest_time = "100us"\nmax_batch = 100\nmemory = 400'
    bounded = asking("prompt = 20, output = 'truncated(geometric(10), hi=20)'")
    result = tt.simulate(workload(bounded, 300), system(keys), requests=20_000)
    assert "`gpu` was full" in " ".join([*result.summary["warnings"], result.untrusted or ""])


def test_objectives_of_tokens_are_judged() -> None:
    slo = '[slo]\nfirst_event_p99 = "10s"\nevent_gap_p99 = "1ms"\ngoodput = "50%"'
    result = tt.simulate(workload(ASKS, 10, slo), system(KEYS), requests=20_000)
    verdicts = {one["name"]: one["verdict"] for one in result.summary["objectives"]}
    assert verdicts == {
        "first_event_p99": "met", "event_gap_p99": "not met", "goodput": "not met",
    }  # fmt: skip


def test_replications_join_and_a_seed_gives_the_same_bytes() -> None:
    made, server = workload(ASKS, 10), system(KEYS)
    one, again = (tt.simulate(made, server, requests=5000, seed=7) for _ in range(2))
    assert json.dumps(one.summary) == json.dumps(again.summary)
    several = tt.simulate(made, server, requests=5000, replications=3, seed=7)
    assert several.summary["token_servers"]["gpu"]["steps"] > 0
    assert several.summary["event_gap_s"]["mean"] == pytest.approx(
        one.summary["event_gap_s"]["mean"], rel=0.1
    )


def test_a_request_needs_tokens_unless_it_goes_elsewhere() -> None:
    two = ASKS + '[[request]]\nname = "health"\nget = "/health"\n'
    with pytest.raises(tt.InputError, match="`health` goes to `gpu`"):
        tt.simulate(workload(two), system(KEYS), requests=10)
    station = '[[station]]\nname = "web"\ndemand.health = "1ms"\n'
    behaviour = station + '[[behaviour]]\nrequest = "health"\nsteps = [{ use = "web" }]'
    result = tt.simulate(workload(two), system(KEYS, behaviour), requests=1000)
    events = {name: one.get("events") for name, one in result.summary["by_request"].items()}
    assert events["health"] is None
    assert (events["ask"] or 0) > 1000


def test_without_a_stream_the_response_is_one_whole() -> None:
    whole = ASKS.replace('stream = "sse"\n', "")
    one = tt.simulate(workload(whole, 10), system(KEYS), requests=5000)
    other = tt.simulate(workload(ASKS, 10), system(KEYS), requests=5000)
    assert "events" not in one.summary
    assert one.summary["response_time_s"]["mean"] == other.summary["response_time_s"]["mean"]
    assert one.summary["token_servers"] == other.summary["token_servers"]


def test_it_burns_nothing_and_has_no_formula() -> None:
    with pytest.raises(tt.InputError, match="`gpu` is a server of tokens"):
        tt.serve(system(KEYS), burn=True)
    assert theory_for(workload(ASKS), system(KEYS)) is None


def test_diagrams_say_what_it_does() -> None:
    (part,) = parts_of(system(f"{KEYS}\nmemory = 4000").tables)
    assert part.name == "gpu"
    assert "batches of up to 4" in part.facts[0]
    assert "4,000 tokens" in part.facts[-1]


def test_the_example_is_simulated() -> None:
    result = tt.simulate(EXAMPLES / "stream.toml", EXAMPLES / "token-server.toml", requests=3000)
    assert result.summary["events"] > 3000
    assert result.summary["token_servers"]["gpu"]["running_mean"] > 1
