"""The gain of scheduling for open and closed users of the link as its load approaches 1, simulated.

    .venv/bin/python studies/static-server/over_load.py [--requests N]

It prints a table of mean response times in the long run; nothing is measured, no lab is needed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import files
import models

import thinktime as tt

LOADS = (0.5, 0.7, 0.9, 0.95, 0.98, 0.99)
HEAD = ("load", "open, fair", "open, SRPT", "gain", "closed, fair", "closed, SRPT", "gain",
        "open over closed, fair")  # fmt: skip


def table(loads: Sequence[float], requests: int) -> Iterator[str]:
    """The lines of the table, times in milliseconds; each policy is held at the load."""
    site = files.site()
    yield f"| {' | '.join(HEAD)} |"
    yield "|---" * len(HEAD) + "|"
    for load in loads:
        mean_ms = {
            (model, which): 1e3 * _mean_s(model, which, site, load, requests)
            for model in ("open", "closed")
            for which in ("fair", "SRPT")
        }
        cells = [f"{load:g}"]
        for model in ("open", "closed"):
            fair, srpt = mean_ms[model, "fair"], mean_ms[model, "SRPT"]
            cells += [f"{fair:.3g}", f"{srpt:.3g}", f"{fair / srpt:.1f}"]
        cells.append(f"{mean_ms['open', 'fair'] / mean_ms['closed', 'fair']:.1f}")
        yield f"| {' | '.join(cells)} |"


def _mean_s(
    model: str, which: str, site: Sequence[files.File], load: float, requests: int
) -> float:
    done = tt.simulate(
        models.workload(model, site), models.system(which), load=load, requests=requests
    )
    mean_s: float = done.summary["response_time_s"]["mean"]
    return mean_s


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--requests", type=int, default=4_000_000, help="of each simulation")
    for line in table(LOADS, parser.parse_args().requests):
        print(line, flush=True)
