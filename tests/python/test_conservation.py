"""Laws that hold for every policy: from rows and summaries, without tolerance.

Time is in whole nanoseconds and integrals are kept in whole numbers, so the laws hold up to the
rounding of the quotients at the end (a share of 1e-9 is allowed). Work under `las` and `ps`, where
a job's share is a fraction, is conserved to a nanosecond an event.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars
import pytest

import thinktime as tt

POLICIES = [
    "fcfs",
    "lcfs",
    "plcfs",
    "ps",
    "sjf",
    "ljf",
    "psjf",
    "srpt",
    "las",
    "rr(4ms)",
    "priority",
    "priority(preemptive=no)",
    "priority(9ms, 2ms)",
    "pesjf",
    "peljf",
    "edf",
    "edf(preemptive=no)",
    "mlfq(2ms, 4ms, 8ms)",
]
KINDS = '[[request]]\nname = "gold"\nweight = 2\n[[request]]\nname = "base"\n'
MEAN = (2 * 0.006 + 0.018) / 3
DEMANDS = 'demand.gold = "exp(6ms)"\ndemand.base = "h2(18ms, cv2=5)"\n'
SESSIONS = {
    "open": f'model = "open"\nrate = {0.8 / MEAN}',
    "overload": f'model = "open"\nrate = {1.3 / MEAN}',
    "closed": 'model = "closed"\nclients = 6\n[session]\nthink = "exp(20ms)"',
    "partly open": f'model = "partly-open"\nrate = {0.2 / MEAN}\n'
    '[session]\nrequests = "geometric(4)"\nthink = "exp(20ms)"',
}
SHARE = 1e-9


def simulate(
    policy: str,
    sessions: str,
    *,
    servers: int = 1,
    demands: str = DEMANDS,
    kinds: str = KINDS,
    more: str = "",
    **limits: float | str,
) -> tt.Result:
    classes = ""
    if policy.startswith(("priority", "edf")):
        classes = 'deadline.gold = "9ms"\n' if policy[0] == "e" else "priority.gold = 1\n"
    return tt.simulate(
        tt.Workload(f'name = "w"\nseed = 5\n[arrivals]\n{sessions}\n{kinds}'),
        tt.System(
            f'name = "s"\n[[station]]\nname = "x"\npolicy = "{policy}"\nservers = {servers}\n'
            f"{demands}{classes}{more}"
        ),
        rows="all",
        **({"warmup": 0} | limits),  # type: ignore[arg-type]
    )


def rows_of(result: tt.Result) -> polars.DataFrame:
    demand = (polars.col("demand_s") * 1e9).round().cast(polars.Int64).alias("demand")
    return polars.DataFrame(result.requests).with_columns(demand)


def within(frame: polars.DataFrame, begin: int, end: int) -> int:
    """The time that all requests together spent in a window."""
    spent = frame.select(
        polars.col("done_ns").clip(begin, end) - polars.col("scheduled_ns").clip(begin, end)
    )
    return int(spent.sum().item())


def busy(frame: polars.DataFrame, begin: int, end: int, servers: int) -> int:
    """The server-nanoseconds of a window in which a server had a request to serve."""
    steps = sorted(
        [(at, 1) for at in frame["scheduled_ns"]] + [(at, -1) for at in frame["done_ns"]]
    )
    total, number, last = 0, 0, begin
    for at, step in [*steps, (end, 0)]:
        here = min(max(at, begin), end)
        total += min(number, servers) * (here - last)
        number, last = number + step, here
    return total


# ---- every policy


@pytest.mark.parametrize("servers", [1, 3, 13])
@pytest.mark.parametrize("policy", [*POLICIES, "rr(4ms, switch=300us)"])
def test_littles_law_and_the_busy_time_of_a_window(policy: str, servers: int) -> None:
    """The window is whole: all requests in it have a row, as all that began was finished."""
    for name, warmup in (("open", 0.0), ("overload", 1.0), ("closed", 0.5), ("partly open", 0.5)):
        result = simulate(policy, SESSIONS[name], servers=servers, duration=2, warmup=warmup)
        frame, station = rows_of(result), result.summary["stations"]["x"]
        begin, end = round(warmup * 1e9), 2 * 10**9
        assert result.summary["duration_s"] == pytest.approx(2 - warmup, rel=SHARE)
        number = within(frame, begin, end) / (end - begin)
        assert station["queue_length_mean"] == pytest.approx(number, rel=SHARE)
        load = busy(frame, begin, end, servers) / (end - begin) / servers
        assert station["load"] == pytest.approx(load, rel=SHARE)
        came = frame.filter(polars.col("scheduled_ns") >= begin)
        assert station["demand_s"]["mean"] == pytest.approx(came["demand_s"].mean(), rel=SHARE)
        done = frame.filter(polars.col("done_ns").is_between(begin, end, closed="left"))
        assert result.summary["throughput"] * (2 - warmup) == pytest.approx(done.height)


@pytest.mark.parametrize("policy", POLICIES)
def test_work_is_conserved(policy: str) -> None:
    """One server: until the station is empty it was busy for just the demands that came."""
    for name in SESSIONS:
        frame = rows_of(simulate(policy, SESSIONS[name], duration=2))
        end = int(frame.select(polars.col("done_ns").max()).item())
        served, brought = busy(frame, 0, end, 1), int(frame["demand"].sum())
        allowed = 2 * frame.height if policy in ("ps", "las") else 0
        assert abs(served - brought) <= allowed, name


@pytest.mark.parametrize("policy", [*POLICIES, "rr(4ms, switch=300us)"])
def test_nobody_is_lost_or_served_twice_or_too_early(policy: str) -> None:
    for name in SESSIONS:
        result = simulate(policy, SESSIONS[name], servers=2, requests=400)
        frame = rows_of(result)
        assert frame.select("session", "request", "attempt").is_unique().all()
        assert frame.height == result.summary["requests"] == 400
        assert result.summary["errors"] == 0
        assert frame["error"].null_count() == 400
        early = frame["scheduled_ns"] + frame["demand"] - frame["done_ns"]
        allowed = 400 if policy in ("ps", "las") else 0
        assert (early <= allowed).all()
        by_session = frame.sort("session", "request").group_by("session", maintain_order=True)
        for _, own in by_session:  # requests in their order, without gaps
            first = own["request"][0] if own["session"][0] >= 2**40 else 0  # there at the start
            assert own["request"].to_list() == list(range(first, first + own.height))
            assert (own["scheduled_ns"][1:] >= own["done_ns"][:-1]).all()


def empties(policy: str, sessions: str) -> list[int]:
    """When the system becomes empty."""
    frame = rows_of(simulate(policy, sessions, duration=3)).sort("scheduled_ns")
    latest = np.maximum.accumulate(frame.sort("scheduled_ns")["done_ns"].to_numpy())
    next_arrival = np.append(frame["scheduled_ns"].to_numpy()[1:], np.iinfo(np.int64).max)
    return [int(time) for time in latest[latest <= next_arrival]]


@pytest.mark.parametrize("policy", POLICIES[1:])
def test_the_system_empties_at_the_same_instants_under_all_policies(policy: str) -> None:
    """One server that is never idle while there is work: the remaining work is the same."""
    expected, found = empties("fcfs", SESSIONS["open"]), empties(policy, SESSIONS["open"])
    assert len(found) == len(expected) > 20
    # A busy period has some dozen events, of half a nanosecond each.
    allowed = 50 if policy in ("ps", "las") else 0
    assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) <= allowed


@pytest.mark.parametrize("policy", ["fcfs", "ps", "rr(4ms)", "lcfs", "priority", "las", "srpt"])
def test_clients_that_never_think_keep_the_server_busy(policy: str) -> None:
    """Throughput 1/E[S] and mean N E[S], over the very demands of the run.

    Under `fcfs`, `ps` and `rr` each request finishes soon. Under the others a request may wait for
    long, but all that began is finished in the end, and the identity still holds: the times of N
    clients fill N times the run, except for its last part, when no more begin.
    """
    clients, requests = 5, 4000
    sessions = f'model = "closed"\nclients = {clients}\n[session]\nthink = "0s"'
    result = simulate(policy, sessions, requests=requests)
    frame = rows_of(result)
    mean = float(frame["demand_s"].mean() or 0)  # type: ignore[arg-type]
    whole = int(frame.select(polars.col("done_ns").max()).item()) / 1e9
    assert requests / whole == pytest.approx(1 / mean, rel=1e-8)
    last = int(frame.select(polars.col("scheduled_ns").max()).item())
    assert within(frame, 0, last) == clients * last
    assert result.summary["stations"]["x"]["load"] == 1
    assert result.summary["stations"]["x"]["queue_length_mean"] == pytest.approx(clients, rel=SHARE)
    if policy in ("fcfs", "ps", "rr(4ms)", "priority"):
        # Not all of the last N requests' time is within the run: at most N of 4000 times N E[S].
        found = result.summary["response_time_s"]["mean"]
        assert found == pytest.approx(clients * mean, rel=0.02)


# ---- the same seed, the same bytes

SCRIPT = """
import sys
import thinktime as tt
workload = tt.Workload({workload!r})
for number, policy in enumerate(["fcfs", "ps", "las", "srpt"]):
    system = tt.System({system!r}.replace("POLICY", policy))
    for replications in (1, 3):
        tt.simulate(workload, system, requests=500, warmup=0.1, rows="all",
            replications=replications, output=sys.argv[1] + f"/{{number}}-{{replications}}")
