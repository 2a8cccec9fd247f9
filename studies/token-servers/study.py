"""One server of tokens, and what each way of asking it reports at the same throughput.

    .venv/bin/python studies/token-servers/study.py [--quick] [--to DIR]

Simulations of system.toml: see README.md. It writes results.json, and the table of the page in
docs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict

import ways

sys.path.insert(0, str(ways.HERE.parent))

import marks
import output

PAGE = ways.HERE.parents[1] / "docs" / "studies-token-servers.md"


def main() -> int:
    """Try all ways and write the results; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="one load, fewer requests")
    output.add_option(parser)
    options = parser.parse_args()
    to = output.folder(parser, options.to, ways.HERE, short=options.quick)
    requests, loads = (4_000, (0.95,)) if options.quick else (100_000, ways.LOADS)
    found = []
    for one in ways.ways(requests, loads):
        print(f"load {one.load:g}, {one.way}", file=sys.stderr)
        found.append(one)
    to.mkdir(parents=True, exist_ok=True)
    (to / "results.json").write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    if to == ways.HERE:
        marks.put(PAGE, list(lines(found)))
    return 0


def lines(found: Iterable[ways.Seen]) -> Iterator[str]:
    """The lines of the table, in Markdown."""
    yield (
        "| load | way | clients, or most in flight | throughput | first token: mean | p99 "
        "| between tokens: p99 | response: mean | p99 |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for one in found:
        limit = "" if one.limit is None else str(one.limit)
        times = (one.first_mean, one.first_p99)
        first = " | ".join(f"{1e3 * time:,.0f} ms" for time in times)
        yield (
            f"| {one.load:g} | {one.way} | {limit} | {one.throughput:.2f}/s | {first} "
            f"| {1e3 * one.gap_p99:.1f} ms | {one.response_mean:.2f} s | {one.response_p99:.1f} s |"
        )


if __name__ == "__main__":
    sys.exit(main())
