"""The output of `thinktime learn` on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from thinktime.learn.fit import Values
from thinktime.learn.logs.busiest import busiest_words
from thinktime.learn.views import tables
from thinktime.learn.views.server import sentences, shown
from thinktime.learn.views.tables import WORDS, Words, chance
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.learn import Learned
    from thinktime.learn.fidelity import Fidelity
    from thinktime.learn.server import Server

BAD_SHOWN = 10
KINDS_SHOWN = 5
POPULATIONS_SHOWN = 10
POPULATIONS_LEAST = 0.02
"""Of further populations those with this share of the requests are shown, too."""

_WIDTH = 100
_INDENT = " " * 17
"""The indent of a line that belongs to the name above it."""


def lines(learned: Learned, examples: bool = True, server: Server | None = None) -> Iterator[str]:
    """The result, line by line; examples of bad lines may hold addresses."""
    yield from _log(learned, examples)
    yield ""
    yield from _populations(learned)
    yield ""
    yield from _laws(learned)
    yield ""
    yield from _advice(learned)
    if learned.fidelity is not None:
        yield ""
        yield f"fidelity         {_fidelity(learned.fidelity)}"
        for sentence in learned.fidelity.sentences():
            yield from _wrapped(sentence)
    yield ""
    yield from _server(learned, server)


def _log(learned: Learned, examples: bool) -> Iterator[str]:
    log = learned.log
    users = log.requests.user_count * log.one_in
    yield (
        f"{units.counted(len(log.files), 'file')}, format {', '.join(log.formats)}: "
        f"{units.counted(log.lines, 'line')}, {units.counted(log.count, 'request')} of "
        f"{units.counted(users, 'user')} in {units.seconds(log.requests.span_s)}"
    )
    yield f"busiest: {busiest_words(log)}"
    for bad in log.bad_lines[:BAD_SHOWN]:
        example = f": {bad.example}" if examples else ""
        count_words = units.counted(bad.count, "line")
        yield f"bad: {count_words} ({bad.reason}); {bad.file}:{bad.line}{example}"
    for warning in log.warnings:
        yield f"warning: {warning}"
    for note in [*log.notes, *(finding.text for finding in learned.split.findings)]:
        yield f"note: {note}"
    if log.stopped:
        yield "interrupted: the figures are those of what was read up to then"


def _populations(learned: Learned) -> Iterator[str]:
    large = POPULATIONS_LEAST * len(learned.log.requests)
    rest = []
    for place, part in enumerate(learned.parts):
        one = part.population
        if place >= POPULATIONS_SHOWN and one.requests < large:
            rest.append(one)
            continue
        share = units.percent(one.requests / len(learned.log.requests))
        clients = f", {units.counted(one.clients, 'client')}" if one.clients else ""
        verdict = f"{one.model.upper()} ({one.confidence}){clients}"
        yield f"{one.name:16} {share} of the requests; {verdict}"
        yield from _wrapped(f"{one.reason}.")
        yield from _wrapped(part.offers_told)
    if rest:
        share = units.percent(sum(one.requests for one in rest) / len(learned.log.requests))
        number = units.counted(len(rest), "smaller one")
        yield f"{number}, {share} of the requests, from {rest[0].name} to {rest[-1].name}"
    if len(learned.parts) > 1:
        yield ""
        yield f"Of {learned.parts[0].population.name}:"


def _laws(learned: Learned) -> Iterator[str]:
    figures, journeys = learned.figures, learned.figures.part.journeys
    yield f"sessions         {units.count(figures.sessions)}{tables.session_words(learned)}"
    if not figures.part.closed:
        poisson = figures.poisson
        p_value = "" if poisson.p_value is None else f" ({chance(poisson.p_value)})"
        rate = "changes" if figures.changes else "is constant"
        yield f"arrivals         Poisson: {poisson.verdict}{p_value}; the rate {rate}"
    for name, values, kind in (
        ("requests/session", figures.requests, "number"),
        ("pages/session", figures.pages, "number"),
        ("think time", figures.thinks, "time"),
        ("response size", figures.sizes, "size"),
        ("duration", figures.durations, "time"),
    ):
        if values.best is not None:
            yield f"{name:16} {_values(values, WORDS[kind])}"
    kinds = journeys.kinds
    shown = ", ".join(
        f"{kind.name} {units.percent(kinds.share(kind))}" for kind in kinds.popular[:KINDS_SHOWN]
    )
    yield f"requests         {shown}"


def _values(values: Values, words: Words) -> str:
    best, tally = values.best, values.tally
    assert best is not None
    fits = f"{units.law(best.notation)} (off by {units.percent(best.ks)})"
    heavy = ""
    if values.tail is not None and values.tail.verdict == "heavy":
        tail = values.tail
        exponent, low, high = (units.number(one) for one in (tail.exponent, tail.low, tail.high))
        heavy = f"; heavy tail, exponent {exponent} [{low}, {high}]"
    mean, median = words(tally.mean), words(tally.quantile(0.5))
    return f"mean {mean}, median {median}; {fits}{heavy}"


def _advice(learned: Learned) -> Iterator[str]:
    advice = learned.advice
    share = units.percent(advice.work)
    yield f"advice           for {advice.population.name}, who make {share} of the work"
    yield from _wrapped(f"{advice.plan}.")
    yield from _wrapped(f"At {advice.assumed}:")
    for name, model in advice.models.items():
        clients = f", {units.counted(advice.clients, 'client')}" if name == "closed" else ""
        yield (
            f"{_INDENT}{name + clients:22} mean {units.seconds(model.mean_s)}, p99 "
            f"{units.seconds(model.p99_s)}; SRPT's mean is {units.number(model.gain)} times shorter"
        )


def _server(learned: Learned, server: Server | None) -> Iterator[str]:
    first, *others = sentences(learned, shown(learned, server))
    yield from _named("server", first)
    for one in others:
        yield from _wrapped(one)


def _fidelity(found: Fidelity) -> str:
    if not found.measured:
        return found.verdict
    return f"{found.verdict}: the workload against the log, on the same systems"


def _named(name: str, text: str) -> list[str]:
    """A name, and prose beside it."""
    first, *others = _wrapped(text)
    return [f"{name:{len(_INDENT)}}{first.lstrip()}", *others]


def _wrapped(text: str) -> list[str]:
    """Prose below a name, in lines that fit a terminal."""
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
