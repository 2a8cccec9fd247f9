"""For any file, a command ends by itself, within bounds, and reports the error.

Each case runs in a process of its own, whose memory and processor time the kernel limits: a guard
against endless work, far above the needs of any case, and not a measurement.
"""

from __future__ import annotations

import random
import re
import resource
from dataclasses import dataclass
from pathlib import Path

import command_copies
import pytest
from fuzzing import seeds
from volume import oracle, volume

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LIMITS = {resource.RLIMIT_DATA: 3 << 30, resource.RLIMIT_CPU: 300}
DEADLINE_S = 1200
CONSTANTS = {
    "thinktime.operations.simulation:PROGRESS_LIMITS": volume((1 << 18, 1 << 17), None),
}
"""Simulations without progress are given up 64 times sooner than those of users; `make coverage`
waits as long as these do."""

TIMES = ["0s", "5e-324s", "1e-300s", "1ns", "7ns", "1us", "1h", "1e9s", "1e18s", "1e300s", "-1s"]
NUMBERS = ["0", "1", "0.5", "1e-300", "1e300", "4294967295", "18446744073709551615", "-1", "nan"]
DEMANDS = [
    "gamma(shape=1e-300, scale=1ms)", "gamma(shape=1e12, scale=1ms)",
    "pareto(shape=1.0001, scale=1ms)", "weibull(shape=0.01, scale=1ms)",
    "lognormal(mu=0, sigma=40)", "h2(1ms, cv2=1e15)",
    "discrete(0.999999999999: 1ns, 1e-12: 1h)", "mix(0.5: const(0s), 0.5: exp(1e300s))",
    "truncated(pareto(shape=1.01, scale=1ns), hi=1e9s)", "erlang(1000000000, 1ms)",
]  # fmt: skip
POLICIES = ["rr(1ns)", "mlfq(1ns, 1ns)", "rr(1us, switch=1h)", "las", "psjf", "srpt", "ps", "lcfs"]
RETRIES = [
    'retry = { attempts = "unlimited" }',
    'retry = { attempts = "unlimited", when = "late", backoff = "uniform(0s, 100ms)" }',
    'retry = { attempts = 1000000, backoff = "const(0s)" }',
]
OTHERS = ["", 'cancel = "always"\n', 'cancel = "queued"\n']


@dataclass(frozen=True)
class Ended:
    """The end of a command."""

    status: int
    output: str
    errors: str

    def check(self) -> None:
        """It ended by itself, as commands do, and said why."""
        assert self.status in (0, 1, 2, 3), (self.status, self.errors[-2000:])
        assert "Traceback" not in self.errors + self.output, self.errors[-3000:]
        assert "panicked" not in self.errors, self.errors[-2000:]
        assert self.status == 0 or self.errors.strip(), "it failed without a word"


def simulate(folder: Path, workload: str, system: str, *options: str) -> Ended:
    (folder / "workload.toml").write_text(workload, encoding="utf-8")
    (folder / "system.toml").write_text(system, encoding="utf-8")
    words = ["simulate", "workload.toml", "system.toml", "--requests", "2000", *options]
    done = command_copies.thinktime(words, folder, DEADLINE_S, LIMITS, CONSTANTS)
    return Ended(done.returncode, done.stdout, done.stderr)


def closed(think: str = "exp(100ms)", request: str = "", session: str = "") -> str:
    return (
        'name = "extreme"\n[arrivals]\nmodel = "closed"\nclients = 50\n'
        f'[session]\nthink = "{think}"\n{session}[[request]]\nname = "item"\nget = "/"\n{request}'
    )


OPEN = 'name = "extreme"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n'
STORM = (
    'timeout = "50ms"\ncancel = "always"\n'
    'retry = { attempts = "unlimited", when = "late", backoff = "uniform(0s, 100ms)" }\n'
)
WINDOWS = (
    'name = "machine"\n[[machine]]\nname = "m"\ncores = 4\nos = "windows-xp"\n'
    'threads = "event-loop"\ndemand = "exp(100ms)"\n'
)


def station(demand: str = "exp(10ms)", policy: str = "fcfs") -> str:
    return f'name = "s"\n[[station]]\nname = "server"\ndemand = "{demand}"\npolicy = "{policy}"\n'


