"""The fast simulator against the slow, exact one: every departure of the same sample path.

Times of arrival and demands are taken from the rows of a fast run and given to `reference`. The
departures must be the same to the nanosecond; under `ps` and `las`, whose rates are fractions, the
fast one rounds every event to a nanosecond, so there each may be off by one for each event.
"""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import polars
import pytest
import reference
import reference_closed
import reference_stations
from reference import Given
from reference_stations import Job

import thinktime as tt

TURNS_BY_CLASS = ["priority(3ms)", "priority(20ms, 1ms)", "priority(4ms, 1ms, 2ms)"]
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
    "rr(4ms, switch=500us)",
    "priority",
    "priority(preemptive=no)",
    "pesjf",
    "peljf",
    "edf",
    "edf(preemptive=no)",
    "mlfq(2ms, 4ms, 8ms)",
    *TURNS_BY_CLASS,
]
CLASSES = {"gold": 1, "base": 2, "rest": 3}
"""`rest` has no class in the system file: it comes last."""
DEADLINES = {"gold": 15_000_000, "base": 60_000_000, "rest": 10**18}
"""In nanoseconds; `rest` has none in the system file: it comes last."""
MEANS = {"gold": 0.010, "base": 0.005, "rest": 0.020}
MEAN = sum(MEANS.values()) / 3
SHAPES = {
    "exp": "exp({})",
    "h2": "h2({}, cv2=6)",
    "uniform": "uniform(0s, {} * 2)",
}
KINDS = "".join(f'[[request]]\nname = "{name}"\n' for name in MEANS)
PATHS = [("exp", 0.8, 1), ("h2", 1.5, 2), ("uniform", 0.95, 3), ("h2", 0.7, 4)]
"""(shape of the demands, load, seed)"""


# ---- running both


def law(shape: str, mean: float) -> str:
    if shape == "uniform":
        return f"uniform(0s, {2 * mean}s)"
    return SHAPES[shape].format(f"{mean}s")


def system_text(policy: str, servers: int, demand: str, more: str = "") -> str:
    classes = ""
    if policy.startswith("priority"):
        classes = "priority.gold = 1\npriority.base = 2\n"
    elif policy.startswith("edf"):
        classes = 'deadline.gold = "15ms"\ndeadline.base = "60ms"\n'
    elif policy == "dps":
        classes = "weight.gold = 3.5\nweight.base = 0.25\n"
    return (
        f'name = "s"\n[[station]]\nname = "x"\npolicy = "{policy}"\nservers = {servers}\n'
        f"{demand}\n{classes}{more}"
    )


def by_kind(shape: str) -> str:
    return "\n".join(f'demand.{name} = "{law(shape, mean)}"' for name, mean in MEANS.items())


def workload(arrivals: str, session: str = "", seed: int = 1) -> tt.Workload:
    table = f"[session]\n{session}\n" if session else ""
    return tt.Workload(f'name = "w"\nseed = {seed}\n[arrivals]\n{arrivals}\n{table}{KINDS}')


def rows_of(result: tt.Result) -> polars.DataFrame:
    """The rows with demands in nanoseconds, in the order of arrival."""
    demand = (polars.col("demand_s") * 1e9).round().cast(polars.Int64).alias("demand")
    kind = polars.col("name").cast(polars.String)
    frame = polars.DataFrame(result.requests).with_columns(demand, kind)
    return frame.sort("scheduled_ns", "session", "request")


def ranks_of(policy: str) -> dict[str, float] | None:
    if policy.startswith("priority"):
        return dict(CLASSES)
    if policy.startswith("edf"):
        return dict(DEADLINES)
    if policy == "dps":
        return {"gold": 3.5, "base": 0.25, "rest": 1}
    return dict(MEANS) if policy.startswith(("pesjf", "peljf")) else None


class LastFreedFirst(reference_stations.RoundRobin):
    """A job takes, of the free servers, the one that was freed last; unused ones come last.

    It matters only where turning to another job costs something. The reference takes the lowest
    number; the fast one this.
    """

    def __init__(self, servers: int, quantum: Fraction, cost: Fraction) -> None:
        super().__init__(servers, quantum, cost)
        self.free = list(reversed(self.all))

    def start(self) -> None:
        for at in self.all:
            if at.job is None and at not in self.free:
                self.free.append(at)
        while self.free and self.line:
            self.begin(self.free.pop())


class LastJoinedGivesWay(reference_stations.Feedback):
    """Of running jobs on the lowest level, the one that joined it last is pushed out.

    The reference pushes out the one that arrived last; with one server there is no choice.
    """

    def __init__(self, servers: int, quanta: list[Fraction]) -> None:
        super().__init__(servers, quanta)
        self.joined: dict[Job, int] = {}

    def join(self, job: Job, level: int) -> None:
        super().join(job, level)
        self.joined[job] = max(self.joined.values(), default=0) + 1

    def push_out(self) -> None:
        numbers = {job: job.number for job in self.present}
        for job in self.running:  # the values that the reference compares
            job.number = self.joined[job]
        super().push_out()
        for job, number in numbers.items():
            job.number = number


