"""Where a sweep's points meet their objectives, in words: the answer of the sweep."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.present import units
from thinktime.report import point_checks
from thinktime.sweeps.curves import Curve, Row, SweepCurves, value_words


def meeting_sentence(swept: SweepCurves) -> str:
    """As in 'srpt meets p99 ≤ 250 ms up to a load of 0.6; ps at none'; empty without objectives."""
    judged = [curve for curve in swept.drawn if any(row.get("slo") for row in curve.rows)]
    if not judged:
        return ""
    what = swept.objectives or "the SLO"
    by_place: dict[str, list[str]] = {}
    # What is met at most values comes first.
    for curve in sorted(judged, key=lambda curve: -sum(map(_is_met, curve.rows))):
        by_place.setdefault(_where(swept, curve), []).append(curve.name or _alone(swept))
    places = list(by_place)
    phrases = []
    for n, place in enumerate(places):
        names = by_place[place]
        verb = f" {'meets' if len(names) == 1 else 'meet'} {what}" if n == 0 else ""
        phrases.append(f"{units.listed(names)}{verb} {place}")
    said = f"{'; '.join(phrases)}."
    return said if judged[0].name else f"{said[0].upper()}{said[1:]}"


def doubt_sentence(swept: SweepCurves) -> str:
    """How many points are in doubt; empty if none is."""
    doubtful = sum(bool(point_checks.cell(row).strong) for row in swept.rows)
    if not doubtful:
        return ""
    if doubtful == len(swept.rows):
        return "Every point is doubtful." if doubtful > 1 else "The point is doubtful."
    verb = "is" if doubtful == 1 else "are"
    return f"{doubtful} of {units.counted(len(swept.rows), 'point')} {verb} doubtful."


_NONE = "at none"


def _alone(swept: SweepCurves) -> str:
    """The subject if there is one curve."""
    return "the server" if swept.measured else "the system"


def _is_met(row: Row) -> bool:
    return row.get("slo") == "met" and not row.get("untrusted")


def _where(swept: SweepCurves, curve: Curve) -> str:
    """The values at which all objectives are surely met, and those of which it cannot be told."""
    axis = swept.across
    rows = list(curve.rows)
    if axis.numbers:
        rows.sort(key=lambda row: float(row[axis.key]))
    met = [_is_met(row) for row in rows]
    unclear = [row for row in rows if row.get("slo") == "cannot tell" or row.get("untrusted")]
    many = met.count(True)
    if not many:
        where = _NONE if len(rows) > 1 else f"not at {_value(swept, rows[0])}"
    elif many == len(rows):
        where = "everywhere" if many > 1 else f"at {_value(swept, rows[0])}"
    elif axis.numbers and all(met[:many]):
        where = f"up to {_value(swept, rows[many - 1])}"
    elif axis.numbers and all(met[-many:]):
        where = f"from {_value(swept, rows[-many])} on"
    else:
        where = f"at {_values(swept, [row for row, one in zip(rows, met, strict=True) if one])}"
    return f"{where} (cannot tell at {_values(swept, unclear)})" if unclear else where


def _value(swept: SweepCurves, row: Row) -> str:
    """As in 'a load of 0.6' or 'rate 100/s'."""
    axis = swept.across
    value = value_words(axis, row[axis.key])
    return f"a load of {value}" if axis.key == "load" else f"{swept.names[axis.key]} {value}"


def _values(swept: SweepCurves, rows: Sequence[Row]) -> str:
    axis = swept.across
    return units.listed([value_words(axis, row[axis.key]) for row in rows])
