"""The paper's section 7 for any logs: table 2, figure 9, and rates over time.

.venv/bin/python studies/nsdi06/traces.py LOG... [--rates COUNTS.csv] [--to FOLDER]

It writes `traces.md`, `figures/figure-9a.svg` and `figure-9b.svg`; with `--rates`, a table whose
column `count` has the requests of each minute, `figures/rates.svg` too. The logs are not part of
the project; the README here says where they are from.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from chart import LineChart

from thinktime.learn import Learned, learn
from thinktime.learn.journeys.timeout import USUAL_S

HERE = Path(__file__).parent
OPEN_UP_TO, CLOSED_FROM = 5.0, 10.0

NOT_LEGIBLE = "not legible"

PAPER = [
    ("large corporate web site", "Feb 2001", "1,609,799", "2.4"),
    ("CMU web server", "Nov 2001", "90,570", "1.8"),
    ("online department store", "June 2000", "891,366", "5.4"),
    ("science institute", "Nov 2002", "107,078", "3.6"),
    ("online gaming site", "May 2004", "45,778", "12.9"),
    ("financial service provider", "Aug 2000", "275,786", NOT_LEGIBLE),
    ("a third science institute", NOT_LEGIBLE, NOT_LEGIBLE, "6.0"),
    ("Kasparov against Deep Blue", "May 1997", "580,068", "2.4"),
    ("site under a rush of visitors", "Feb 1999", "194,968", "1.2"),
    ("soccer world cup", "Jul 1998", "4.6 million", "11.6"),
]
"""The ten sites of the paper's table 2: site, date, requests, requests a session."""

SAID = {"financial service provider": "open"}
"""Verdicts of the paper's text for sites whose requests a session are not legible."""


@dataclass(frozen=True)
class Trace:
    """A log, learned in the paper's way and in ours."""

    name: str
    paper: Learned
    """A user is an address, every request counts."""
    ours: Learned
    """A user is an address and an agent, programs are set apart."""


def main() -> int:
    """Learn, draw, write."""
    parser = argparse.ArgumentParser(description="Table 2 and figure 9 of NSDI 2006 for any logs.")
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--rates", type=Path, help="counts by the minute, as CSV")
    parser.add_argument("--to", type=Path, default=HERE)
    options = parser.parse_args()
    traces = []
    for log in options.logs:
        print(f"learning {log.name}", file=sys.stderr)
        paper = learn([log], user="address", crawlers="with", pages=False)
        traces.append(Trace(log.name.split(".")[0], paper, learn([log])))
    (options.to / "figures").mkdir(parents=True, exist_ok=True)
    draw(traces, options.to / "figures")
    text = table(traces)
    if options.rates is not None:
        text += rates(options.rates, options.to / "figures" / "rates.svg")
    (options.to / "traces.md").write_text(text, encoding="utf-8")
    return 0


def verdict(mean: float) -> str:
    """The paper's rule of thumb."""
    if mean <= OPEN_UP_TO:
        return "open"
    return "closed" if mean >= CLOSED_FROM else "partly open"


def table(traces: list[Trace]) -> str:
    """Table 2: the paper's rows, then ours."""
    lines = [
        "# Table 2 for the logs at hand\n",
        "Written by `traces.py`: do not change it by hand. Requests a session by addresses, with",
        "a timeout of 1,800 s, as in the paper; in brackets pages a session of persons, who are",
        "told apart by address and agent. Rows of the paper are as printed.\n",
        "| site | date | requests | requests a session | verdict |",
        "|---|---|---:|---:|---|",
    ]
    for site, date, requests, mean in PAPER:
        found = SAID[site] if mean == NOT_LEGIBLE else verdict(float(mean))
        lines.append(f"| {site} | {date} | {requests} | {mean} | {found} |")
    for trace in traces:
        figures = trace.paper.figures
        logged = figures.part.requests
        date = datetime.fromtimestamp(logged.rows["time_ns"][0] // 10**9, UTC).strftime("%b %Y")
        curve, requests = figures.curve, len(logged) * figures.one_in
        mean = float(np.interp(USUAL_S, curve.timeout_s, curve.requests_per_session))
        pages = trace.ours.figures.pages.tally.mean
        lines.append(
            f"| **{trace.name}** | {date} | {requests:,} | {mean:.1f} ({pages:.1f}) "
            f"| {verdict(mean)} |"
        )
    lines += ["", "What `thinktime learn` advises:", ""]
    for trace in traces:
        lines.append(f"- **{trace.name}**: {trace.ours.advice.plan}.")
    return "\n".join(lines) + "\n"


def draw(traces: list[Trace], folder: Path) -> None:
    """Figure 9: sessions, and requests a session, against the timeout."""
    for letter, label, shown in (
        ("a", "sessions", "sessions"),
        ("b", "requests a session", "requests_per_session"),
    ):
        title = f"Figure 9({letter}): {label} against the timeout"
        chart = LineChart(title, "timeout (s)", label, x_log=True, y_log=letter == "a")
        for place, trace in enumerate(traces):
            curve = trace.paper.figures.curve
            ys = getattr(curve, shown)[::8].tolist()
            chart.line(trace.name, curve.timeout_s[::8].tolist(), ys, style=place)
        chart.save(folder / f"figure-9{letter}.svg")


def rates(counts: Path, picture: Path) -> str:
    """Requests a minute, by the hour, as a picture and in words."""
    table = pl.read_csv(counts)
    column = table["count"].to_numpy()
    hours = column[: len(column) // 60 * 60].reshape(-1, 60)
    means = hours.mean(axis=1)
    days = np.arange(len(means)) / 24
    chart = LineChart("Requests a minute, by the hour", "days", "requests a minute")
    chart.line(counts.name.split(".")[0], days.tolist(), means.tolist(), marks=False)
    chart.save(picture)
    return (
        f"\n{column.sum():,} requests in {len(column):,} minutes of {counts.name.split('.')[0]}: "
        f"{column.mean():,.1f} a minute on average, {column.max():,} in the busiest. As a rate "
        f'over time: `profile = "rates({counts.name.removesuffix(".gz")}, column=count, '
        'every=1min)"`.\n'
    )


if __name__ == "__main__":
    sys.exit(main())
