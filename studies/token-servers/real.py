"""The ways of benchmarks on a server that nobody here wrote, measured and predicted.

    .venv/bin/python studies/token-servers/real.py [--python PATH] [--small] [--to DIR]

llama.cpp's server runs a model of random weights on one core, is asked in each way, and a model of
it, fitted to the open way, predicts the others: see README.md. It writes real.json and real.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import real_tables
import real_ways
import ways
from real_server import Server, llama

sys.path.insert(0, str(ways.HERE.parent))

import marks
import output

import thinktime as tt
from thinktime.explain.token_server import TokenServerFit

TRIES = 3
"""The number of attempts at a run before one that is late ends the study."""

WAITED = 0.1
"""A server that waited for a core for more than this share of a run is late."""


@dataclass(frozen=True)
class Length:
    """How long each run is, and how often all ways are measured."""

    warmup_s: float
    measured_s: float
    rounds: int
    simulations: int
    """The simulated studies whose figures tell how much a measured one may vary."""

    @property
    def run(self) -> dict[str, float]:
        """Warm-up and duration, as options of a run or a simulation."""
        return {"warmup": self.warmup_s, "duration": self.warmup_s + self.measured_s}


WHOLE = Length(2, 25, rounds=3, simulations=40)
SMALL = Length(1, 9, rounds=1, simulations=20)
LOAD = 0.7
"""The share of the throughput with all places taken, at which the ways are compared."""


def main() -> int:
    """Measure and predict all ways, and write the results; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--python", default=sys.executable, help="a Python that has xllamacpp")
    parser.add_argument("--url", help="a server with 8 places that listens, not llama.cpp's")
    parser.add_argument("--small", action="store_true", help="one load, and short runs")
    output.add_option(parser)
    options = parser.parse_args()
    to = output.folder(parser, options.to, ways.HERE, short=options.small)
    length = SMALL if options.small else WHOLE
    ours = Server(options.url, options.url) if options.url else None
    with nullcontext(ours) if ours else llama(options.python, real_ways.PLACES) as server:
        found = compared(length, Asking(server, length))
    to.mkdir(parents=True, exist_ok=True)
    whole = {"server": server.what, "length": vars(length), "ways": found}
    (to / "real.json").write_text(json.dumps(whole, indent=1) + "\n")
    lines = list(real_tables.lines(whole))
    print("\n".join(lines))
    marks.put(to / "real.md", lines)
    return 0


@dataclass(frozen=True)
class Asking:
    """The real server, asked with a workload."""

    server: Server
    length: Length

    def __call__(self, workload: dict[str, Any], seed: int) -> tt.Result:
        """Run it; anew if the machine made it late."""
        for _ in range(TRIES):
            before, began = self.server.waited_s(), time.monotonic()
            result = tt.run(workload, self.server.url, seed=seed, rows="all", **self.length.run)
            waited = (self.server.waited_s() - before) / (time.monotonic() - began)
            late = result.untrusted or (
                f"the server waited for a core for {waited:.0%} of the time"
                if waited > WAITED else None
            )  # fmt: skip
            if late is None:
                return result
            print(f"done again: {late}", file=sys.stderr)
        raise SystemExit(f"{late}: keep the cores free, or see README.md")


def compared(length: Length, ask: real_ways.Ask) -> list[dict[str, Any]]:
    """The figures of all ways, measured and predicted."""

    def simulated(fit: TokenServerFit) -> real_ways.Ask:
        return lambda given, seed: tt.simulate(
            given, fit.model, seed=seed, rows="all", **length.run
        )

    plan = real_ways.planned(LOAD, ask, simulated)
    rounds = []
    for seed in range(1, length.rounds + 1):
        rounds.append(real_ways.measured(plan, ask, seed))
        print(f"round {seed}: {rounds[-1].fit.sentence}", file=sys.stderr)
    return list(real_tables.figures(plan, rounds, simulated, length.simulations))


if __name__ == "__main__":
    sys.exit(main())
