"""A release is made of what agrees: versions, notes, sums, and the steps of its workflow."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
import release
import yaml

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
WORKFLOW: dict[str, Any] = yaml.safe_load(TEXT)
CHANGES = """# Changelog

## [Unreleased]

To be 0.3.0, a version.

## [0.2.1] - 2026-11-29

### Fixed

- A [page](docs/run.md#here), and [elsewhere](https://example.org/a).

## [0.2.0] - 2026-10-01

- The first.
"""


def steps() -> list[dict[str, Any]]:
    """All steps of the workflow."""
    return [step for job in WORKFLOW["jobs"].values() for step in job.get("steps", [])]


def test_the_files_of_this_version_agree() -> None:
    assert len(set(release.versions(ROOT).values())) == 1


def test_every_target_that_the_workflow_makes_exists() -> None:
    made = re.findall(r"\bmake (?:--\S+ )*([a-z-]+(?: [a-z-]+)*)", TEXT)
    wanted = {target for words in made for target in words.split()}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {"wheel-test", "bills", "image"} <= wanted
    assert wanted <= targets


def test_every_script_that_the_workflow_runs_exists() -> None:
    scripts = re.findall(r"python3? (\S+\.py)", TEXT)
    assert "tests/release.py" in scripts
    assert all((ROOT / one).exists() for one in scripts)


def test_only_a_tag_makes_a_release_and_only_its_last_job_may_publish() -> None:
    # YAML reads the key `on` as true.
    assert WORKFLOW[True]["push"] == {"tags": ["v*"]}
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert not re.search(r"password:|secrets\.", TEXT)
    rights = {name: job.get("permissions", {}) for name, job in WORKFLOW["jobs"].items()}
    assert [name for name, one in rights.items() if "id-token" in one] == ["publish"]
    publish = WORKFLOW["jobs"]["publish"]
    assert publish["environment"]["name"] == "pypi"
    used = [step["uses"].partition("@")[0] for step in publish["steps"] if "uses" in step]
    assert "pypa/gh-action-pypi-publish" in used
    assert set(publish["needs"]) >= {"build", "arm64", "image"}


def test_every_job_needs_jobs_that_exist_and_every_step_does_something() -> None:
    jobs = WORKFLOW["jobs"]
    for job in jobs.values():
        needs = job.get("needs", [])
        assert set([needs] if isinstance(needs, str) else needs) <= set(jobs)
    assert all(("uses" in step) != ("run" in step) for step in steps())
    assert all("@" in step["uses"] for step in steps() if "uses" in step)


def test_notes_are_a_section_whose_links_lead_to_the_tag() -> None:
    said = release.notes("0.2.1", CHANGES)
    assert said.startswith("### Fixed\n")
    assert "(../blob/v0.2.1/docs/run.md#here)" in said
    assert "(https://example.org/a)" in said
    assert "The first" not in said
    with pytest.raises(ValueError, match=r"no section \[0\.9\]"):
        release.notes("0.9", CHANGES)


@pytest.mark.parametrize(
    ("tag", "cargo", "said"),
    [
        ("v0.2.1", "0.2.1", None),
        ("v0.2.1", "0.2.0", "Cargo.toml is at 0.2.0"),
        ("0.2.1", "0.2.1", "has no v"),
        ("v0.3.0", "0.3.0", "has no section"),
    ],
)
def test_a_tag_that_disagrees_is_no_release(tag: str, cargo: str, said: str | None) -> None:
    found = list(release.disagreements(tag, {"Cargo.toml": cargo}, CHANGES))
    assert (found == []) if said is None else any(said in one for one in found)


@pytest.mark.parametrize(
    ("changes", "version"),
    [(CHANGES, "0.3.0"), (CHANGES.replace("To be 0.3.0, a version.", ""), "0.2.1")],
)
def test_the_changelog_names_the_newest_version(changes: str, version: str) -> None:
    assert release.newest(changes) == version
    with pytest.raises(ValueError, match=r"CHANGELOG\.md"):
        release.newest("# Changelog\n\n## [Unreleased]\n")


def test_sums_are_those_of_all_files(tmp_path: Path) -> None:
    (tmp_path / "b.whl").write_bytes(b"wheel")
    (tmp_path / "a.json").write_bytes(b"")
    (tmp_path / release.SUMS).write_text("old")
    lines = dict(reversed(line.split("  ")) for line in release.sums(tmp_path).splitlines())
    assert lines == {
        "a.json": hashlib.sha256(b"").hexdigest(),
        "b.whl": hashlib.sha256(b"wheel").hexdigest(),
    }


def test_the_bill_of_a_wheel_is_laid_beside_it(tmp_path: Path) -> None:
    wheel = tmp_path / "thinktime-0.1.0-cp311-abi3-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("thinktime-0.1.0.dist-info/sboms/thinktime-py.cyclonedx.json", '{"a": 1}')
    (bill,) = release.bills(tmp_path)
    assert json.loads(bill.read_text("utf-8")) == {"a": 1}
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("thinktime/__init__.py", "")
    with pytest.raises(ValueError, match="no bill of materials"):
        release.bills(tmp_path)
