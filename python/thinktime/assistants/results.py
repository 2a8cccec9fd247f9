"""Tools that read results: explained, compared, and made a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thinktime import InputError, Result
from thinktime.assistants.answer import Answer
from thinktime.assistants.call import Call
from thinktime.comparison import Comparison, subject_of
from thinktime.comparison import compare as compare_subjects
from thinktime.comparison.table import notes, table
from thinktime.explain import explain_result, token_server
from thinktime.present.table import Group
from thinktime.report import report as page_of
from thinktime.report.explanation import lines, models_table, tokens_table
from thinktime.report.explanation import table as answers_table


def compare(results: Sequence[str | Path]) -> list[Comparison]:
    """Compare results with the first one: times, throughput, errors, with intervals.

    Args:
        results: Two or more result directories.

    Raises:
        InputError: There are fewer, or one cannot be read.
    """
    if len(results) < 2:
        raise InputError("results: give two directories at least")
    first, *others = [subject_of(Result.load(one)) for one in results]
    return [compare_subjects(first, other) for other in others]


def report(
    results: Sequence[str | Path],
    output: str | Path = "report.html",
    title: str | None = None,
) -> Path:
    """Write one self-contained HTML page that compares results and works offline.

    Args:
        results: One or more result directories.
        output: The page to write.
        title: The page's title.

    Raises:
        InputError: A result cannot be read.
    """
    return page_of([Result.load(one) for one in results], output, title)


def explained(call: Call) -> Answer:
    """The server that fits a result."""
    call.tell(0, None, "models are simulated")
    measured = call.result("result", call.given["result"])
    if token_server.is_of_tokens(measured, call.given):
        return _tokens_explained(measured, call.given.get("requests_max"))
    found = call.do(explain_result, result=measured)
    figures = found.as_dict()
    figures = {name: figures[name] for name in (
        "model", "load", "apart", "allowed", "alike", "mean_s", "p99_s", "throughput", "requests",
        "demands", "requests_needed", "system",
    )}  # fmt: skip
    return Answer(
        "cannot tell" if found.refused else "done",
        found.sentence,
        [found.refused, *(f"in doubt: {one}" for one in found.doubts)],
        [found.closed_test],
        figures,
        [models_table(found)] if found.refused
        else [answers_table([Group(lines(found))]), models_table(found)],
    )  # fmt: skip


def _tokens_explained(measured: Result, requests_max: int | None) -> Answer:
    """The server of tokens that fits a result."""
    most = requests_max or token_server.REQUESTS_MAX
    found = token_server.token_server_of(measured, most)
    figures = found.as_dict()
    del figures["sentence"], figures["refused"]
    return Answer(
        "done" if found.refusal is None else "cannot tell",
        found.sentence,
        figures=figures,
        tables=[tokens_table(found)],
    )


def compared(call: Call) -> Answer:
    """The changes between results."""
    found = call.do(compare)
    loaded: list[Any] = [Result.load(call.path("results", one)) for one in call.given["results"]]
    remarks = [note for one in found for note in notes(one)]
    return Answer(
        "done",
        " ".join(f"{one.after.label}: {one.verdict}" for one in found),
        [f"{one.label}: {one.untrusted}" for one in loaded if one.untrusted],
        list(dict.fromkeys(remarks)),
        {"comparisons": [one.as_dict() for one in found]},
        [table(found)],
    )


def reported(call: Call) -> Answer:
    """A page of results."""
    path = Path(call.path("output", call.given.get("output") or "report.html"))
    return Answer("done", "the page is written", files={"page": call.do(report, output=str(path))})
