"""The page of the result: the advice, the laws, and both over the log's own values."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime import diagrams
from thinktime._core import InputError
from thinktime.learn.logs.busiest import busiest_words
from thinktime.learn.populations.population import UNSURE
from thinktime.learn.views import tables
from thinktime.learn.views.charts import CHARTS
from thinktime.learn.views.server import sentences, shown
from thinktime.present import page, units
from thinktime.present.chart import sections
from thinktime.present.page import Headline, Page, Section
from thinktime.present.table import Table
from thinktime.results import origin_line

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
    server = shown(learned, server)
    found = [
        tables.populations(learned),
        tables.laws(learned),
        tables.models(learned),
        tables.requests(learned),
    ]
    filled = [table.without_empty() for table in found if table.lines]
    drawn = [*sections(CHARTS, learned), *_drawn(learned, workload)]
    drawn = [replace(one, first=n == 0, folded=n > 0) for n, one in enumerate(drawn)]
    texts = _texts(learned, server)
    return Page(
        "Learned from a log", _headline(learned, server), filled, drawn, WORDS, details=texts
    )


def _drawn(learned: Learned, workload: Path | None) -> list[Section]:
    """The workload; empty if its file cannot be read, which the command reports."""
    try:
        name = "learned.toml" if workload is None else workload.name
        return [diagrams.of_workload(learned.workload(name))]
    except InputError:
        return []


def _headline(learned: Learned, server: Server | None) -> Headline:
    """The model to plan with; then why, what other tests would show, and what would change it."""
    advice = learned.advice
    main = advice.population
    work = f"{main.name} make {units.percent(advice.work)} of the work and are {main.model}"
    findings = [
        f"{work}: {main.reason}",
        advice.tests,
        f"another verdict would need {main.would_change}" if main.would_change else "",
    ]
    said = [units.sentence(one) for one in findings if one]
    about, moment = _about(learned), _moment(learned)
    return Headline(advice.brief, said, _doubts(learned, server), about=about, moment=moment)


def _about(learned: Learned) -> str:
    """What was read, when that was, how long, and by which version."""
    log = learned.log
    parts = [
        "log",
        _moment(learned),
        units.seconds(log.requests.span_s),
        units.counted(log.count, "request"),
    ]
    return origin_line.joined(parts)


def _moment(learned: Learned) -> str:
    """From when to when the log is."""
    times = learned.log.requests.rows["time_ns"]
    ends = (datetime.fromtimestamp(int(one) // 10**9, UTC) for one in (times[0], times[-1]))
    return f"{' to '.join(dict.fromkeys(map(units.moment, ends)))} UTC"


def _texts(learned: Learned, server: Server | None) -> list[Table]:
    """What else was found, as texts under titles that a reader opens."""
    advice, figures = learned.advice, learned.figures
    people = figures.part.requests
    users = units.counted(people.user_count * figures.one_in, "user")
    of_log = [
        f"{units.counted(len(people) * figures.one_in, 'request')} of {users} in "
        f"{units.seconds(people.span_s)}, in {units.counted(figures.sessions, 'session')}"
        f"{tables.session_words(learned)}.",
        f"Busiest: {busiest_words(learned.log)}.",
        tables.arrival_words(learned),
        f"The tests are simulated at {advice.assumed}.",
        *(units.sentence(note) for note in learned.log.notes),
        *(units.sentence(finding.text) for finding in learned.split.findings),
    ]
    stands = learned.fidelity.sentences() if learned.fidelity else []
    found = {
        "log": ("The log", of_log),
        "server": ("The server", list(sentences(learned, server))),
        "fidelity": ("Fidelity", [units.sentence(one) for one in stands]),
    }
    opened = {"server"} if server is not None and server.guesses else set()
    return [
        Table(name, title, "", (), [], "\n".join(filter(None, lines)), folded=name not in opened)
        for name, (title, lines) in found.items()
        if lines
    ]


def _doubts(learned: Learned, server: Server | None) -> list[str]:
    """A guessed server, the unread parts of the log, and the oddities of the rest."""
    log = learned.log
    bad = [
        f"{units.counted(one.count, 'line')} could not be read ({one.reason}), the first is line "
        f"{units.count(one.line)} of {Path(one.file).name}"
        for one in log.bad_lines[:_BAD_SHOWN]
    ]
    stopped = ["reading was interrupted: this is what was read up to then"]
    main = learned.advice.population
    unsure = [f"whether {main.name} are {main.model} is unsure"]
    guesses = [] if server is None else server.guesses
    guessed = [f"the server is guessed in part: {units.listed(list(guesses))}" for _ in guesses[:1]]
    found = [
        *guessed,
        *(unsure if main.confidence == UNSURE else []),
        *(stopped if log.stopped else []),
        *bad,
        *log.warnings,
    ]
    return [units.sentence(one) for one in found]
