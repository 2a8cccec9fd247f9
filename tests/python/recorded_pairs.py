"""The pairs of a workload and a system with recorded results: small, and of every kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass(frozen=True)
class Pair:
    """A workload, a system (texts, or examples' file names) and the options of `simulate`."""

    workload: str
    system: str
    options: dict[str, Any] = field(default_factory=lambda: {"requests": 3000})
    vary: tuple[str, ...] = ()
    """Not empty: a sweep over these, whose table is recorded instead of rows and summary."""


def _workload(arrivals: str, session: str = "", rest: str = "") -> str:
    return f'name = "recorded"\nseed = 7\n[arrivals]\n{arrivals}\n[session]\n{session}\n{rest}'


def _station(policy: str, demand: str = '"exp(10ms)"', more: str = "", name: str = "server") -> str:
    return f'[[station]]\nname = "{name}"\npolicy = "{policy}"\ndemand = {demand}\n{more}\n'


def _system(*tables: str) -> str:
    return 'name = "recorded"\n' + "".join(tables)


OPEN = _workload('model = "open"\nrate = "80/s"')
CLOSED = _workload('model = "closed"\nclients = 12', 'think = "exp(50ms)"')
PARTLY_OPEN = _workload(
    'model = "partly-open"\nrate = "15/s"', 'requests = "geometric(5)"\nthink = "exp(200ms)"'
)
TWO_NAMES = """
[[request]]
name = "small"
weight = 3
get = "/small/{zipf(n=100, s=0.9)}"
[[request]]
name = "large"
post = "/large"
body = "x=1"
"""
IMPATIENT = """
[[request]]
name = "get"
timeout = "60ms"
cancel = "queued"
retry = { attempts = 4, backoff = "uniform(0s, 20ms)", growth = 2, backoff_max = "100ms" }
[clients]
concurrency = 40
waiting = 20
retry_budget = { share = "20%", burst = 5 }
"""
BY_NAME = '{ small = "exp(5ms)", large = "lognormal(mu=-4, sigma=1)" }'

THREADS = """
[[station]]
name = "web"
servers = 2
policy = "rr(1ms, switch=10us)"
demand = "exp(2ms)"
[[station]]
name = "database"
policy = "fcfs"
[[pool]]
name = "threads"
size = 8
queue_limit = 30
[[behaviour]]
steps = [
  { use = "web" },
  { acquire = "threads" },
  { fork = [
    [{ delay = "exp(30ms)" }],
    [{ use = "database", demand = "h2(6ms, cv2=4)" }, { use = "web", demand = "1ms" }],
  ] },
  { release = "threads" },
]
"""
MACHINE = """
[[machine]]
name = "server"
cores = 2
os = "{os}"
context_switch = "5us"
threads = {threads}
demand = "exp(18ms)"
"""
SERVICES = """
[[machine]]
name = "host"
cores = 2
os = "linux-cfs"
[[service]]
name = "web"
machine = "host"
threads = "event-loop"
[[service]]
name = "batch"
machine = "host"
threads = 4
priority = 5
cores = [1]
[[behaviour]]
steps = [
  { use = "web", demand = "200us" },
  { use = "batch", demand = "exp(6ms)" },
  { delay = "exp(4ms)", disk = true },
  { use = "batch", demand = "1ms" },
]
"""
LIMITED = 'queue_limit = 15\nqueue_timeout = "80ms"\nnewest_first_above = 6'
REPLAY = _workload('model = "partly-open"\nprocess = "trace(access.log, timeout=20s)"')
BURSTY = _workload('model = "open"\nrate = "70/s"\nprocess = "h2(1s, cv2=9)"')
CHANGING = _workload(
    'model = "open"\nrate = "60/s"\nprofile = "sine(period=8s, low=1/4)"', "", TWO_NAMES
)
SEVERAL = {"requests": 1500, "replications": 3}

PAIRS: dict[str, Pair] = {
    "open, FCFS": Pair(OPEN, _system(_station("fcfs", '"h2(10ms, cv2=8)"'))),
    "open, PS, a load held": Pair(OPEN, _system(_station("ps")), {"requests": 3000, "load": 0.9}),
    "open, LAS, replications": Pair(
        BURSTY, _system(_station("las", '"gamma(0.5, 20ms)"')), SEVERAL
    ),
    "open, a changing rate, SRPT": Pair(CHANGING, _system(_station("srpt", BY_NAME))),
    "open, limits of the queue": Pair(
        BURSTY, _system(_station("fcfs", '"exp(13ms)"', LIMITED)), {"duration": "40s"}
    ),
    "open, timeouts and retries": Pair(
        _workload('model = "open"\nrate = "90/s"', "", IMPATIENT), _system(_station("fcfs"))
    ),
    "open, a collapse by retries": Pair("retries.toml", "two-speeds.toml", {"duration": "1.6s"}),
    "closed, PS and several servers": Pair(
        CLOSED,
        _system(
            _station("ps"), _station("fcfs", '"erlang(4, 30ms)"', "servers = 3", name="database")
        ),
    ),
    "closed, a load held by the think time": Pair(
        CLOSED, _system(_station("fcfs")), {"requests": 3000, "load": 0.7}
    ),
    "closed, to a precision": Pair(
        CLOSED, _system(_station("lcfs")), {"precision": "8%", "rows": "1/5"}
    ),
    "partly open, PSJF and PESJF": Pair(
        _workload(
            'model = "partly-open"\nrate = "20/s"',
            'requests = "geometric(3)"\nthink = "lognormal(mu=-2, sigma=1.5)"\non_error = "end"',
            TWO_NAMES,
        ),
        _system(
            _station("psjf", BY_NAME),
            _station("pesjf(error=lognormal(mu=0, sigma=0.5))", BY_NAME, name="database"),
        ),
    ),
    "partly open, priorities": Pair(
        _workload(
            'model = "partly-open"\nrate = "20/s"\nprocess = "even"',
            'requests = "const(3)"\nthink = "exp(100ms)"',
            TWO_NAMES,
        ),
        _system(_station("priority", BY_NAME, "priority.small = 1\npriority.large = 2")),
    ),
    "partly open, pools and forks": Pair(PARTLY_OPEN, _system(THREADS)),
    "partly open, three tiers": Pair("shop.toml", "three-tier.toml", {"requests": 3000}),
    "partly open, scripts": Pair("buyers.toml", "shop-server.toml", {"duration": "120s"}),
    "a machine under EEVDF": Pair(
        PARTLY_OPEN, _system(MACHINE.format(os="linux-eevdf", threads='"per-request"'))
    ),
    "a machine under Linux 2.6": Pair(
        CLOSED, _system(MACHINE.format(os="linux-2.6.22", threads="6"))
    ),
    "services on one machine": Pair(PARTLY_OPEN, _system(SERVICES)),
    "a log replayed": Pair(REPLAY, _system(_station("mlfq(2ms, 8ms)")), {}),
    "a sweep over policies": Pair(
        PARTLY_OPEN,
        _system(_station("fcfs")),
        {"requests": 1000},
        vary=("load=0.5,0.8", "station.server.policy=fcfs,ljf,plcfs,peljf,rr(3ms),mlfq(2ms)"),
    ),
}


def write_log(path: Path) -> None:
    """An access log of 40 users, made by a congruence so that it needs no library's generator."""
    state, lines = 12345, []
    for number in range(2000):
        state = (1103515245 * state + 12345) % 2**31
        second, user, item = number // 9, state // 65536 % 40, state // 1024 % 30
        stamp = f"17/May/2026:10:{second // 60:02}:{second % 60:02} +0000"
        lines.append(f'10.0.0.{user} - - [{stamp}] "GET /item/{item} HTTP/1.1" 200 512 "-" "x"\n')
    path.write_text("".join(lines), encoding="utf-8")
