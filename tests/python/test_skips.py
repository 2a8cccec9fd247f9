"""A skip that no other run would undo is a failure of the whole check."""

from __future__ import annotations

from pathlib import Path

import pytest
import skips


def listed(monkeypatch: pytest.MonkeyPatch, file: Path, *reasons: str) -> int:
    monkeypatch.setenv(skips.LIST, str(file))
    skips.record((f"test_x.py::test_{number}", reason) for number, reason in enumerate(reasons))
    return skips.main()


def test_without_skips_the_list_is_empty(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert listed(monkeypatch, tmp_path / "skips") == 0
    assert capsys.readouterr().out == "== 0 tests skipped\n"


def test_a_busy_machine_is_listed_and_no_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(pytest.skip.Exception) as caught:
        skips.busy("it was late")
    assert listed(monkeypatch, tmp_path / "skips", str(caught.value)) == 0
    assert "test_x.py::test_0: the machine was busy: it was late" in capsys.readouterr().out


def test_what_is_not_installed_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "skips"
    assert listed(monkeypatch, file, "the system package curl is not installed") == 1
    assert listed(monkeypatch, file, f"{skips.BUSY}late") == 1, "the list goes on"
    assert capsys.readouterr().out.count("install what they need") == 2
