"""The exit status of a command, and its last message."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import typer

from thinktime import Objective, Unwritten
from thinktime.cli import common

MISSED = "p99 is 2 s, wanted 1s or less"


def result(verdicts: list[str], untrusted: str | None = None, *, interrupted: bool = False) -> Any:
    """The input of a command's verdict: a verdict for each objective."""
    objectives: list[Any] = [
        Objective("p99", None, 1.0, 2.0, None, verdict, MISSED)  # type: ignore[arg-type]
        for verdict in verdicts
    ]
    return SimpleNamespace(
        untrusted=untrusted, interrupted=interrupted, objectives=objectives, summary={}
    )


@pytest.mark.parametrize(
    ("untrusted", "verdicts", "status", "told"),
    [
        (None, ["met", "not met"], 1, ["the SLO is not met", MISSED]),
        (None, ["cannot tell", "not met"], 1, ["the SLO is not met"]),
        (None, ["met", "cannot tell"], 3, ["it cannot be told whether the SLO is met", MISSED]),
        ("late", [], 3, ["not to be trusted: late"]),
        ("late", ["not met"], 3, ["not to be trusted: late", "the SLO is not met", MISSED]),
    ],
)
def test_sentence_and_status_agree(
    untrusted: str | None,
    verdicts: list[str],
    status: int,
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(common, "show", lambda *_: None)
    with pytest.raises(typer.Exit) as ended:
        common.finish(lambda: result(verdicts, untrusted), common.OutputOptions())
    assert ended.value.exit_code == status
    said = " ".join(capsys.readouterr().err.split())
    for words in told:
        assert words in said, said


def test_that_there_is_nothing_to_judge_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(common, "show", lambda *_: None)
    common.finish(lambda: result([]), common.OutputOptions())
    said = " ".join(capsys.readouterr().err.split())
    assert said == "nothing is judged: the workload sets no objective, [slo]"


def test_that_the_slo_is_met_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(common, "show", lambda *_: None)
    common.finish(lambda: result(["met"]), common.OutputOptions())
    assert f"the SLO is met: {MISSED}" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("verdicts", [[], ["not met"]])
def test_an_slo_that_is_missed_is_told_where_the_result_cannot_be_written(
    verdicts: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(common, "show", lambda *_: None)

    def operation() -> Any:
        raise Unwritten(result(verdicts), "no space left")

    with pytest.raises(typer.Exit) as ended:
        common.finish(operation, common.OutputOptions())
    assert ended.value.exit_code == 3
    said = " ".join(capsys.readouterr().err.split())
    assert "could not be written: no space left" in said
    assert ("the SLO is not met: " + MISSED in said) == bool(verdicts)
