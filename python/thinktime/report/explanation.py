"""An explanation as a table, for terminals and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime.explain.explanation import Explanation
    from thinktime.explain.questions import Answer
    from thinktime.explain.token_server import TokenServerFit
    from thinktime.results.result import Result

HEADINGS = ("mean", "19 of 20", "p99", "19 of 20 p99", "throughput", "19 of 20 throughput")


REPORTED = 10_000
"""The most requests of a run that a report examines: it should be written in seconds."""


def table(groups: Sequence[Group]) -> Table:
    """The measurement, and below it the model's figures: a group for each result."""
    return Table(
        "explained", "What another system would have shown", "", HEADINGS, groups,
        note="19 of 20: the range of another measurement of the same length, if the model, or one "
        "that cannot be told from it, is right. Times run from sending to the answer, with "
        "retries from the first sending.",
        spare=("19 of 20 throughput", "19 of 20 p99", "throughput", "19 of 20"), folded=True,
    )  # fmt: skip


def models_table(found: Explanation) -> Table:
    """The simulated models, and their accuracy on the held-out part."""
    lines = [
        Line(
            str(number),
            [
                Cell(f"{one.apart:.3f}"),
                Cell(f"{one.allowed:.3f}"),
                Cell(f"{one.log_likelihood:.4f}"),
                Cell("yes" if one.fits else "no"),
            ],
            note=units.sentence(one.words),
        )
        for number, one in enumerate(found.models, 1)
    ]
    headings = ("off", "may be chance", "log-likelihood", "fits")
    return Table(
        "models", "Models that were simulated", "model", headings, [Group(lines)],
        note="On the part that was held out; of the response times, a request.",
        spare=("may be chance",),
    )  # fmt: skip


def tokens_table(found: TokenServerFit) -> Table:
    """Measured times, and those of the fitted server of tokens."""
    keys = ("mean", "p50", "p99")

    def line(name: str, times: Mapping[str, float]) -> Line:
        return Line(name, [Cell(units.seconds(times[key])) for key in keys])

    groups = [
        Group([line("measured", measured), line("model", modelled)], title=words)
        for words, measured, modelled in found.parts
    ]
    return Table("tokens", "Times of tokens", "", keys, groups)


def lines(found: Explanation, note: str = "") -> list[Line]:
    """The measurement, perhaps with a note, and the model's figures."""
    measured = Line(
        "measured",
        [
            Cell(units.seconds(found.mean_s), strong="text"),
            Cell(""),
            Cell(units.seconds(found.p99_s)),
            Cell(""),
            Cell(units.rate(found.throughput)),
            Cell(""),
        ],
        style="measured",
        note=note,
    )
    return [measured, *(_line(one) for one in found.answers)]


def lines_of(result: Result) -> list[Line]:
    """The explanations of runs in a report, or the reasons for none; empty for a simulation."""
    if result.kind != "run":
        return []
    from thinktime import InputError
    from thinktime.explain import explain_result

    try:
        found = explain_result(result, requests_max=REPORTED)
    except InputError as error:
        why = str(error).removeprefix(f"{result.path or 'the result'}: ")
        return [Line("measured", [Cell("")] * len(HEADINGS), note=units.sentence(why))]
    some = (result.summary.get("requests") or 0) > found.requests >= REPORTED
    first = f" (of the first {units.count(found.requests)} requests)" if some else ""
    more = (
        "; `thinktime explain DIR` looks at more of them" if some and found.requests_needed else ""
    )
    said = units.sentence(found.sentence.rstrip(".") + first + more)
    return lines(found, f"{said} {units.sentence(found.closed_test)}")


def _line(one: Answer) -> Line:
    if one.refused:
        return Line(one.question, [Cell("")] * len(HEADINGS), note=units.sentence(one.refused))
    return Line(
        one.question,
        [
            Cell(units.seconds(one.mean_s)),
            Cell(_between(one.mean_within_s)),
            Cell(units.seconds(one.p99_s)),
            Cell(_between(one.p99_within_s)),
            Cell(units.rate(one.throughput)),
            Cell(_rates_between(one.throughput_within)),
        ],
    )


def _between(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else units.times_between(*ends)


def _rates_between(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{units.numbers_between(*ends)}/s"
