"""The probes of a search as a frame, a row a probe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from thinktime.capacity_search.probe import Probe

if TYPE_CHECKING:
    import polars as pl

_TYPES = {
    "value": "Float64",
    "passed": "Boolean",
    "slo": "String",
    "margin": "Float64",
    "standard_error": "Float64",
    "requests": "Int64",
    "independent_requests": "Float64",
    "error_share": "Float64",
    "throughput": "Float64",
    "response_mean_s": "Float64",
    "response_p99_s": "Float64",
    "lateness_p99_s": "Float64",
    "generator": "Boolean",
    "why": "String",
    "untrusted": "String",
}
"""The columns of the probes' table, each with the name of its type in polars; `validity` has a list
of structs."""

_OF_FINDINGS = ("name", "verdict", "found", "advice")


def frame_of(probes: Sequence[Probe]) -> pl.DataFrame:
    """The probes as a frame."""
    import polars as pl

    rows = [
        {
            "value": probe.value,
            "passed": probe.passed,
            "slo": probe.slo,
            "margin": probe.margin,
            "standard_error": probe.error,
            **probe.figures,
            "generator": probe.generator,
            "why": probe.why,
            **checks_of(probe),
        }
        for probe in probes
    ]
    schema = {name: getattr(pl, kind) for name, kind in _TYPES.items()}
    findings = pl.List(pl.Struct(dict.fromkeys(_OF_FINDINGS, pl.String)))
    return pl.DataFrame(rows, schema=schema | {"validity": findings})


def checks_of(probe: Probe) -> dict[str, Any]:
    """The checks' verdicts on a probe, as its row has them."""
    found = [one.as_dict() for one in probe.validity]
    return {"untrusted": probe.untrusted, "validity": found}
