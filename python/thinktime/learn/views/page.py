"""The page of the result: the advice, the laws, and both over the log's own values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from thinktime import diagrams
from thinktime._core import InputError
from thinktime.learn.logs.busiest import busiest_words
from thinktime.learn.populations.population import UNSURE
from thinktime.learn.views import tables
from thinktime.learn.views.charts import CHARTS
from thinktime.learn.views.server import sentences
from thinktime.present import page, units
from thinktime.present.chart import sections
from thinktime.present.page import Page, Section, Verdict

if TYPE_CHECKING:
    from thinktime.learn import Learned
    from thinktime.learn.server import Server

WORDS = {
    "session": "The requests of one user that follow one another with gaps no longer than the "
    "timeout.",
    "think time": "From a response, or its request if the log has no durations, to the session's "
    "next request.",
    "off by": "The largest difference between the law's distribution function and the values'.",
    "SRPT gains": "How many times shorter the mean response time becomes when the shortest "
    "remaining request is served first.",
}

_BAD_SHOWN = 10


def write(
    learned: Learned, path: Path, workload: Path | None = None, server: Server | None = None
) -> None:
    """Write the page; it loads nothing, and holds no addresses.

    ``workload`` is the workload file, if one is written; ``server`` the server that is.
    """
    page.write(page_of(learned, workload, server), path)


def page_of(learned: Learned, workload: Path | None = None, server: Server | None = None) -> Page:
    """The page; see `write`."""
    found = [
        tables.populations(learned),
        tables.laws(learned),
        tables.models(learned),
        tables.requests(learned),
    ]
    shown = [table for table in found if table.lines]
    drawn = [*sections(CHARTS, learned), *_drawn(learned, workload)]
    return Page("Learned from a log", _verdict(learned, server), shown, drawn, WORDS)


def _drawn(learned: Learned, workload: Path | None) -> list[Section]:
    """The workload; empty if its file cannot be read, which the command reports."""
    try:
        name = "learned.toml" if workload is None else workload.name
        return [diagrams.of_workload(learned.workload(name))]
    except InputError:
        return []


def _verdict(learned: Learned, server: Server | None) -> Verdict:
    advice, figures = learned.advice, learned.figures
    main, people = advice.population, figures.part.requests
    users = units.counted(people.user_count * figures.one_in, "user")
    findings = [
        f"{main.name.capitalize()} make {units.percent(advice.work)} of the work and are "
        f"{main.model} ({main.confidence}).",
        units.sentence(main.reason),
        f"The tests are simulated at {advice.assumed}.",
        f"{units.counted(len(people) * figures.one_in, 'request')} of {users} in "
        f"{units.seconds(people.span_s)}, in {units.counted(figures.sessions, 'session')} "
        f"told apart by gaps above {units.seconds(figures.part.journeys.timeout_s)}.",
        f"Busiest: {busiest_words(learned.log)}.",
        tables.arrival_words(learned),
        *(units.sentence(note) for note in learned.log.notes),
        *(units.sentence(finding.text) for finding in learned.split.findings),
        "The server: " + " ".join(sentences(learned, server or learned.server())),
        *(map(units.sentence, learned.fidelity.sentences()) if learned.fidelity else []),
    ]
    return Verdict(f"{advice.plan}.", findings, _doubts(learned))


def _doubts(learned: Learned) -> list[str]:
    """The unread parts, and the oddities of the rest."""
    log = learned.log
    bad = [
        f"{units.counted(one.count, 'line')} could not be read ({one.reason}), the first is line "
        f"{units.count(one.line)} of {Path(one.file).name}"
        for one in log.bad_lines[:_BAD_SHOWN]
    ]
    stopped = ["reading was interrupted: this is what was read up to then"]
    main = learned.advice.population
    unsure = [f"whether {main.name} are {main.model} is unsure"]
    found = [
        *(unsure if main.confidence == UNSURE else []),
        *(stopped if log.stopped else []),
        *bad,
        *log.warnings,
    ]
    return [units.sentence(one) for one in found]
