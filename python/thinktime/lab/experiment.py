"""A lab from beginning to end: its programs at their times, and their results."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinktime.lab import permission
from thinktime.lab.file import Hostile, Lab, Load
from thinktime.lab.instance import RESULT_S, LabInstance, Tell, stop

LOOK_EVERY_S = 0.02
FAILED = 3
"""The exit status of a run that reached no result."""


@dataclass
class Outcome:
    """The outcome of a lab."""

    runs: dict[str, int] = field(default_factory=dict)
    """By run, the exit status of `thinktime run`."""

    hostile: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By hostile client, its counts and the times of its beginning and end, in Unix seconds."""

    links: dict[str, list[dict[str, int]]] = field(default_factory=dict)
    """By link that a program carried, the packets of both directions."""

    warnings: list[str] = field(default_factory=list)
    interrupted: bool = False

    def to_json(self, lab: Lab) -> str:
        """The content of `lab.json`."""
        return json.dumps({"lab": lab.name, "seed": lab.seed} | vars(self), indent=1) + "\n"


@dataclass
class _Program:
    """A started run or hostile client."""

    name: str
    process: subprocess.Popen[bytes]
    is_run: bool


def perform(
    lab: Lab, output: Path, tell: Tell = lambda _: None, identity: str | None = None
) -> Outcome:
    """Make the lab, let everything in it run, and take it away.

    A lab without runs and hostile clients stays until Ctrl-C. `output` gets the result directory
    of each run, `lab.json`, and the folder `logs` with what the programs printed.

    Raises:
        RunError: The lab could not be made or taken away.
    """
    outcome = Outcome()
    with LabInstance(lab, output / "logs", tell, identity) as running:
        try:
            if lab.runs or lab.hostiles:
                _let_run(lab, running, output, outcome, tell)
            else:
                _stay(running, tell)
        except KeyboardInterrupt:
            outcome.interrupted = bool(lab.runs or lab.hostiles)
        outcome.warnings += running.ended_servers()
        outcome.links = running.end_links()
        outcome.warnings += running.lost_links(outcome.links)
    outcome.warnings += [
        f"the link {name} was too slow for {sum(counted)} packets, which were lost: the machine "
        "is busy, or there are too many for a program"
        for name, ways in outcome.links.items()
        if any(counted := [way["unread"] for way in ways])
    ]
    (output / "lab.json").write_text(outcome.to_json(lab))
    return outcome


def _stay(running: LabInstance, tell: Tell) -> None:
    # From outside of a user namespace its hosts are invisible.
    seen = not permission.is_inside()
    named = seen and running.tell_names()
    for host in running.hosts.values():
        how = f": ip netns exec {host.name} COMMAND" if seen else ""
        tell(f"{host.host} is {host.address}{how}")
    unnamed = "; commands know the addresses, not the names" if seen and not named else ""
    tell(f"the lab has no runs: Ctrl-C ends it{unnamed}")
    while True:
        time.sleep(1)


def _let_run(lab: Lab, running: LabInstance, output: Path, outcome: Outcome, tell: Tell) -> None:
    """Start everything at its time, and wait until the last has ended."""
    zero = time.monotonic()
    waiting: list[tuple[float, Callable[[], _Program]]] = [
        *((one.start, lambda one=one: _start_run(one, running, output)) for one in lab.runs),
        *((one.start, lambda one=one: _start_hostile(one, running)) for one in lab.hostiles),
    ]
    waiting.sort(key=lambda entry: entry[0])
    there: list[_Program] = []
    said: set[str] = set()
    try:
        while waiting or there:
            while waiting and waiting[0][0] <= time.monotonic() - zero:
                there.append(waiting.pop(0)[1]())
                tell(f"{there[-1].name} begins")
            for one in [one for one in there if one.process.poll() is not None]:
                there.remove(one)
                _note(one, running, outcome)
            for name in sorted(running.ended() - said):
                tell(f"{name} has ended before the lab did")
                said.add(name)
            time.sleep(LOOK_EVERY_S)
    finally:
        # A run writes the result so far if it is asked to end.
        for one in there:
            stop(one.process, signal.SIGINT, RESULT_S)
            _note(one, running, outcome)


def _start_run(run: Load, running: LabInstance, output: Path) -> _Program:
    words = ["thinktime", "run", run.workload, "--target", run.target, "--quiet"]
    words += ["--output", str((output / run.name).absolute()), "--label", run.name, *run.options]
    return _Program(run.name, running.start(run.host, words, run.name), True)


def _start_hostile(hostile: Hostile, running: LabInstance) -> _Program:
    host, port = hostile.target
    settings = {
        "target": [str(running.hosts[host].address), port],
        "spoofed": str(running.hosts[hostile.host].block),
        "rate": hostile.rate,
        "duration": hostile.duration,
        "path": hostile.path,
        "seed": running.lab.seed,
    }
    words = [sys.executable, "-m", "thinktime.lab.hostile", hostile.kind, json.dumps(settings)]
    return _Program(hostile.name, running.start(hostile.host, words, hostile.name), False)


def _note(one: _Program, running: LabInstance, outcome: Outcome) -> None:
    status = one.process.returncode
    if one.is_run:
        outcome.runs[one.name] = status if status >= 0 else FAILED
        if not (running.logs.parent / one.name / "summary.json").exists():
            outcome.runs[one.name] = status if status > 0 else FAILED
            said = running.last_words(one.name)
            outcome.warnings.append(f"the run {one.name} has no result; {said}")
        return
    try:
        text = (running.logs / f"{one.name}.txt").read_text("utf-8", "replace")
        outcome.hostile[one.name] = json.loads(text.splitlines()[-1])
    except (ValueError, IndexError):
        said = running.last_words(one.name)
        outcome.warnings.append(f"the hostile client {one.name} failed; {said}")
