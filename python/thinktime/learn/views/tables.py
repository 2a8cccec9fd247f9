"""The tables of the result, for the page and for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from thinktime.learn.fit import Values
from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime.learn import Learned

Words = Callable[[float], str]

KINDS_SHOWN = 20

_BUT = "; but "
"""Begins the reservation of a population's reason."""

P_LEAST = 0.001
"""Smaller probabilities are not written out."""


def kinds_of_values(learned: Learned) -> list[tuple[str, Values, str]]:
    """A tallied kind: its name, its values, and the label of its axis."""
    figures = learned.figures
    return [
        ("requests a session", figures.requests, "number"),
        ("pages a session", figures.pages, "number"),
        ("think time", figures.thinks, "time"),
        ("gap between sessions", figures.gaps, "time"),
        ("response size", figures.sizes, "size"),
        ("duration", figures.durations, "time"),
    ]


WORDS: dict[str, Words] = {"number": units.number, "time": units.seconds, "size": units.size}
"""The format of a kind of values."""


def laws(learned: Learned) -> Table:
    """Every kind of values with its best law."""
    shown = [one for one in kinds_of_values(learned) if one[1].best is not None]
    lines = [_law(name, values, WORDS[kind]) for name, values, kind in shown]
    return Table(
        "laws",
        "What was learned",
        "values",
        ("count", "mean", "median", "p99", "off by", "tail"),
        [Group(lines)],
        f"Below each kind of values: the law that fits them best.{_cut_off(learned)}",
        spare=("tail", "count", "p99", "off by"),
    )


def _cut_off(learned: Learned) -> str:
    """Why there are other numbers of lengths than of sessions; empty if there are not."""
    figures = learned.figures
    lengths, sessions = round(figures.pages.tally.total), figures.part.journeys.journeys
    if lengths == sessions or figures.part.alone:
        return ""
    return (
        f" Of {units.count(sessions)} sessions {units.count(lengths)} count for lengths: the log's "
        "edges cut others off."
    )


def _law(name: str, values: Values, words: Words) -> Line:
    best, tally, tail = values.best, values.tally, values.tail
    assert best is not None
    heavy = tail is not None and tail.verdict == "heavy"
    cells = [
        units.count(round(tally.total)),
        words(tally.mean),
        words(tally.quantile(0.5)),
        words(tally.quantile(0.99)),
        units.percent(best.ks),
        f"heavy, exponent {units.number(tail.exponent)}" if tail and heavy else "",
    ]
    return Line(name, [Cell(text) for text in cells], units.law(best.notation))


def models(learned: Learned) -> Table:
    """The results of each system model for one server at the same load."""
    advice = learned.advice
    lines = []
    for name, model in advice.models.items():
        clients = units.counted(advice.clients, "client") if name == "closed" else ""
        cells = (units.seconds(model.mean_s), units.seconds(model.p99_s))
        gain = f"{units.number(model.gain)} times"
        lines.append(Line(name, [Cell(text) for text in (*cells, gain)], clients))
    return Table(
        "models",
        "The results of each system model",
        "model",
        ("mean", "p99", "SRPT gains"),
        [Group(lines)],
        f"{advice.population.name.capitalize()}, simulated on one server under FCFS at "
        f"{advice.assumed}.",
    )


def requests(learned: Learned) -> Table:
    """The kinds of requests, the most popular first."""
    kinds = learned.parts[0].journeys.kinds
    lines = [
        Line(
            kind.name,
            [Cell(units.percent(kinds.share(kind))), Cell(units.count(len(kind.counts)))],
        )
        for kind in kinds.popular[:KINDS_SHOWN]
    ]
    return Table(
        "requests",
        "Requests by path",
        "path",
        ("requests", "paths"),
        [Group(lines)],
        "* stands for what varies.",
    )


def populations(learned: Learned) -> Table:
    """The populations. A reservation that several have stands once, above them."""
    tails = Counter(part.population.reason.partition(_BUT)[2] for part in learned.parts)
    shared = [tail for tail, number in tails.items() if tail and number > 1]
    lines = []
    for part in learned.parts:
        one = part.population
        share = units.percent(one.requests / len(learned.log.requests))
        clients = units.count(one.clients) if one.clients else ""
        cells = (share, one.model, one.confidence, clients)
        reason, _, tail = one.reason.partition(_BUT)
        reason = reason if tail in shared else one.reason
        told = f"{reason}. {part.offers_told}".rstrip()
        lines.append(Line(one.name, [Cell(text) for text in cells], told))
    each = ["Each has its own verdict."] if len(lines) > 1 else []
    return Table(
        "populations",
        "Who asks",
        "population",
        ("requests", "model", "confidence", "clients"),
        [Group(lines)],
        " ".join([*each, *map(units.sentence, shared)]),
    )


def session_words(learned: Learned) -> str:
    """How sessions are told apart, their rate, and how many are under way; from a comma on."""
    figures = learned.figures
    if figures.part.alone:
        return f", each a page by itself, {units.rate(figures.rate)}"
    rate = "" if figures.part.closed else f" {units.rate(figures.rate)},"
    return (
        f" (gaps above {units.seconds(figures.part.journeys.timeout_s)}, {learned.timeout_from}),"
        f"{rate} {units.number(figures.active)} under way on average"
    )


def arrival_words(learned: Learned) -> str:
    """The arrivals of sessions, in a sentence; empty for a fixed number of clients."""
    figures = learned.figures
    if figures.part.closed:
        return ""
    poisson = figures.poisson
    p_value = "" if poisson.p_value is None else f" ({chance(poisson.p_value)})"
    told = {
        "yes": "Sessions arrive as a Poisson process",
        "no": "Sessions do not arrive as a Poisson process",
        "cannot tell": "Too few sessions to tell whether they arrive as a Poisson process",
    }[poisson.verdict]
    rate = "changes" if figures.changes else "is constant"
    return f"{told}{p_value}; their rate {rate}."


def chance(p_value: float) -> str:
    """A p-value, as in `p = 0.72`; very small ones are given by a bound."""
    return f"p = {units.number(p_value, 2)}" if p_value >= P_LEAST else f"p < {P_LEAST}"
