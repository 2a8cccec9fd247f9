"""The limit of this machine: the largest rate at which the generator keeps to its schedule."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from thinktime import _core
from thinktime.capacity_search.answer import Capacity, What
from thinktime.capacity_search.probe import Probe, failed_outright, figures_of, not_achieved
from thinktime.capacity_search.search import Search
from thinktime.capacity_search.search_store import search_kept, share
from thinktime.operations import Time, run, seconds
from thinktime.present import units
from thinktime.present.percentile import backed
from thinktime.results import origin_line
from thinktime.results.result import Result
from thinktime.trials import Store

LATENESS_P99_S = 1e-3
"""The largest 99th percentile of the lateness of a generator that keeps to its schedule."""

OF_GENERATOR: tuple[What, str] = ("rate", "/s")
"""What is varied, and its unit."""

_WORKLOAD = 'name = "generator"\n[arrivals]\nmodel = "open"\nrate = "2000/s"\n'
_SYSTEM = 'name = "trivial"\n[[station]]\nname = "server"\ndemand = "0.1us"\n'
_SERVE = "from thinktime.cli import main; main()"
_DURATION_S = 3.0
_PRECISION = 0.1
_ERROR = 0.3


def generator_capacity(
    *,
    duration: Time | None = None,
    precision: float | str = _PRECISION,
    output: str | Path | None = None,
    progress: Callable[[Probe], None] | None = None,
) -> Capacity:
    """Find the largest rate that this machine generates on time.

    The server is `thinktime serve` of a single station with almost no demand, in a process of its
    own on the same machine. The two share its cores: another server may allow more.

    Args:
        duration: The length of each probe; 3 s.
        precision: Stop when the half-width of the 95 % interval is this share of the value.
        output: A directory, as for `capacity`.
        progress: Called with each probe.

    Raises:
        InputError: if the input is wrong.
        RunError: if the server does not come up.
        CapacityStopped: on Ctrl-C.
    """
    length_s = _DURATION_S if duration is None else seconds(duration)
    workload = _core.Workload(_WORKLOAD)
    search = Search(start=2000.0, precision=share(precision), probes_max=20)
    with _served() as url:

        def prober(rate: float, _store: Store) -> Probe:
            at_rate = workload.with_value("arrivals.rate", f"{rate!r}/s")
            done = run(
                at_rate.with_seed(1 + len(search.probes)), url, rows="none", duration=length_s,
                warmup=0.1 * length_s, drain=length_s,
            )  # fmt: skip
            return lateness_probe(rate, done)

        known = {"workload": "the generator", "moment": origin_line.now()}
        found = search_kept(search, prober, OF_GENERATOR, output, progress, known)
    return replace(found, against=_against())


def _against() -> str:
    """The server that the generator is measured against, in words."""
    return (
        "measured against `thinktime serve` of one station with a demand of 100 ns, in a process "
        f"of its own on the same machine ({os.cpu_count()} cores, shared by the two); on time "
        f"means a 99th percentile of the lateness of {units.seconds(LATENESS_P99_S)} or less"
    )


def lateness_probe(rate: float, result: Result) -> Probe:
    """The probe of a result whose objective is lateness."""
    summary = result.summary
    figures = figures_of(summary)
    late, failed = summary["lateness_s"]["p99"], summary["errors"]
    why = failed_outright(summary) or (f"{failed} requests failed" if failed else None)
    why = why or not_achieved(summary, LATENESS_P99_S)
    if why is not None or late is None:
        return Probe(rate, False, None, why=why or "nothing was measured", figures=figures)
    margin = math.log(max(late, 1e-9) / LATENESS_P99_S)
    found_s, allowed_s = units.times_apart(late, LATENESS_P99_S)
    text = f"lateness p99 is {found_s}, the limit is {allowed_s}"
    if not backed("p99", summary["requests"]):
        few = units.counted(summary["requests"], "request")
        text = f"lateness p99 cannot be told of {few}, the limit is {allowed_s}"
    # Lateness comes in bursts, and a run has few of them: no formula gives its error.
    return Probe(rate, margin <= 0, margin, _ERROR, why=text, figures=figures)


@contextmanager
def _served() -> Iterator[str]:
    """The url of the trivial server, in a process of its own that ends with the block."""
    with tempfile.TemporaryDirectory() as directory:
        system = Path(directory) / "trivial.toml"
        system.write_text(_SYSTEM, encoding="utf-8")
        command = [sys.executable, "-c", _SERVE, "serve", str(system), "--listen", "127.0.0.1:0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            words = server.stdout.readline().split()
            if len(words) < 3:
                raise _core.RunError("the trivial server did not start")
            yield words[2].rstrip(";")
        finally:
            server.terminate()
            server.wait()
            if server.stdout is not None:
                server.stdout.close()