# ---- those that once ran away or ended in a traceback


@pytest.mark.parametrize("demand", ["1e-300s", "5e-324s", "gamma(shape=1e-300, scale=1ms)"])
@pytest.mark.parametrize("policy", ["fcfs", "ps", "srpt", "las", "psjf"])
def test_demands_next_to_nothing(tmp_path: Path, demand: str, policy: str) -> None:
    simulate(tmp_path, OPEN, station(demand, policy)).check()


@pytest.mark.parametrize("policy", ["fcfs", "ps"])
def test_think_times_next_to_nothing(tmp_path: Path, policy: str) -> None:
    ended = simulate(tmp_path, closed("exp(1e-300s)"), station(policy=policy))
    ended.check()
    assert ended.status == 0
    assert "no exact values: a mean think time of 1e-300 s is beyond" in ended.errors


@oracle
def test_timeouts_of_a_nanosecond_do_not_take_all_memory(tmp_path: Path) -> None:
    request = 'timeout = "1ns"\nretry = { attempts = "unlimited" }\n'
    for workload in (
        closed(request=request),
        f'{OPEN}[[request]]\nname = "item"\nget = "/"\n{request}',
    ):
        ended = simulate(tmp_path, workload, station())
        ended.check()
        assert ended.status == 3
        assert "limit the attempts" in ended.errors.lower()


@pytest.mark.parametrize("policy", ["rr(1ns)", "mlfq(1ns, 1ns)"])
def test_quanta_far_below_the_demands_are_refused(tmp_path: Path, policy: str) -> None:
    ended = simulate(tmp_path, OPEN, station(policy=policy))
    assert ended.status == 2
    assert "takes 10000000 turns of 1.00 ns" in ended.errors
    assert "at least 1.00 µs" in ended.errors


@oracle
@pytest.mark.parametrize("system", [station("exp(10s)", "psjf"), WINDOWS])
def test_storms_of_retries_end(tmp_path: Path, system: str) -> None:
    workload = closed(request=STORM, session='on_error = "end"\n')
    simulate(tmp_path, workload, system).check()


# ---- examples with numbers that nobody would write


def mutated(seed: int) -> tuple[str, str]:
    """A workload and a system of the examples, with one to four extreme values."""
    draw = random.Random(seed)
    workload = (EXAMPLES / draw.choice(["load-test.toml", "shop.toml", "retries.toml"])).read_text()
    system = (
        EXAMPLES / draw.choice(["two-speeds.toml", "server.toml", "three-tier.toml"])
    ).read_text()
    for _ in range(draw.randint(1, 3)):
        if draw.random() < 0.5:
            workload = _changed(draw, workload)
        else:
            system = _changed(draw, system)
    if draw.random() < 0.3:
        request = f'timeout = "{draw.choice(TIMES)}"\n{draw.choice(OTHERS)}{draw.choice(RETRIES)}\n'
        workload = re.sub(r"(?m)^(timeout|retry|cancel) .*\n", "", workload)
        workload = workload.replace("[[request]]\n", f"[[request]]\n{request}")
    if draw.random() < 0.3:
        system = re.sub(r"(?m)^policy .*\n", "", system)
        system = system.replace(
            "[[station]]\n", f'[[station]]\npolicy = "{draw.choice(POLICIES)}"\n'
        )
    if draw.random() < 0.3:
        system = re.sub(r"(?m)^(demand[.\w]* *= ).*$", rf'\1"{draw.choice(DEMANDS)}"', system)
    return workload, system


NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(ns|us|ms|s|min|h)?(?![\w.])")


def _changed(draw: random.Random, text: str) -> str:
    """One number, or time, replaced."""
    lines = [n for n, line in enumerate(text.splitlines()) if not line.startswith("#")]
    places = [m for m in NUMBER.finditer(text) if text.count("\n", 0, m.start()) in lines]
    if not places:
        return text
    place = draw.choice(places)
    value = draw.choice(TIMES if place[2] else NUMBERS)
    return text[: place.start()] + value + text[place.end() :]


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds(range(12), fresh=150))
def test_extreme_examples(tmp_path: Path, seed: int) -> None:
    workload, system = mutated(seed)
    simulate(tmp_path, workload, system).check()
