"""Problems that spoil or limit a result, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thinktime.present import units
from thinktime.report.case import Case, Entry
from thinktime.results.remote_rows import why_no_rows

_NUMBER = re.compile(r"\d[\d.,]*( [nµm]?s\b)?")

_UNTRUSTED = "not to be trusted"

_UNCOUNTED = "their times are in no distribution"
"""The end of the core's warning about requests that failed."""

_FEW = 30  # of fewer requests the ends of the run decide how many completed

_SHORTFALL = 0.03  # a gap of this share between achieved and offered is reported


def sentences(cases: Sequence[Case]) -> list[str]:
    """Doubts about every result, each with its case named; one that several have stands once.

    Those that spoil a result stand before those that limit it.
    """
    entries = [(case, entry) for case in cases for entry in case.entries]
    if len(entries) == 1:
        # How many requests of the only result failed stands above its doubts already.
        doubts = [one for one in _doubts(entries[0][1]) if not one.endswith(_UNCOUNTED)]
        return [units.sentence(one) for one in doubts]
    alike: dict[str, list[tuple[str, str]]] = {}
    for case, entry in entries:
        for doubt in _doubts(entry):
            named = (f"{case.label}, {entry.kind}", doubt)
            alike.setdefault(_NUMBER.sub("#", doubt), []).append(named)
    worst_first = sorted(alike.values(), key=lambda found: not found[0][1].startswith(_UNTRUSTED))
    return [units.sentence(_together(found, len(entries))) for found in worst_first]


def _together(found: Sequence[tuple[str, str]], results: int) -> str:
    """A doubt with its results; of several that differ in numbers alone it is the first one's."""
    name, doubt = found[0]
    if len(found) == 1:
        return f"{name}: {doubt}"
    as_in = "" if len({words for _, words in found}) == 1 else f", as in {name}"
    return f"{len(found)} of {results} results{as_in}: {doubt}"


def _doubts(entry: Entry) -> list[str]:
    found: list[str | None] = [_untrusted(entry), _interrupted(entry)]
    if entry.figures.requests:
        found += [_dropped(entry), _shortfall(entry)]
    else:
        found.append("no request ended, so there are no times")
    why = entry.result.untrusted or ""
    warnings = [str(warning) for warning in entry.result.summary.get("warnings") or []]
    found += [warning for warning in warnings if warning not in why]
    found.append(why_no_rows(entry.result))
    return list(dict.fromkeys(doubt for doubt in found if doubt))


def _untrusted(entry: Entry) -> str | None:
    why = entry.result.untrusted
    return f"{_UNTRUSTED}: {why}" if why else None


def _interrupted(entry: Entry) -> str | None:
    return "it was stopped before its end" if entry.result.interrupted else None


def _dropped(entry: Entry) -> str | None:
    dropped = entry.result.summary.get("dropped") or 0
    return f"{units.count(dropped)} wanted requests were never sent" if dropped else None


def _shortfall(entry: Entry) -> str | None:
    offered, throughput = entry.figures.offered_rate, entry.figures.throughput
    requests, failed = entry.figures.requests or 0, entry.figures.errors or 0
    if requests < _FEW or not offered or throughput is None:
        return None
    ended = throughput * requests / (requests - failed) if requests > failed else offered
    if ended >= (1 - _SHORTFALL) * offered:  # of those that failed the page speaks by itself
        return None
    return f"{units.rate(offered)} were offered, but only {units.rate(throughput)} completed"