class ClassesLastJoined(LastJoinedGivesWay, reference_stations.ClassesInTurns):
    """The same with turns by class."""


def station_of(policy: str, servers: int) -> reference_stations.Station:
    """The reference's station, with the fast one's choices if more than one is right."""
    plain = reference.station(policy.replace("preemptive=no", "preemptive=false"), servers)
    if isinstance(plain, reference_stations.RoundRobin):
        return LastFreedFirst(servers, plain.quantum, plain.cost)
    if isinstance(plain, reference_stations.ClassesInTurns):
        return ClassesLastJoined(servers, plain.quanta)
    if isinstance(plain, reference_stations.Feedback):
        return LastJoinedGivesWay(servers, plain.quanta)
    return plain


def exact_departures(
    policy: str, servers: int, jobs: list[Given], ranks: dict[str, float] | None = None
) -> list[Fraction]:
    coming = [reference.new_job(owner, Fraction(0), job, ranks) for owner, job in enumerate(jobs)]
    gone = reference.simulate(station_of(policy, servers), coming)
    return [now for _, now in sorted(gone, key=lambda one: one[0].owner)]


def tolerance(policy: str, events: int) -> int:
    """In nanoseconds; an event is an arrival or a departure."""
    return events if policy in ("ps", "las", "dps") else 0


def check_open(policy: str, servers: int, result: tt.Result) -> None:
    frame = rows_of(result)
    assert frame["error"].null_count() == frame.height
    jobs: list[Given] = list(frame.select("scheduled_ns", "demand", "name").iter_rows())
    exact = exact_departures(policy, servers, jobs, ranks_of(policy))
    allowed = tolerance(policy, 2 * frame.height)
    for job, fast, slow in zip(jobs, frame["done_ns"], exact, strict=True):
        assert abs(fast - slow) <= allowed, (job, fast, float(slow))


# ---- open and partly open


def simulate_open(
    policy: str, servers: int, path: tuple[str, float, int], requests: int
) -> tt.Result:
    shape, load, seed = path
    rate = load * servers / MEAN
    return tt.simulate(
        workload(f'model = "open"\nrate = "{rate}/s"', seed=seed),
        tt.System(system_text(policy, servers, by_kind(shape))),
        duration=requests / rate,
        warmup=0,
        rows="all",
    )


@pytest.mark.parametrize("servers", [1, 2, 3])
@pytest.mark.parametrize("policy", POLICIES)
def test_open(policy: str, servers: int) -> None:
    for path in PATHS:
        check_open(policy, servers, simulate_open(policy, servers, path, 90))


@pytest.mark.parametrize("servers", [11, 12, 20])
@pytest.mark.parametrize("policy", POLICIES)
def test_many_servers(policy: str, servers: int) -> None:
    """From twelve servers on the fast one finds them by an index."""
    check_open(policy, servers, simulate_open(policy, servers, ("h2", 1.3, servers), 120))


@pytest.mark.parametrize("policy", POLICIES)
def test_partly_open(policy: str) -> None:
    result = tt.simulate(
        workload(
            f'model = "partly-open"\nrate = "{0.9 / 4 / MEAN}/s"',
            'requests = "geometric(4)"\nthink = "exp(20ms)"',
        ),
        tt.System(system_text(policy, 1, by_kind("h2"))),
        requests=150,
        warmup=0,
        rows="all",
    )
    check_open(policy, 1, result)


def test_processor_sharing_sets_its_virtual_time_back() -> None:
    """In a busy period of many thousand seconds of virtual time: beyond 2^40 ns it starts anew."""
    result = tt.simulate(
        tt.Workload('name = "w"\n[arrivals]\nmodel = "open"\nrate = "0.011/s"\n'),
        tt.System(system_text("ps", 1, 'demand = "exp(100s)"')),
        duration=20_000,
        warmup=0,
        rows="all",
    )
    assert result.summary["stations"]["x"]["load"] > 0.9
    check_open("ps", 1, result)


@pytest.mark.parametrize("policy", ["pesjf", "peljf"])
def test_an_estimate_without_error_is_the_demand(policy: str) -> None:
    frame = rows_of(simulate_open(f"{policy}(error=1)", 2, ("h2", 0.9, 7), 150))
    jobs: list[Given] = [
        (at, demand, str(demand))
        for at, demand in frame.select("scheduled_ns", "demand").iter_rows()
    ]
    ranks = {str(demand): float(demand) for demand in frame["demand"]}
    assert exact_departures(policy, 2, jobs, ranks) == frame["done_ns"].to_list()


def test_weighted_shares_of_one_server() -> None:
    for path in PATHS:
        check_open("dps", 1, simulate_open("dps", 1, path, 90))


def test_weighted_shares_of_closed_clients() -> None:
    result = tt.simulate(
        workload('model = "closed"\nclients = 7', 'think = "exp(30ms)"'),
        tt.System(system_text("dps", 1, by_kind("h2"))),
        requests=90,
        warmup=0,
        rows="all",
    )
    check_closed("dps", 1, 7, result)


