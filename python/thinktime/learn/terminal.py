"""What `thinktime learn` shows on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from thinktime.learn.session import Values

if TYPE_CHECKING:
    from thinktime.learn import Learned

BAD_SHOWN = 10
KINDS_SHOWN = 5


def lines(learned: Learned, examples: bool = True) -> Iterator[str]:
    """What was learned, line by line; examples of bad lines may hold addresses."""
    yield from _log(learned, examples)
    yield ""
    yield from _laws(learned)
    yield ""
    yield from _advice(learned)


def _log(learned: Learned, examples: bool) -> Iterator[str]:
    traffic = learned.traffic
    count = traffic.count
    yield (
        f"{len(traffic.raw['files'])} file(s), format {', '.join(traffic.formats)}: "
        f"{traffic.lines:,} lines, {count('requests'):,} requests of {count('users'):,} users "
        f"in {traffic.duration_s:,.0f} s"
    )
    yield (
        f"set apart: {count('apart_requests'):,} requests of {count('apart_users'):,} crawlers "
        "and other programs"
    )
    for bad in traffic.bad_lines[:BAD_SHOWN]:
        example = f": {bad.example}" if examples else ""
        yield f"bad: {bad.count:,} lines ({bad.reason}); {bad.file}:{bad.line}{example}"
    for warning in traffic.warnings:
        yield f"warning: {warning}"
    if traffic.raw["stopped"]:
        yield "interrupted: the figures are those of what was read up to then"


def _laws(learned: Learned) -> Iterator[str]:
    traffic, arrivals, sessions = learned.traffic, learned.arrivals, learned.sessions
    yield (
        f"sessions         {traffic.count('sessions'):,} (gaps above {traffic.timeout_s:g} s, "
        f"{learned.timeout_from}), {arrivals.rate:.4g} a second, "
        f"{traffic.active_mean:.4g} under way on average"
    )
    poisson = arrivals.poisson
    p_value = "" if poisson.p_value is None else f" (p = {poisson.p_value:.2g})"
    rate = "changes" if arrivals.changes else "is constant"
    yield f"arrivals         Poisson: {poisson.verdict}{p_value}; the rate {rate}"
    for name, values, unit in (
        ("requests/session", sessions.requests, ""),
        ("pages/session", sessions.pages, ""),
        ("think time", sessions.think, " s"),
        ("  before pages", sessions.page_think, " s"),
        ("  before objects", sessions.object_gap, " s"),
        ("response size", learned.sizes, " B"),
        ("duration", learned.durations, " s"),
    ):
        if values.best is not None:
            yield f"{name:16} {_values(values, unit)}"
    popularity = learned.mix.popularity
    zipf = f"; Zipf exponent {popularity.exponent:.3g}" if popularity else ""
    kinds = ", ".join(f"{kind.name} {kind.share:.1%}" for kind in learned.mix.kinds[:KINDS_SHOWN])
    yield f"paths            {learned.mix.paths:,}{zipf}: {kinds}"


def _values(values: Values, unit: str) -> str:
    best, tally = values.best, values.tally
    assert best is not None
    fits = f"{best.notation} (within {best.ks:.1%})"
    heavy = ""
    if values.tail is not None and values.tail.verdict == "heavy":
        tail = values.tail
        heavy = f"; heavy tail, exponent {tail.exponent:.3g} [{tail.low:.3g}, {tail.high:.3g}]"
    mean, median = tally.mean, tally.quantile(0.5)
    return f"mean {mean:.4g}{unit}, median {median:.4g}{unit}; {fits}{heavy}"


def _advice(learned: Learned) -> Iterator[str]:
    advice = learned.advice
    yield f"advice           {advice.model.upper()} ({advice.confidence})"
    yield f"                 {advice.reason}"
    rows = {"partly-open": advice.partly_open, "open": advice.open, "closed": advice.closed}
    yield (
        f"                 at load {advice.load:g}, demands {advice.demand_s:.3g} s, "
        f"C² {advice.cv2:.3g} ({advice.cv2_from}):"
    )
    for name, model in rows.items():
        if model is not None:
            clients = f", {advice.clients} clients" if name == "closed" else ""
            yield (
                f"                 {name + clients:24} mean {model.mean_s:.4g} s, p99 "
                f"{model.p99_s:.4g} s; SRPT makes the mean {model.gain:.3g} times shorter"
            )
