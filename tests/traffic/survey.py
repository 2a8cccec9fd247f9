"""The findings of `thinktime learn` on every scenario, beside the truth.

    PYTHONPATH=tests .venv/bin/python -m traffic.survey [NAME ...] [--seed S] [--scale X]
        [--timeout SECONDS] [--program PATH] [--json FILE] [--list]

Names may be patterns, as in 'pollers*'. The program runs as a command, with a time limit; no part
of it is imported.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from traffic.scenarios import SCENARIOS, scenario
from traffic.scene import Made

ROOT = Path(__file__).resolve().parents[2]
PEOPLE = "people"
HEADS = [
    *("scenario", "lines", "in truth", "people's sessions, /s, requests each"),
    *("learned sessions, /s, requests each", "apart", "Poisson", "verdict", "s"),
]


def learned(program: str, made: Made, timeout_s: float) -> tuple[dict[str, Any], float]:
    """What the program prints as JSON, or `error`, and the seconds that it took."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        log = made.write(Path(folder))
        command = [program, "learn", str(log), "--json", "--quiet", *made.learn_options]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            return {"error": f"more than {timeout_s:g} s"}, timeout_s
    took = time.perf_counter() - begun
    if run.returncode != 0:
        last = run.stderr.strip().splitlines()[-1:] or ["no message"]
        return {"error": f"status {run.returncode}: {last[0]}"}, took
    return json.loads(run.stdout), took


def truth_in_words(made: Made) -> str:
    """The populations with their shares of the lines, and their models."""
    of = made.truth.facts["populations"]
    short = {"partly-open": "partly"}
    parts = []
    for name, facts in of.items():
        model = short.get(facts["model"], facts["model"])
        clients = f" {facts['clients']}" if facts.get("clients") else ""
        parts.append(f"{name} {facts['share']:.0%} {model}{clients}")
    return ", ".join(parts)


def sessions_in_words(sessions: float, rate: float, requests: float) -> str:
    """Three figures as one text."""
    return f"{sessions:.0f}, {rate:.3g}, {requests:.3g}"


def row_of(name: str, made: Made, found: dict[str, Any], took_s: float) -> list[str]:
    """One row of the table."""
    facts = made.truth.facts
    people = [one for one in facts["populations"].values() if one["kind"] == PEOPLE]
    count = sum(one["sessions"] for one in people)
    lines = sum(one["lines"] for one in people)
    true = sessions_in_words(count, count / facts["span_s"], lines / max(count, 1))
    row = [name, str(facts["lines"]), truth_in_words(made), true]
    if "error" in found:
        return [*row, "", "", "", found["error"], f"{took_s:.1f}"]
    bad = sum(found["bad_lines"].values())
    each = found["requests_per_session"] or {"mean": 0.0}
    said = sessions_in_words(found["sessions"], found["session_rate"] or 0.0, each["mean"])
    apart = f"{found['programs']['requests'] / found['requests']:.0%}"
    confidence = found["confidence"].partition(":")[0]
    verdict = f"{found['recommended_model']} ({confidence})" + (f" {bad} bad lines" if bad else "")
    clients = found["simulated"]["clients"]
    if found["recommended_model"] == "closed":
        verdict += f" {clients} clients"
    poisson = found["session_arrivals_poisson"]["verdict"]
    return [*row, said, apart, poisson, verdict, f"{took_s:.1f}"]


def options() -> argparse.Namespace:
    """The command line."""
    program = ROOT / ".venv" / "bin" / "thinktime"
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=["*"], help="scenarios, or patterns of names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="of the usual span of each log")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for each log")
    parser.add_argument("--program", default=str(program))
    parser.add_argument("--json", type=Path, help="also write truth and answers here")
    parser.add_argument("--list", action="store_true", help="only say what scenarios there are")
    return parser.parse_args()


def main() -> None:
    """Print a Markdown table, row by row as they come."""
    given = options()
    names = [n for n in SCENARIOS if any(fnmatch(n, wanted) for wanted in given.names)]
    if not names:
        raise SystemExit(f"no such scenario: there are {', '.join(SCENARIOS)}")
    if given.list:
        for name in names:
            print(f"{name:26} {SCENARIOS[name].about}")
        return
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    answers = {}
    for name in names:
        made = scenario(name, given.seed, given.scale)
        found, took_s = learned(given.program, made, given.timeout)
        answers[name] = {"truth": made.truth.facts, "learned": found}
        print(f"| {' | '.join(row_of(name, made, found, took_s))} |", flush=True)
    if given.json is not None:
        given.json.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
