"""Journeys as the tables of a workload file, with the source of each number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thinktime.importing.toml import key, quoted
from thinktime.learn.comments import note
from thinktime.learn.fit.empirical_law import rounded_shares
from thinktime.learn.journeys.chain import COUNTED_JOURNEY, JOURNEY, WEIGHTS
from thinktime.learn.journeys.journeys import Journeys
from thinktime.learn.kinds.kinds import Kind
from thinktime.present import units

DIGITS = 5
"""The digits of shares."""

BODIED = ("POST", "PUT", "PATCH")
END = "end"


def session_lines(found: Journeys, table: str = "session", *, endless: bool = False) -> list[str]:
    """The lines of the table of sessions, as in ``population.session``; an empty one ends them.

    The table is left out if no journey has two pages. Sessions that are ``endless``, as those of a
    closed population, have no number of requests unless a journey needs it.
    """
    chain, thinks = found.chain, found.thinks
    if thinks.law is None:
        return []
    since = "the page was answered" if found.timed else "the last request (no durations logged)"
    lines = [f"[{table}]"]
    if chain.model != JOURNEY and not (endless and chain.model == WEIGHTS):
        lines += [
            note(f"Pages of a journey: {chain.pages_mean:.4g} on average in {found.journeys:,}."),
            f"requests = {quoted(chain.pages_law)}",
        ]
    if chain.model != WEIGHTS:
        lines += [
            note(
                f"The beginnings of the {found.journeys:,} journeys. The order of pages says more "
                f"than weights alone: its BIC is {_gain(found):,.0f} less."
            ),
            f"first = {_table(_named(found, chain.first))}",
        ]
    lines += [
        note(
            f"From when {since} to the next page: {thinks.mean_s:.4g} s on average, median "
            f"{thinks.median_s:.4g} s, of {thinks.count:,}."
        ),
        *_pause(found),
        f"think = {quoted(thinks.law)}",
    ]
    return [*lines, *_hints(found), ""]


def _pause(found: Journeys) -> list[str]:
    """The comment that a client pauses, or is otherwise kept to the log's pace."""
    if found.thinks.stretch != 1:
        text = f"They are written {found.thinks.stretch:.3g} times as long: with that"
        return [note(f"{text} all clients together make the log's number of requests.")]
    if found.thinks.pause is None:
        return []
    share, mean_s = found.thinks.pause
    text = (
        f"Of its think times {units.percent(share)} are pauses, of {units.seconds(mean_s)} on "
        "average: with"
    )
    return [note(f"{text} them all clients together make the log's number of requests.")]


def request_lines(found: Journeys, table: str = "request") -> list[str]:
    """The lines of the tables of requests, as in ``population.request``; an empty one ends each."""
    kinds = found.kinds.kinds
    users = units.counted(found.least_users, "user")
    total = max(sum(kind.requests for kind in kinds), 1)
    lines = [
        note(
            f"Requests are gathered by what varies in their paths, shown as *. Names are given to "
            f"what at least {users} asked for; numbers and names in paths are made up."
        )
    ]
    lost = found.left_out
    if lost:
        many = "one kind" if len(lost) == 1 else f"{len(lost)} kinds"
        left_out = sum(kinds[at].requests for at in lost)
        lines.append(
            note(f"Hardly any page has objects of {many}: {left_out:,} requests are left out.")
        )
    for at, kind in enumerate(kinds):
        if at in lost:
            continue
        lines += [f"[[{table}]]", f"name = {quoted(kind.name)}", _about(found, at, total)]
        lines += _target(kind)
        lines += _size(found, at)
        if at < found.kinds.pages:
            lines += _order(found, at)
        lines.append("")
    return lines


def _hints(found: Journeys) -> list[str]:
    """The parts of the log that the file leaves out."""
    lines = []
    if found.embeddings.unchanged:
        lines += [
            note(
                f"Browsers keep objects: {found.embeddings.unchanged:,} were asked for again only "
                "to hear that they have not changed. The counts below include these requests, so "
                "this stays off:"
            ),
            "# cache = true",
        ]
    if found.retries:
        lines.append(
            note(
                f"{found.retries:,} requests asked again for what had failed; they are left out. "
                "A request's `retry` and `timeout` say when clients do so."
            )
        )
    return lines


def _gain(found: Journeys) -> float:
    return found.chain.bic[WEIGHTS] - found.chain.bic[found.chain.model]


def _about(found: Journeys, at: int, total: int) -> str:
    kind, answers = found.kinds.kinds[at], found.answers[at]
    parts = [f"{kind.requests:,} requests ({units.percent(kind.requests / total)})"]
    if not kind.template:
        parts.append("their paths are not named, so that these go to one that exists")
    if len(kind.counts) > 1:
        known = "numbers as in the log" if kind.numbered else "made-up numbers"
        parts.append(f"{len(kind.counts):,} paths, {known}")
    if answers.duration_s:
        median, _, most = answers.duration_s
        parts.append(f"answered in {_time(median)} (median), {_time(most)} (p99)")
    bad = sum(many for status, many in answers.statuses.items() if not 100 <= status < 400)
    if bad:
        parts.append(f"{units.percent(bad / sum(answers.statuses.values()))} failed")
    return note("; ".join(parts) + ".")


def _time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def _target(kind: Kind) -> list[str]:
    lines = [f"{kind.method.lower()} = {quoted(kind.target)}"]
    if kind.method in BODIED:
        lines.append('body = ""  # logs have no bodies: put one here')
    return lines


def _size(found: Journeys, at: int) -> list[str]:
    law = found.answers[at].size_law
    return [] if law is None else [f"size = {quoted(law)}"]


def _order(found: Journeys, at: int) -> list[str]:
    """The weight or the next pages, the think time and the objects of a page."""
    chain, own = found.chain, found.thinks.own
    lines = []
    if chain.model == WEIGHTS:
        lines.append(f"weight = {chain.weights[at] * 100:.6g}")
    else:
        row = chain.offered[at]
        if chain.model == COUNTED_JOURNEY:
            row = np.append(row[:-1], 0.0)
            if row.sum() == 0:  # no page ever followed
                row = np.append(chain.first, 0.0)
        lines.append(f"next = {_table(_named(found, row))}")
    if at in own and found.thinks.law is not None:
        lines.append(f"think = {quoted(own[at])}")
    embedding = found.embeddings.of_kind.get(at)
    if embedding is not None:
        kinds = found.kinds.kinds
        of = {kinds[one].name: many for one, many in embedding.of.items()}
        shares = dict(zip(of, rounded_shares(list(of.values()), DIGITS).tolist(), strict=True))
        shares = {name: share for name, share in shares.items() if share > 0}
        lines.append(
            f"objects = {{ count = {quoted(embedding.law)}, of = {_table(shares)}, "
            f"connections = {found.embeddings.connections} }}"
        )
    return lines


def _named(found: Journeys, row: NDArray[np.float64]) -> dict[str, float]:
    """Shares by name that sum to 1, without those that are too small to be written."""
    names = [kind.name for kind in found.kinds.kinds[: found.kinds.pages]] + [END]
    shares = rounded_shares(row, DIGITS).tolist()
    return {name: share for name, share in zip(names, shares, strict=False) if share > 0}


def _table(shares: dict[str, float]) -> str:
    pairs = (f"{key(name)} = {share:.{DIGITS}g}" for name, share in shares.items())
    return f"{{ {', '.join(pairs)} }}"
