"""With which status a command ends, and what it says then."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import typer

from thinktime import Unwritten
from thinktime.cli import common

MISSED = "p99 is 2 s, wanted 1s or less"


@pytest.mark.parametrize(
    ("untrusted", "breaches", "status", "told"),
    [
        (None, [MISSED], 1, ["the SLO is not met", MISSED]),
        ("late", [], 3, ["not to be trusted: late"]),
        ("late", [MISSED], 3, ["not to be trusted: late", "the SLO is not met", MISSED]),
    ],
)
def test_an_slo_that_is_missed_is_told_whatever_else_is_wrong(
    untrusted: str | None,
    breaches: list[str],
    status: int,
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(common, "show", lambda *_: None)
    result: Any = SimpleNamespace(untrusted=untrusted, breaches=lambda: breaches)
    with pytest.raises(typer.Exit) as ended:
        common.finish(lambda: result, False, None)
    assert ended.value.exit_code == status
    said = " ".join(capsys.readouterr().err.split())
    for words in told:
        assert words in said, said


def test_a_good_result_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "show", lambda *_: None)
    result: Any = SimpleNamespace(untrusted=None, breaches=list)
    common.finish(lambda: result, False, None)


@pytest.mark.parametrize("breaches", [[], [MISSED]])
def test_an_slo_that_is_missed_is_told_where_the_result_cannot_be_written(
    breaches: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(common, "show", lambda *_: None)
    result: Any = SimpleNamespace(untrusted=None, breaches=lambda: breaches)

    def operation() -> Any:
        raise Unwritten(result, "no space left")

    with pytest.raises(typer.Exit) as ended:
        common.finish(operation, False, None)
    assert ended.value.exit_code == 3
    said = " ".join(capsys.readouterr().err.split())
    assert "could not be written: no space left" in said
    assert ("the SLO is not met: " + MISSED in said) == bool(breaches)