"""


def files(folder: Path, threads: int) -> dict[str, bytes]:
    """The tables of a process with this number of threads."""
    script = SCRIPT.format(
        workload=f'name = "w"\nseed = 5\n[arrivals]\n{SESSIONS["partly open"]}\n{KINDS}',
        system=f'name = "s"\n[[station]]\nname = "x"\npolicy = "POLICY"\n{DEMANDS}',
    )
    environment = os.environ | {"RAYON_NUM_THREADS": str(threads)}
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True, env=environment)
    names = ("requests.parquet", "series.parquet", "summary.json")
    found = [path for path in folder.rglob("*") if path.name in names]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(tmp_path: Path) -> None:
    one = files(tmp_path / "one", 1)
    assert sum(name.endswith("requests.parquet") for name in one) == 8
    for number, threads in enumerate((1, 3)):
        assert files(tmp_path / str(number), threads) == one


def test_replications_are_runs_of_their_own() -> None:
    """The first replication is the plain run; the others differ from it and from each other."""
    plain = rows_of(simulate("srpt", SESSIONS["open"], requests=200))
    three = rows_of(simulate("srpt", SESSIONS["open"], requests=200, replications=3))
    first, *others = (
        three.filter(polars.col("replication") == number).drop("replication") for number in range(3)
    )
    assert first.equals(plain.drop("replication"))
    assert all(other.height == 200 for other in others)
    times = [frame["scheduled_ns"].to_list() for frame in (first, *others)]
    assert len({tuple(one) for one in times}) == 3


# ---- arrivals that come to an end


def ending(more: str) -> tt.Result:
    """Fifty requests in a second, fewer and fewer, and then none; 1.5 s of work in 3 s."""
    arrivals = (
        'model = "open"\nrate = 100\nprocess = "even"\nprofile = "ramp(from=1, to=0, over=1s)"'
    )
    return simulate("fcfs", arrivals, demands='demand = "30ms"\n', kinds="", duration=3, more=more)


@pytest.mark.parametrize("more", ["", "newest_first_above = 1000000\n"])
def test_the_measured_time_goes_on_when_no_more_arrives(more: str) -> None:
    result = ending(more)
    count = rows_of(result).height
    assert result.summary["requests"] == count >= 49
    assert result.summary["duration_s"] == 3
    assert result.summary["throughput"] == pytest.approx(count / 3)
    assert result.summary["stations"]["x"]["load"] == pytest.approx(count * 0.030 / 3)


def test_the_quick_way_where_no_more_arrives() -> None:
    one, other = ending(""), ending("newest_first_above = 1000000\n")
    assert rows_of(one).equals(rows_of(other))
    assert one.summary == other.summary


# ---- random networks

LAWS = ("exp(50ms)", "uniform(0s, 100ms)", "discrete(0.5: 0s, 0.5: 100ms)")
NETWORK_POLICIES = [one for one in POLICIES if one[0] not in "pe" or one in ("ps", "plcfs", "psjf")]


def random_steps(rng: random.Random, depth: int, held: tuple[str, ...]) -> str:
    """Steps that release their resources."""
    steps: list[str] = []
    own: list[str] = []
    for _ in range(rng.randint(1, 3)):
        kind, free = rng.random(), [pool for pool in "pq" if pool not in (*held, *own)]
        if kind < 0.5 or (kind < 0.75 and depth == 2) or (kind >= 0.75 and not free):
            steps.append(f'{{use = "{rng.choice("xy")}", demand = "{rng.choice(LAWS)}"}}')
        elif kind < 0.6:
            steps.append('{delay = "exp(40ms)"}')
        elif kind < 0.75:
            parts = [random_steps(rng, depth + 1, (*held, *own)) for _ in range(rng.randint(2, 3))]
            steps.append(f"{{fork = [{', '.join(f'[{part}]' for part in parts)}]}}")
        else:
            own.append(rng.choice(free))
            steps.append(f'{{acquire = "{own[-1]}"}}')
        if own and rng.random() < 0.3:
            steps.append(f'{{release = "{own.pop(0)}"}}')
    return ", ".join(steps + [f'{{release = "{pool}"}}' for pool in own])


def random_system(rng: random.Random) -> str:
    text = 'name = "s"\n'
    for name in "xy":
        policy = rng.choice(NETWORK_POLICIES)
        servers = rng.choice([1, 1, 2, 13])
        text += f'[[station]]\nname = "{name}"\npolicy = "{policy}"\nservers = {servers}\n'
        text += f"queue_limit = {rng.randint(0, 6)}\n" if rng.random() < 0.3 else ""
        if policy not in ("ps", "las") and rng.random() < 0.4:
            text += f'queue_timeout = "{rng.choice([20, 100, 300])}ms"\n'
        if policy == "fcfs" and rng.random() < 0.5:
            text += f"newest_first_above = {rng.randint(0, 4)}\n"
    for name in "pq":
        text += f'[[pool]]\nname = "{name}"\nsize = {rng.randint(1, 3)}\n'
        text += f"queue_limit = {rng.randint(0, 4)}\n" if rng.random() < 0.4 else ""
    for name in "ab":
        steps = random_steps(rng, 0, ())
        text += f'[[behaviour]]\nrequest = "{name}"\nsteps = [{steps}]\n'
    return text


def random_workload(rng: random.Random) -> str:
    text = f'name = "w"\n[arrivals]\nmodel = "open"\nrate = {rng.choice([5, 15, 40])}\n'
    text += 'profile = "steps(0s: 1, 10s: 1e-9)"\n'
    if rng.random() < 0.4:
        text += f"[clients]\nconcurrency = {rng.randint(1, 20)}\n"
        text += f"waiting = {rng.randint(0, 5)}\n" if rng.random() < 0.5 else ""
        text += 'retry_budget = { share = "20%" }\n' if rng.random() < 0.5 else ""
    for name in "ab":
        text += f'[[request]]\nname = "{name}"\n'
        if rng.random() < 0.7:
            cancel = rng.choice(["never", "queued", "always", "always"])
            text += f'timeout = "{rng.choice([30, 100, 400])}ms"\ncancel = "{cancel}"\n'
        if rng.random() < 0.6:
            backoff = rng.choice(["0s", "exp(30ms)", "10ms"])
            text += f'retry = {{ attempts = {rng.randint(1, 4)}, backoff = "{backoff}" }}\n'
    return text


def check_network(workload: str, system: str) -> None:
    result = tt.simulate(
        tt.Workload(workload), tt.System(system), duration=1000, warmup=0, rows="all"
    )
    frame, summary = rows_of(result), result.summary
    assert frame.select("session", "request", "attempt").is_unique().all()
    assert frame["session"].n_unique() == summary["requests"]
    assert (frame["done_ns"] >= frame["scheduled_ns"]).all()
    assert summary["retries"] == frame.height - summary["requests"]
    for place in (*summary["stations"].values(), *summary["pools"].values()):
        assert 0 <= place["load"] <= 1
        assert place["queue_length_mean"] <= place["queue_length_max"] <= 10 * frame.height
    noted = polars.DataFrame(result.series)["in_server"].drop_nulls()
    assert noted[-1] == 0  # in the end all have left


def test_random_networks() -> None:
    """Whatever the network, no request is lost or left over, and no number goes below zero."""
    for seed in range(60):
        rng = random.Random(seed)
        check_network(random_workload(rng), random_system(rng))
