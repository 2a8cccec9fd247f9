"""The steps of a release that are not a build: `release.py check|notes|sums|bills ...`.

- `check v0.1.0`: the tag, Cargo.toml, pyproject.toml and CHANGELOG.md name one version.
- `notes 0.1.0`: prints the version's section of CHANGELOG.md.
- `bills DIST`: lays the bill of materials of the compiled half, which each wheel has, beside it.
- `sums DIST`: writes SHA256SUMS for all files of a folder.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUMS = "SHA256SUMS"

_SECTION = re.compile(r"^## \[(?P<version>[^\]]+)\].*\n", re.MULTILINE)
_PLANNED = re.compile(r"^To be (?P<version>\d\S*),", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|#)(?P<path>[^)]+)\)")


def sections(changes: str) -> dict[str, str]:
    """The sections of a changelog by their versions, the newest first."""
    _, *parts = _SECTION.split(changes)
    return {version: text.strip() for version, text in zip(parts[::2], parts[1::2], strict=True)}


def newest(changes: str) -> str:
    """The newest version, of `Unreleased` that which it is to be.

    Raises:
        ValueError: The changelog does not name it.
    """
    for version, text in sections(changes).items():
        planned = _PLANNED.search(text)
        if version != "Unreleased":
            return version
        if planned is not None:
            return planned["version"]
    raise ValueError("CHANGELOG.md: write `## [0.1.0] - DATE`, or `To be 0.1.0,` below Unreleased")


def versions(root: Path) -> dict[str, str]:
    """The version that each file names; maturin takes that of Cargo.toml for pyproject.toml."""
    cargo = tomllib.loads((root / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    of_project = cargo["version"] if "version" in project["dynamic"] else project["version"]
    changes = newest((root / "CHANGELOG.md").read_text("utf-8"))
    return {"Cargo.toml": cargo["version"], "pyproject.toml": of_project, "CHANGELOG.md": changes}


def disagreements(tag: str, found: Mapping[str, str], changes: str) -> Iterator[str]:
    """What must be mended before a tag may become a release."""
    version = tag.removeprefix("v")
    if tag == version:
        yield f"the tag {tag} has no v before its version"
    for file, other in found.items():
        if other != version:
            yield f"{file} is at {other}, and the tag says {version}"
    if version not in sections(changes):
        yield f"CHANGELOG.md has no section `## [{version}] - DATE`"


def notes(version: str, changes: str) -> str:
    """The notes of a version; links into the repository lead to the tag's files.

    Raises:
        ValueError: There is no such section.
    """
    found = sections(changes)
    if version not in found:
        raise ValueError(f"CHANGELOG.md has no section [{version}]: {', '.join(found)}")
    return _LINK.sub(rf"](../blob/v{version}/\g<path>)", found[version]) + "\n"


def bills(folder: Path) -> list[Path]:
    """Lay the bill of materials of each wheel beside it, as NAME.cdx.json.

    Raises:
        ValueError: A wheel has none.
    """
    written = []
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            inside = [one for one in archive.namelist() if one.endswith(".cyclonedx.json")]
            if not inside:
                raise ValueError(f"{wheel.name}: has no bill of materials: maturin 1.10 writes one")
            written.append(wheel.with_suffix(".cdx.json"))
            written[-1].write_bytes(archive.read(inside[0]))
    return written


def sums(folder: Path) -> str:
    """The SHA-256 of each file of a folder, as `sha256sum -c` reads them."""
    files = sorted(one for one in folder.iterdir() if one.is_file() and one.name != SUMS)
    lines = (f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in files)
    return "".join(lines)


def main(step: str, what: str) -> int:
    """Do one step; the status is 1 if a release must not be made."""
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    if step == "check":
        found = list(disagreements(what, versions(ROOT), changes))
        print(*found or [f"{what}: all files agree"], sep="\n")
        return int(bool(found))
    if step == "notes":
        print(notes(what, changes), end="")
    elif step == "bills":
        print(*bills(Path(what)), sep="\n")
    elif step == "sums":
        (Path(what) / SUMS).write_text(sums(Path(what)), "utf-8")
    else:
        print(__doc__)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