SPEEDS = [Fraction(1), Fraction(5, 2), Fraction(7, 4)]


@pytest.mark.parametrize(
    ("policy", "servers"), [*((one, number) for one in POLICIES for number in (1, 3)), ("dps", 1)]
)
def test_speeds_by_the_number_present(policy: str, servers: int) -> None:
    """Each change of speed is at a whole nanosecond, and so costs up to 2.5 ns of work."""
    table = 'rate = "table(1, 2.5, 1.75)"\n'
    for shape, load, seed in PATHS[:3]:
        result = tt.simulate(
            workload(f'model = "open"\nrate = "{load * 1.75 / MEAN}/s"', seed=seed),
            tt.System(system_text(policy, servers, by_kind(shape), table)),
            duration=60 * MEAN,
            warmup=0,
            rows="all",
        )
        frame = rows_of(result)
        jobs: list[Given] = list(frame.select("scheduled_ns", "demand", "name").iter_rows())
        ranks = ranks_of(policy)
        coming = [reference.new_job(at, Fraction(0), job, ranks) for at, job in enumerate(jobs)]
        at = reference_stations.AtSpeed(station_of(policy, servers), SPEEDS)
        gone = sorted(reference.simulate(at, coming), key=lambda one: one[0].owner)
        for fast, (job, slow) in zip(frame["done_ns"], gone, strict=True):
            assert abs(fast - slow) <= 6 * frame.height, (job, fast, float(slow))


# ---- closed


def lists_by_client(frame: polars.DataFrame, clients: int) -> list[list[Given]]:
    """(think, demand, kind) of each client's requests."""
    lists: list[list[Given]] = [[] for _ in range(clients)]
    last = [0] * clients
    columns = frame.sort("request").select("session", "scheduled_ns", "done_ns", "demand", "name")
    for session, scheduled, done, demand, name in columns.iter_rows():
        lists[session].append((scheduled - last[session], demand, name))
        last[session] = done
    return lists


def check_closed(policy: str, servers: int, clients: int, result: tt.Result) -> None:
    frame = rows_of(result)
    lists = lists_by_client(frame, clients)
    with patch.object(reference_closed, "station", station_of):
        exact = reference_closed.closed(policy, servers, lists, ranks=ranks_of(policy))
    allowed = tolerance(policy, 2 * frame.height)
    for session, times in enumerate(exact):
        own = frame.filter(polars.col("session") == session).sort("request")
        fast = own.select("scheduled_ns", "done_ns").rows()
        assert len(fast) == len(times)
        for number, (one, other) in enumerate(zip(fast, times, strict=True)):
            off = max(abs(a - b) for a, b in zip(one, other, strict=True))
            assert off <= allowed, (session, number, one, other)


@pytest.mark.parametrize("servers", [1, 2, 3])
@pytest.mark.parametrize("policy", POLICIES)
def test_closed(policy: str, servers: int) -> None:
    for shape, think, clients in [
        ("exp", "exp(30ms)", 8),
        ("h2", "0s", 5),
        ("uniform", "uniform(1ms, 9ms)", 6),
    ]:
        result = tt.simulate(
            workload(f'model = "closed"\nclients = {clients}', f'think = "{think}"', seed=servers),
            tt.System(system_text(policy, servers, by_kind(shape))),
            requests=90,
            warmup=0,
            rows="all",
        )
        check_closed(policy, servers, clients, result)


# ---- everything at once


def in_step(policy: str, servers: int, seed: int) -> tt.Result:
    """Arrivals and demands are multiples of half a millisecond: much falls together."""
    shares = {"gold": (0.3, 0.3, 0.4), "base": (0.8, 0.1, 0.1), "rest": (0.1, 0.3, 0.6)}
    demands = "\n".join(
        f'demand.{name} = "discrete({a}: 500us, {b}: 1ms, {c}: 2ms)"'
        for name, (a, b, c) in shares.items()
    )
    arrivals = f"discrete(0.4: 0ms, 0.4: {2 / servers}ms, 0.2: {2 / servers}ms)"
    return tt.simulate(
        workload(f'model = "open"\nprocess = "{arrivals}"', seed=seed),
        tt.System(system_text(policy, servers, demands)),
        duration=min(0.06, 0.3 / servers),
        warmup=0,
        rows="all",
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("policy", [*POLICIES, "rr(500us)", "rr(1ms)", "mlfq(500us, 1ms)"])
def test_what_falls_together_on_one_server(policy: str, seed: int) -> None:
    check_open(policy, 1, in_step(policy, 1, seed))


NO_TURNS = [one for one in POLICIES if not one.startswith(("rr", "mlfq", *TURNS_BY_CLASS))]


@pytest.mark.parametrize("servers", [2, 4, 13])
@pytest.mark.parametrize("policy", NO_TURNS)
def test_what_falls_together_on_several_servers(policy: str, servers: int) -> None:
    """Policies with turns are left out: of turns that end together either may be first."""
    check_open(policy, servers, in_step(policy, servers, servers))
