"""A study is run in small if it was changed since it last passed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import study_selection


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one study, which imports a module and has a test, all of it verified."""
    files = {
        "studies/queue/README.md": "",
        "studies/queue/run.py": "def run():\n    from thinktime.theory import law\n",
        "studies/queue/results.json": "{}",
        "studies/chart.py": "",
        "python/thinktime/theory/law.py": "MEAN = 1\n",
        "tests/python/test_study_queue.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.delenv(study_selection.ALL, raising=False)
    monkeypatch.setattr(study_selection, "ROOT", tmp_path)
    monkeypatch.setattr(study_selection, "STUDIES", tmp_path / "studies")
    monkeypatch.setattr(study_selection, "VERIFIED", tmp_path / "studies/verified.json")
    study_selection.main()
    return tmp_path


def test_a_verified_study_is_not_run_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert study_selection.names() == ["queue"]
    assert not study_selection.changed("queue")
    (project / "studies/queue/results.json").write_text("[]")
    (project / "studies/chart.py").write_text("# the study does not import it")
    assert not study_selection.changed("queue")
    monkeypatch.setenv(study_selection.ALL, "1")
    assert study_selection.changed("queue")


@pytest.mark.parametrize(
    "name",
    [
        "studies/queue/run.py",
        "studies/queue/system.toml",
        "python/thinktime/theory/law.py",
        "tests/python/test_study_queue.py",
    ],
)
def test_a_changed_study_is_run(project: Path, name: str) -> None:
    (project / name).write_text("\n# changed")
    assert study_selection.changed("queue")


def test_a_study_that_was_never_verified_is_run(project: Path) -> None:
    (project / "studies/verified.json").write_text(json.dumps({"another": "1"}))
    assert study_selection.changed("queue")
