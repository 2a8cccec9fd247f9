"""The destinations of studies: short ones never replace whole ones, and unchanged files stay."""

from __future__ import annotations

import argparse
import os
import re
import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "studies"
TESTS = ROOT / "tests/python"
sys.path.insert(0, str(STUDIES))

import output  # noqa: E402 - the studies are folders of scripts

SHORT = {
    "bookstore/study.py": "--quick",
    "clubweb/real.py": "--small",
    "clubweb/study.py": "--small",
    "containers/study.py": "--quick",
    "moss/study.py": "--runs=2",
    "nsdi06/run.py": "--quick",
    "omission-and-collapse/run.py": "--quick",
    "siege/study.py": "--small",
    "static-server/study.py": "--quick",
    "thousand-nodes/simulate.py": "--small",
    "token-servers/real.py": "--small",
    "token-servers/study.py": "--quick",
    "wide-area/study.py": "--quick",
}
"""The studies that can be made in short, and the option that does."""


@pytest.fixture
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A study in this process finds its own modules, and leaves no trace."""
    before, term = dict(sys.modules), signal.getsignal(signal.SIGTERM)
    for name, module in before.items():
        path = Path(getattr(module, "__file__", None) or "/")
        if path.is_relative_to(STUDIES) or path.parent == TESTS:
            del sys.modules[name]  # several studies have `tables`, or `cells`
    monkeypatch.setenv("PATH", os.environ["PATH"])  # some add folders to it
    yield
    for name in sys.modules.keys() - before.keys():
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(STUDIES):
            del sys.modules[name]
    sys.modules.update(before)
    signal.signal(signal.SIGTERM, term)


@pytest.mark.parametrize("script", SHORT)
@pytest.mark.usefixtures("as_it_was")
def test_a_short_study_is_not_written_over_a_whole_one(
    script: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = STUDIES / script
    monkeypatch.setattr(sys, "argv", [str(path), SHORT[script], "--to", str(path.parent)])
    others = [one for one in sys.path if Path(one) not in (TESTS, STUDIES)]
    monkeypatch.setattr(sys, "path", [str(path.parent), *others])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(path), run_name="__main__")
    assert ended.value.code == 2
    assert "has the results of the whole study" in capsys.readouterr().err


def test_every_study_that_can_be_made_in_short_is_looked_at() -> None:
    found = {
        str(path.relative_to(STUDIES))
        for path in STUDIES.glob("*/*.py")
        if re.search(r'add_argument\(\s*"--(quick|small)"', path.read_text("utf-8"))
    }
    assert found == set(SHORT) - {"moss/study.py"}


def test_a_short_study_has_a_folder_of_its_own_which_git_ignores(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    output.add_option(parser)
    own, other = tmp_path / "study", tmp_path / "other"
    assert parser.parse_args([]).to is None
    assert output.folder(parser, None, own, short=False) == own
    assert output.folder(parser, None, own, short=True) == own / "quick"
    assert output.folder(parser, other, own, short=True) == other
    assert output.folder(parser, own, own, short=False) == own
    with pytest.raises(SystemExit):
        output.folder(parser, own / "figures" / "..", own, short=True)
    assert "/studies/*/quick/" in (ROOT / ".gitignore").read_text("utf-8").splitlines()


def test_tables_that_are_as_they_were_leave_files_alone(tmp_path: Path) -> None:
    drawn: list[Path] = []

    def draw(to: Path) -> None:
        drawn.append(to)
        (to / "a.svg").write_text(f"drawing {len(drawn)}")

    assert output.write(tmp_path, "1 ms\n", draw)
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.*")}
    assert len(before) == 2
    assert not output.write(tmp_path, "1 ms\n", draw)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.*")} == before
    assert output.write(tmp_path, "2 ms\n", draw)
    assert (tmp_path / "tables.md").read_text() == "2 ms\n"
    assert (tmp_path / "figures" / "a.svg").read_text() == "drawing 2"


def test_what_is_not_written_to_the_end_is_written_anew(tmp_path: Path) -> None:
    def fails(to: Path) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        output.write(tmp_path, "1 ms\n", fails)
    assert output.write(tmp_path, "1 ms\n", lambda _: None)


def test_nothing_that_a_study_makes_again_is_committed() -> None:
    """Figures are kept if a page has them; the rest is in .gitignore."""
    pages = [*(ROOT / "docs").glob("*.md"), *STUDIES.glob("*/*.md")]
    shown = "".join(page.read_text("utf-8") for page in pages)
    done = subprocess.run(["git", "ls-files", "studies"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip("not a clone of the repository")
    kept = done.stdout.splitlines()
    assert len(kept) > 100
    unseen = [one for one in kept if one.endswith(".svg") and one.rpartition("/")[2] not in shown]
    assert unseen == []
