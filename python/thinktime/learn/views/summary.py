"""The object that `thinktime learn --json` prints, with null for unknown values."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from thinktime.learn.fit import Values
from thinktime.learn.logs.busiest import busiest, busiest_of
from thinktime.learn.logs.log import Log
from thinktime.learn.logs.requests import METHODS
from thinktime.learn.model.population_model import PopulationModel
from thinktime.learn.starts import Starts
from thinktime.learn.views.server import as_dict, shown

if TYPE_CHECKING:
    from thinktime.learn import Learned
    from thinktime.learn.server import Server

SIGNIFICANT = 6


def summary_of(learned: Learned, server: Server | None) -> dict[str, Any]:
    """The object. Times are in seconds, rates in events a second."""
    figures, advice = learned.figures, learned.advice
    journeys, rows = figures.part.journeys, figures.part.requests.rows
    poisson, kinds, main = figures.poisson, journeys.kinds, advice.population
    found = {
        **_log(learned),
        "populations": [_population(part, learned.log) for part in learned.parts],
        "findings": [vars(finding) for finding in learned.split.findings],
        "session_timeout_s": journeys.timeout_s,
        "session_timeout_from": learned.timeout_from,
        "sessions": figures.sessions,
        "sessions_cut": journeys.chain.cut * figures.one_in,
        "sessions_active": {"mean": figures.active},
        "session_rate": figures.rate,
        "rate_profile": figures.profile,
        "requests_per_session": _values(figures.requests),
        "pages_per_session": _values(figures.pages),
        "think_time_s": _values(figures.thinks),
        "think_time_law": journeys.thinks.law,
        "interarrival_s": _values(figures.gaps),
        "session_arrivals_poisson": {
            "verdict": poisson.verdict,
            "p_value": poisson.p_value,
            "dispersion": poisson.dispersion,
        },
        "response_bytes": _values(figures.sizes),
        "duration_of_requests_s": _values(figures.durations),
        "request_mix": [{"name": kind.name, "share": kinds.share(kind)} for kind in kinds.kinds],
        "statuses": {str(status): count for status, count in _counts(rows["status"])},
        "methods": {METHODS[method]: count for method, count in _counts(rows["method"])},
        "server": as_dict(shown(learned, server)),
        "fidelity": None if learned.fidelity is None else learned.fidelity.to_dict(),
        "recommended_model": main.model,
        "recommended_for": main.name,
        "rule_of_thumb": advice.rule,
        "plan": advice.plan,
        "reason": main.reason,
        "confidence": main.confidence,
        "misleading_if": advice.misleading_if,
        "simulated": {
            "load": advice.load,
            "demand_cv2": advice.cv2,
            "demand_cv2_from": advice.cv2_from,
            "demand_mean_s": advice.demand_s,
            "clients": advice.clients,
        },
    }
    return {name: _plain(value) for name, value in found.items()}


def _counts(column: pl.Series) -> list[tuple[int, int]]:
    """Each value, in order, and its count."""
    return pl.DataFrame({"value": column}).group_by("value").len().sort("value").rows()


def _log(learned: Learned) -> dict[str, Any]:
    log, figures = learned.log, learned.figures
    bad: dict[str, int] = {}
    for lines in log.bad_lines:
        bad[lines.reason] = bad.get(lines.reason, 0) + lines.count
    formats = log.formats
    programs = [part.population for part in learned.parts if part.population.kind != "people"]
    requests, people = log.requests, figures.part.requests
    return {
        "files": len(log.files),
        "format": formats[0] if len(formats) == 1 else formats,
        "lines": log.lines,
        "bad_lines": bad,
        "bad_line_examples": [
            {"reason": one.reason, "file": one.file, "line": one.line, "example": one.example}
            for one in log.bad_lines
        ],
        "dropped": log.dropped,
        "columns_left_over": log.left_over,
        "times_back": log.raw["backwards"],
        "notes": log.notes,
        "warnings": log.warnings,
        "interrupted": log.stopped,
        "requests": log.count,
        "users": requests.user_count * log.one_in,
        "addresses": requests.users["address"].n_unique(),
        "one_in": log.one_in,
        "persons": {
            "users": people.user_count * log.one_in,
            "requests": len(people) * log.one_in,
            "pages": len(figures.part.journeys.visits.base) * log.one_in,
        },
        "programs": {
            "users": sum(one.users for one in programs) * log.one_in,
            "requests": sum(one.requests for one in programs) * log.one_in,
        },
        "start": _date(requests.rows["time_ns"][0]),
        "end": _date(requests.rows["time_ns"][-1]),
        "duration_s": requests.span_s,
        "resolution_s": requests.resolution_s,
        "busiest": [vars(one) for one in busiest(log)],
    }


def _population(part: PopulationModel, log: Log) -> dict[str, Any]:
    one, journeys, starts = part.population, part.journeys, part.starts
    return {
        "name": one.name,
        "kind": one.kind,
        "model": one.model,
        "confidence": one.confidence,
        "reason": one.reason,
        "would_change": one.would_change,
        "requests": one.requests * log.one_in,
        "share": one.requests / len(log.requests),
        "users": one.users * log.one_in,
        "clients": one.clients,
        "interval_s": one.interval_s,
        "host": one.host or None,
        "journeys": journeys.journeys,
        "offers": part.offers,
        "requests_per_journey": journeys.requests_per_journey,
        "retries": journeys.retries,
        "order": journeys.chain.model,
        "think_time_law": journeys.thinks.law,
        "starts": None
        if starts is None or part.model is None
        else {
            "rate": starts.rate,
            "taken_as": part.model.name,
            "poisson": starts.poisson.verdict,
            "dispersion": dict(zip(("1s", "10s", "1min"), starts.dispersion, strict=True)),
            "busiest": _busiest(starts),
        },
    }


def _busiest(starts: Starts) -> list[dict[str, Any]]:
    """The busiest windows of starts that are no shorter than the steps of the stamps."""
    times_s = starts.times_s[starts.times_s >= starts.settled_s]
    found = busiest_of(times_s.astype(np.int64), starts.covered.span_s)
    return [vars(one) for one in found if one.window_s >= starts.resolution_s]


def _date(nanoseconds: int) -> str:
    seconds = datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC)
    return seconds.isoformat().replace("+00:00", "Z")


def _values(values: Values) -> dict[str, Any] | None:
    """A kind of values, and the laws fitted to them."""
    tally = values.tally
    if tally.total == 0:
        return None
    found: dict[str, Any] = {
        "count": tally.total,
        "mean": tally.mean,
        "cv2": tally.cv2,
        "min": tally.quantile(0.0),
        "max": tally.quantile(1.0),
        "median": tally.quantile(0.5) if not tally.whole else float(round(tally.quantile(0.5))),
        "p90": tally.quantile(0.9),
        "p99": tally.quantile(0.99),
        "law": values.law,
        "candidates": [
            {
                "law": one.notation,
                "name": one.law,
                "log_likelihood": one.log_likelihood,
                "bic": one.bic,
                "ks": one.ks,
                "mean": one.mean,
                "median": one.median,
                "plausible": one.plausible,
                "note": one.note,
            }
            for one in values.fits
        ],
    }
    if values.tail is not None:
        tail = values.tail
        found["tail"] = {
            "verdict": tail.verdict,
            "exponent": tail.exponent,
            "ci95": [tail.low, tail.high],
            "from": tail.threshold,
            "share": tail.share,
            "reason": tail.reason,
        }
    return found


def _plain(value: Any) -> Any:
    """JSON has neither infinity nor NaN, and six digits are enough for a reader."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return float(f"{value:.{SIGNIFICANT}g}") if math.isfinite(value) else None
    return value
