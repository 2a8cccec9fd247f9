"""results.json, claims.json and tables.md, written anew whenever a part is finished."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from claims import claims, needed

Results = dict[str, Any]


def write(results: Results, folder: Path) -> None:
    """All results so far."""
    parts: list[list[str]] = [["# Open and Closed, Omission and Collapse: the numbers"]]
    parts.append(["Written by `run.py`. What the readings are is said in [README.md](README.md)."])
    results["claims"] = [asdict(claim) for claim in claims(results)]
    for key, tables in TABLES.items():
        if results.get(key):
            parts.append(tables(results[key]))
    text = "\n\n".join("\n".join(part) for part in parts) + "\n"
    (folder / "tables.md").write_text(text, encoding="utf-8")
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (folder / "claims.json").write_text(_lines(needed(results)), encoding="utf-8")


def _lines(found: Results) -> str:
    """JSON with a line for each row, so that a change shows."""
    parts = []
    for name, part in found.items():
        rows = [f"  {json.dumps(key)}: {json.dumps(one)}" for key, one in part.items()]
        parts.append(f" {json.dumps(name)}: {{\n" + ",\n".join(rows) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _table(caption: str, header: list[str], rows: list[list[str]]) -> list[str]:
    lines = [f"## {caption}", "", _line(header), "|---" * len(header) + "|"]
    return lines + [_line(row) for row in rows]


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _ms(seconds: float) -> str:
    milliseconds = seconds * 1e3
    return f"{milliseconds:.3g}" if milliseconds < 100 else f"{milliseconds:.0f}"


def _number(value: float | None, words: str = "–") -> str:
    return words if value is None else f"{value:,.0f}"


def _claims(found: list[dict[str, str]]) -> list[str]:
    rows = [[one["claim"], one["found"], one["verdict"]] for one in found]
    return _table("The claims", ["claim", "found", "verdict"], rows)


KEYS = ("mean", "p50", "p90", "p99", "p99.9", "p99.99")


def _response_times(found: Results) -> list[str]:
    rows = []
    for name, one in found.items():
        cells = [f"{_ms(one['found'][key])} ({_ms(one['exact'][key])})" for key in KEYS]
        rows.append([name, f"{one['load']:.4f}", *cells])
    header = ["demands, model", "load", *KEYS]
    return _table("Response times at load 0.8 (ms): found (exact)", header, rows)


def _articles_thinks(found: Results) -> list[str]:
    rows = []
    for name, one in found.items():
        think, load = f"{one['think_time_s'] * 1e3:.4f}", f"{one['load']:.4f}"
        p99 = f"{_ms(one['found']['p99'])} ({_ms(one['exact']['p99'])})"
        mean = f"{_ms(one['found']['mean'])} ({_ms(one['exact']['mean'])})"
        rows.append([name, think, f"{load} ({one['exact_load']:.4f})", mean, p99])
    header = ["demands, model", "think time (ms)", "load", "mean", "p99"]
    return _table("With the think times of the article's program (ms): found (exact)", header, rows)


def _short_runs(found: Results) -> list[str]:
    rows = []
    for name, one in found.items():
        cells = [_ms(one["p99_s"][key]) for key in ("p5", "p50", "p95")]
        rows.append([name, str(one["runs"]), *cells, f"{one['over_25_ms']:.1%}"])
    header = ["demands", "runs", "p5", "p50", "p95", "over 25 ms"]
    return _table("The 99th percentile of open runs of 5 s (ms)", header, rows)


def _readings(found: Results) -> list[str]:
    rows = [_reading(one) for one in found.values()]
    header = ["reading", "collapsed", "p10 (ms)", "p50 (ms)", "95 % interval", "p90 (ms)"]
    header += ["expected p10 / p50 / p90", "within 5 s", "expected", "agrees"]
    return _table("Retries: share of runs that collapsed, and when", header, rows)


def _reading(one: Results) -> list[str]:
    found, expected = one["found"], one["expected"] or {}
    later = f"> {one['horizon_s'] * 1e3:,.0f}"
    several = found["collapsed"] > 0
    times = [_number(found[key], later if several else "–") for key in ("p10", "p50", "p90")]
    if several and found["p50"] is None:
        times[1] = f"about {_number(found['p50_if_exponential'])}"
    low, high = (_number(found[key], later) for key in ("p50_low", "p50_high"))
    wanted = [_number(expected.get(key)) for key in ("p10", "p50", "p90")]
    within = expected.get("within_5_s")
    words = "stable" if expected.get("stable") else " / ".join(wanted)
    agrees = {True: "yes", False: "**no**", None: "–"}[one["agrees"]]
    return [
        one["words"],
        f"{found['collapsed']} of {found['runs']}",
        times[0],
        times[1],
        f"{low} … {high}" if several else "–",
        times[2],
        words if expected else "–",
        f"{found['within_5_s']:.1%}",
        "–" if within is None else f"{within:.1%}",
        agrees,
    ]


def _sentences(found: Results) -> list[str]:
    rows = []
    for one in found.values():
        got = one["found"]
        cells = [str(got[key]) for key in ("told", "untold", "stable", "false_alarms")]
        rows.append([one["words"], *cells])
    header = ["reading", "collapsed and told", "collapsed, not told", "stable, nothing told"]
    return _table("Does the tool's warning say so? (simulations)", [*header, "told too soon"], rows)


def _remedies(found: Results) -> list[str]:
    rows = []
    for one in found.values():
        cells = [one["words"]]
        for reading in "ABC":
            got = one[reading]
            words = f"{got['collapsed']} of {got['runs']}; {got['goodput']:.0%}"
            if got["backlog"] == 0:
                words += f"; {got['on_time']:.1%}; {got['attempts']:.2f}"
            cells.append(words)
        rows.append(cells)
    caption = "Remedies: collapsed within 10 s; goodput; answered within 15 ms; attempts a request"
    return _table(caption, ["remedy", "reading A", "reading B", "reading C"], rows)


def _closed_clients(found: Results) -> list[str]:
    rows = [
        [name, f"{one['no_goodput']} of {one['runs']}", f"{one['goodput']:.0%}",
         f"{one['most_in_server']:,}"]
        for name, one in found.items()
    ]  # fmt: skip
    header = ["reading, clients", "runs without goodput", "goodput", "most in the server"]
    return _table("Closed clients that try again, 5 s", header, rows)


def _theory(found: Results) -> list[str]:
    rows = [[limit, f"{load:.4f}"] for limit, load in found["capacity"].items()]
    caption = "Capacity by the fixed point of repeated attempts (optimistic)"
    return _table(caption, ["retries", "largest load with a balance"], rows)


TABLES: dict[str, Callable[[Any], list[str]]] = {
    "claims": _claims,
    "response_times": _response_times,
    "articles_thinks": _articles_thinks,
    "short_runs": _short_runs,
    "readings": lambda found: [*_readings(found), "", *_sentences(found)],
    "remedies": _remedies,
    "closed_clients": _closed_clients,
    "theory": _theory,
}
