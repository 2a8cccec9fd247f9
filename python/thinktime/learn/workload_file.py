"""The learned workload as a file that `run` and `simulate` take, with where each number is from."""

from __future__ import annotations

import json

from thinktime.learn.advice import Advice
from thinktime.learn.arrivals import Arrivals
from thinktime.learn.mix import Mix
from thinktime.learn.session import SessionLaws
from thinktime.learn.traffic import Traffic

WIDTH = 96


def workload_text(
    name: str,
    traffic: Traffic,
    arrivals: Arrivals,
    sessions: SessionLaws,
    mix: Mix,
    advice: Advice,
) -> str:
    """The file. It has no addresses and no query values."""
    several = sessions.think_law is not None and traffic.requests_per_session > 1
    parts = [
        _note(
            f"Learned from {traffic.count('requests'):,} requests of {traffic.count('users'):,} "
            f"users in {traffic.duration_s:,.0f} s; {traffic.count('apart_requests'):,} requests "
            "of crawlers and other programs are left out."
        ),
        _note(f"Advice: {advice.model}, because {advice.reason} ({advice.confidence}.)"),
        f"name = {json.dumps(name)}",
        "",
        *(_stayers(advice, sessions) if advice.stays else _arrivals(traffic, arrivals, several)),
        *(_session(traffic, sessions) if several and not advice.stays else []),
        *_requests(mix),
    ]
    return "\n".join(parts) + "\n"


def _note(text: str) -> str:
    """A comment, broken into lines."""
    lines, line = [], "#"
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = "#"
        line += f" {word}"
    return "\n".join([*lines, line])


def _arrivals(traffic: Traffic, arrivals: Arrivals, several: bool) -> list[str]:
    poisson = arrivals.poisson
    verdict = {
        "yes": f"Sessions arrive as a Poisson process (p = {poisson.p_value or 0:.2g}).",
        "no": f"Sessions do not arrive as a Poisson process (p = {poisson.p_value or 0:.2g}).",
        "cannot tell": "Too few sessions to tell whether they arrive as a Poisson process.",
    }[poisson.verdict]
    rate = arrivals.rate
    lines = [
        "[arrivals]",
        f'model = "{"partly-open" if several else "open"}"',
        _note(
            f"{traffic.count('sessions'):,} sessions, told apart by gaps of more than "
            f"{traffic.timeout_s:g} s, in {traffic.duration_s:,.0f} s."
        ),
        f'rate = "{rate:.6g}/s"',
        _note(verdict),
        f'process = "{arrivals.process}"',
    ]
    profile = arrivals.profile
    if profile is not None:
        note = (
            f"The rate changes: by steps of {arrivals.step_s / 60:g} min, in parts of the mean. "
            "Without the # it does so here too."
        )
        lines += [_note(note), f'# profile = "{profile}"']
    return [*lines, ""]


def _stayers(advice: Advice, sessions: SessionLaws) -> list[str]:
    return [
        "[arrivals]",
        'model = "closed"',
        _note("Users do not come and go: so many were there on average."),
        f"clients = {advice.clients}",
        "",
        "[session]",
        f'think = "{sessions.think_law}"',
        "",
    ]


def _session(traffic: Traffic, sessions: SessionLaws) -> list[str]:
    requests, think = sessions.requests, sessions.think
    best = requests.best
    how = "no law fits, so these are the counts themselves"
    if best is not None and sessions.requests_law == best.notation:
        how = f"{best.law} fits within {best.ks:.1%}"
    thought = f"{think.tally.mean:.4g} s on average, median {think.tally.quantile(0.5):.4g} s"
    since = "the last response" if sessions.timed else "the last request (no durations are logged)"
    fits = think.best
    within = f"; the law fits within {fits.ks:.1%}" if fits is not None else ""
    return [
        "[session]",
        _note(f"{traffic.requests_per_session:.4g} on average, embedded objects included; {how}."),
        f'requests = "{sessions.requests_law}"',
        _note(f"Since {since}: {thought}{within}."),
        f'think = "{sessions.think_law}"',
        "",
    ]


def _requests(mix: Mix) -> list[str]:
    if not mix.kinds:
        return []
    lines = [
        _note(
            f"The {len(mix.kinds)} most popular of {mix.paths:,} paths, those that differ in a "
            f"number taken together; {mix.others_share:.1%} of the requests went to others."
        )
    ]
    for kind in mix.kinds:
        lines += ["[[request]]", f"name = {json.dumps(kind.name)}"]
        if kind.note:
            lines.append(_note(kind.note))
        lines += [
            f"weight = {kind.share * 100:.4g}",
            f"{kind.method.lower()} = {json.dumps(kind.target)}",
            "",
        ]
    return lines[:-1]
