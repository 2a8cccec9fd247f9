"""TCP over wide areas: 27 links and sizes, and open against closed behind them.

    .venv/bin/python studies/wide-area/study.py [--quick] [--seconds S] [--again]
        [--only NAME]... [--to DIR]

Each link is a lab of its own: see README.md. Predictions are made first, then the missing
measurements. Each is kept in results.json as soon as it is there, so that the study continues after
an interruption. Needs root (or user namespaces) and /dev/net/tun for the measurements.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import wide_lab as lab
import wide_models as models
import wide_tables

import thinktime as tt
from thinktime.lab import permission

sys.path.insert(0, str(models.HERE.parent))

import output
from sample_path import at_load

LONG_RUN, QUICK_LONG_RUN = 100_000, 3_000
"""Requests of a simulated point of Figure 4."""

LOADS = (0.5, 0.7, 0.8, 0.9)
WARMUP_S = 5.0


class Kept:
    """The results so far, in a file."""

    def __init__(self, path: Path, seconds: float, again: bool) -> None:
        """Shorter measurements are made again; on request all are."""
        self._path, self._seconds, self._again = path, seconds, again
        self.found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}

    def measure(self, kind: str, name: str, find: Callable[[], dict[str, Any]]) -> None:
        """Measure unless it is there; announce it before."""
        there = self.found.setdefault(kind, {})
        if name in there and not self._again and there[name]["seconds"] >= self._seconds:
            return
        print(f"{kind}: {name}", file=sys.stderr)
        self.put(kind, name, find() | {"seconds": self._seconds})

    def put(self, kind: str, name: str, value: dict[str, Any]) -> None:
        """Keep one thing."""
        self.found.setdefault(kind, {})[name] = value
        self._path.write_text(json.dumps(self.found, indent=1) + "\n", "utf-8")


def main() -> int:
    """Do all of it; returns the exit status."""
    options = _options()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options.to.mkdir(parents=True, exist_ok=True)
    seconds = 2.0 if options.quick else options.seconds
    kept = Kept(options.to / "results.json", seconds, options.again)
    _predict(kept, options.quick)
    why = None if options.predict else _missing()
    if why is not None:
        print(f"nothing is measured: {why}", file=sys.stderr)
    elif not options.predict:
        _measure(kept, options, seconds)
    wide_tables.write(options.to, kept.found)
    print(options.to / "tables.md")
    return 0 if why is None else 2


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="one link and one point, shorter")
    parser.add_argument("--seconds", type=float, default=60, help="length of each run")
    parser.add_argument("--again", action="store_true", help="measure what is there already, too")
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="measure this link or point alone, by its name in the tables, as "
        '"50 ms, 1 %%"; may be given again',
    )
    parser.add_argument("--predict", action="store_true", help="simulate only, and draw")
    output.add_option(parser)
    options = parser.parse_args()
    options.to = output.folder(parser, options.to, models.HERE, short=options.quick)
    names = [wide_tables.link_name(link) for link in _links(options.quick)]
    names += [point.name for point in _measured_points(options.quick)]
    if unknown := [name for name in options.only or () if name not in names]:
        parser.error(f"no such link or point: {'; '.join(unknown)}. There are {'; '.join(names)}")
    return options


def _missing() -> str | None:
    """The missing requirements of links with a delay, if any."""
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "/dev/net/tun is missing or not open to this user"
    return permission.missing()


def _links(quick: bool) -> list[models.Link]:
    return models.LINKS[1:2] if quick else models.LINKS


def _predict(kept: Kept, quick: bool) -> None:
    """All cells and points, by simulation."""
    for link in _links(quick):
        for size in models.SIZES:
            system = models.behind(link, models.quick_server())
            requests = models.QUICK_PREDICTED if quick else models.PREDICTED
            done = tt.simulate(models.transfers([size]), system, requests=requests, rows="none")
            kept.put("predicted", wide_tables.cell_name(link, size), lab.figures(done))
    for point in _points(quick):
        system = models.behind(models.CONDITIONS[point.condition], models.file_server(point.policy))
        requests = QUICK_LONG_RUN if quick else LONG_RUN
        done = tt.simulate(
            models.users(point.model), system, load=point.load, requests=requests, rows="none"
        )
        load = done.summary["stations"][models.SERVER]["load"]
        kept.put("points predicted", point.name, lab.figures(done) | {"load": load})


def _points(quick: bool) -> Iterator[models.Point]:
    if quick:
        yield models.Point("good WAN", "open", "ps", wide_tables.LOADS[0])
        return
    yield from models.points(LOADS)


def _measured_points(quick: bool) -> list[models.Point]:
    """High loads; all users under processor sharing, and open ones under SRPT, too."""
    there = [one for one in _points(quick) if one.load in wide_tables.LOADS]
    return [one for one in there if one.policy == "ps" or one.model == "open"]


def _measure(kept: Kept, options: argparse.Namespace, seconds: float) -> None:
    """The missing ones, each link in a lab."""
    wanted = options.only
    for link in _links(options.quick):
        name = wide_tables.link_name(link)
        if not wanted or name in wanted:
            kept.measure("measured", name, lambda link=link: _transfers(link, seconds))
    for point in _measured_points(options.quick):
        if not wanted or point.name in wanted:
            kept.measure("points measured", point.name, lambda point=point: _point(point, seconds))


def _transfers(link: models.Link, seconds: float) -> dict[str, Any]:
    """All sizes over one link, at once: they share nothing scarce."""
    runs = {models.run_name(size): tt.Workload(models.toml(models.transfers([size])))
            for size in models.SIZES}  # fmt: skip
    served = tt.Workload(models.toml(models.transfers()))
    return lab.measured(link, models.quick_server(), served, runs, seconds)


def _point(point: models.Point, seconds: float) -> dict[str, Any]:
    """A point of Figure 4, on a sample path that brings the load, with its own simulation."""
    whole_s = WARMUP_S + seconds
    link, server = models.CONDITIONS[point.condition], models.file_server(point.policy)
    system = models.behind(link, server)
    workload = at_load(models.users(point.model), system, models.SERVER, point.load, whole_s)
    found = lab.measured(link, server, workload, {"users": workload}, whole_s, WARMUP_S)["users"]
    beside = tt.simulate(workload, system, duration=whole_s, warmup=WARMUP_S, rows="none")
    return found | {"beside": lab.figures(beside)}


if __name__ == "__main__":
    sys.exit(main())
