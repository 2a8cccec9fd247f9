"""What `thinktime learn --json` prints: one object, with null for what is not known."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from thinktime.learn.session import Values
from thinktime.learn.traffic import Traffic

if TYPE_CHECKING:
    from thinktime.learn import Learned

SIGNIFICANT = 6


def summary_of(learned: Learned) -> dict[str, Any]:
    """The object. Times are in seconds, rates in events a second."""
    traffic, arrivals, sessions = learned.traffic, learned.arrivals, learned.sessions
    mix, poisson, advice = learned.mix, arrivals.poisson, learned.advice
    found = {
        **_log(traffic),
        "session_timeout_s": traffic.timeout_s,
        "session_timeout_from": learned.timeout_from,
        "sessions": traffic.count("sessions"),
        "sessions_cut": {
            "at_start": traffic.count("cut_at_start"),
            "at_end": traffic.count("cut_at_end"),
        },
        "sessions_active": {
            "mean": traffic.active_mean,
            "max": traffic.active_max,
        },
        "session_rate": arrivals.rate,
        "rate_profile": arrivals.profile,
        "requests_per_session": _values(sessions.requests, traffic.requests_per_session),
        "pages_per_session": _values(sessions.pages),
        "think_time_s": _values(sessions.think),
        "page_think_time_s": _values(sessions.page_think),
        "object_gap_s": _values(sessions.object_gap),
        "think_time_law": sessions.think_law,
        "interarrival_s": _values(Values(arrivals.gap_tally, arrivals.gaps, None)),
        "session_arrivals_poisson": {
            "verdict": poisson.verdict,
            "p_value": poisson.p_value,
            "dispersion": poisson.dispersion,
        },
        "response_bytes": _values(learned.sizes),
        "duration_of_requests_s": _values(learned.durations),
        "request_mix": [{"name": kind.name, "share": kind.share} for kind in mix.kinds],
        "popularity_zipf_s": mix.popularity.exponent if mix.popularity else None,
        "statuses": {str(status): count for status, count in traffic.raw["statuses"]},
        "methods": dict(traffic.raw["methods"]),
        "recommended_model": advice.model,
        "reason": advice.reason,
        "confidence": advice.confidence,
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


def _log(traffic: Traffic) -> dict[str, Any]:
    bad: dict[str, int] = {}
    for lines in traffic.bad_lines:
        bad[lines.reason] = bad.get(lines.reason, 0) + lines.count
    formats = traffic.formats
    return {
        "files": len(traffic.raw["files"]),
        "format": formats[0] if len(formats) == 1 else formats,
        "lines": traffic.lines,
        "bad_lines": bad,
        "bad_line_examples": [
            {"reason": one.reason, "file": one.file, "line": one.line, "example": one.example}
            for one in traffic.bad_lines
        ],
        "times_back": traffic.count("backwards"),
        "warnings": traffic.warnings,
        "interrupted": traffic.raw["stopped"],
        "requests": traffic.count("requests") + traffic.count("apart_requests"),
        "users": traffic.count("users") + traffic.count("apart_users"),
        "addresses": traffic.count("addresses"),
        "persons": {
            "users": traffic.count("users"),
            "requests": traffic.count("requests"),
            "pages": traffic.count("pages"),
        },
        "crawlers": {
            "users": traffic.count("apart_users"),
            "requests": traffic.count("apart_requests"),
            "sessions": traffic.count("apart_sessions"),
            "requests_before_known": traffic.count("apart_late_requests"),
        },
        "start": _date(traffic.raw["start_ns"]),
        "end": _date(traffic.raw["end_ns"]),
        "duration_s": traffic.duration_s,
        "resolution_s": traffic.resolution_s,
    }


def _date(nanoseconds: int) -> str:
    seconds = datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC)
    return seconds.isoformat().replace("+00:00", "Z")


def _values(values: Values, mean: float | None = None) -> dict[str, Any] | None:
    """A kind of values, and the laws fitted to them."""
    tally = values.tally
    if tally.total == 0:
        return None
    found: dict[str, Any] = {
        "count": tally.total,
        "mean": tally.mean if mean is None else mean,
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
    """JSON has neither infinity nor NaN, and nobody reads more than six digits."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return float(f"{value:.{SIGNIFICANT}g}") if math.isfinite(value) else None
    return value
