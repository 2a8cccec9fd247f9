"""The names of results, and their commits: `label.json` in their directory."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from thinktime import _core
from thinktime.results import provenance
from thinktime.results.files import write_whole
from thinktime.results.provenance import Provenance

FILE = "label.json"
_GIT_S = 5.0  # a slower repository is not waited for
_LENGTH_MAX = 200

Progress = Callable[[int, float, int], None]


@dataclass(frozen=True)
class Label:
    """The name of a result, and its origin."""

    text: str
    given: bool
    """Whether a user gave it; otherwise it consists of workload, commit and time."""

    commit: str | None = None
    """The commit of the command's repository, shortened; followed by `+changes` if tracked files
    differed from it."""

    branch: str | None = None
    made: str | None = None
    """The time, in UTC."""


def label_for(workload: str, text: str | None) -> Label:
    """The label of a future result; `text` is the user's.

    Raises:
        InputError: The text is empty, has several lines, or is longer than 200 characters.
    """
    if text is not None and (not text.strip() or not text.isprintable()):
        raise _core.InputError("the label is empty or has characters that cannot be shown")
    if text is not None and len(text) > _LENGTH_MAX:
        raise _core.InputError(f"the label has {len(text)} characters: {_LENGTH_MAX} are allowed")
    commit, branch = _repository()
    made = datetime.now(UTC).isoformat(timespec="seconds")
    shown = text_of(workload, commit, made) if text is None else text.strip()
    return Label(shown, text is not None, commit, branch, made)


def text_of(workload: str, commit: str | None, made: str | None) -> str:
    """The name of a result without a label; `made` is its time in ISO 8601."""
    time = "" if made is None else f"{datetime.fromisoformat(made):%Y-%m-%d %H:%M:%SZ}"
    return " ".join(part for part in (workload, commit, time) if part)


def read(directory: Path) -> Label | None:
    """The label of a result directory; None if it is missing or cannot be read."""
    try:
        found = json.loads((directory / FILE).read_text("utf-8"))
        label = Label(**{name: found[name] for name in Label.__dataclass_fields__})
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = (label.commit, label.branch, label.made)
    right = isinstance(label.text, str) and isinstance(label.given, bool)
    return label if right and all(isinstance(one, str | None) for one in texts) else None


def write(label: Label, directory: Path) -> None:
    """Write the label into a result directory."""
    write_whole(directory / FILE, json.dumps(asdict(label), indent=2) + "\n")


class LabelWriter:
    """Writes the label while the result is being written, so that it is there after a kill, too.

    It also writes the result's provenance, if known.
    """

    def __init__(
        self, label: Label, output: Path, progress: Progress | None, made: Provenance | None = None
    ) -> None:
        """Note the unfinished results that lie there already: they are not this one."""
        self._label, self._output, self._progress = label, output, progress
        self._made = made
        self._others = set(self._unfinished())
        self._written = False

    def __call__(self, done: int, time_s: float, in_system: int) -> None:
        """Pass the progress on."""
        if not self._written:
            for directory in set(self._unfinished()) - self._others:
                self._written = True
                self._try(directory)
        if self._progress is not None:
            self._progress(done, time_s, in_system)

    def finish(self) -> None:
        """The result is at its place: write the label there, too."""
        self._try(self._output)

    def _try(self, directory: Path) -> None:
        """A full disk must not spoil the result."""
        try:
            write(self._label, directory)
            if self._made is not None:
                provenance.write(self._made, directory)
        except OSError:
            for name in (FILE, provenance.FILE):
                (directory / f"{name}.new").unlink(missing_ok=True)

    def _unfinished(self) -> list[Path]:
        place = self._output.absolute()
        beside = place.parent.glob(f"{_escaped(place.name)}.partial*")
        return [path for path in (*beside, *place.glob(".partial*")) if path.is_dir()]


def _escaped(name: str) -> str:
    import glob

    return glob.escape(name)


def _repository() -> tuple[str | None, str | None]:
    """Commit and branch of the current directory's repository; empty outside of one."""
    if not _in_repository() or not (commit := _git("rev-parse", "--short", "HEAD")):
        return None, None
    changes = _git("status", "--porcelain", "--untracked-files=no")
    branch = _git("rev-parse", "--abbrev-ref", "HEAD")
    return f"{commit}+changes" if changes else commit, None if branch == "HEAD" else branch


def _in_repository() -> bool:
    """Whether Git may find a repository with files here; most folders need not start it to know."""
    if "GIT_DIR" in os.environ:
        return True
    try:
        place = Path.cwd()
    except OSError:  # the folder was removed
        return False
    return any(os.path.exists(folder / ".git") for folder in (place, *place.parents))


def _git(*arguments: str) -> str | None:
    import subprocess

    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_GIT_S, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
