"""The folder of a history: a Parquet file a result, with a row a figure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime import _core
from thinktime.comparison.estimate import FIGURES, Estimate, Missing
from thinktime.comparison.subject import Subject, subject_of
from thinktime.results.files import write_whole

if TYPE_CHECKING:
    from thinktime import Result

FOLDER = Path(".thinktime/history")
_OF_SUBJECT = (
    "label", "kind", "workload", "target", "seed", "work", "duration_s", "requests",
)  # fmt: skip
_COMMIT_MIN = 4


@dataclass(frozen=True)
class HistoryEntry:
    """A result in the history."""

    id: str
    """A hash of the whole result, so that none is stored twice."""

    subject: Subject
    commit: str
    """The commit, with `+changes` if files differed from it; empty if none is known."""

    branch: str
    made: str
    """The time when the result was made, if it is known, otherwise when it was added; UTC."""

    path: str
    """The result's path when it was added."""


class History:
    """Results by workload, target and commit, in one folder."""

    def __init__(self, folder: str | Path | None = None) -> None:
        """Name the folder; `.thinktime/history` by default. Nothing is read or written yet."""
        self.folder = FOLDER if folder is None else Path(folder)

    def add(self, result: Result, commit: str | None = None, branch: str | None = None) -> bool:
        """Add a result; return False if it is there already.

        `commit` and `branch` replace those that the result itself knows.

        Raises:
            InputError: if the result is in no directory, or measured nothing.
        """
        if result.path is None or not result.summary:
            raise _core.InputError("only a result in a directory of its own goes into the history")
        id_ = id_of(result)
        subject = subject_of(result)
        label = result.labelled
        made = (None if label is None else label.made) or _started(result)
        stored = HistoryEntry(
            id_,
            subject,
            commit or (None if label is None else label.commit) or "",
            branch or (None if label is None else label.branch) or "",
            made or datetime.now(UTC).isoformat(timespec="seconds"),
            str(result.path),
        )
        if any(self.folder.glob(f"*-{id_}.parquet")):
            return False
        _write(stored, self.folder / f"{_slug(subject.workload)}-{id_}.parquet")
        return True

    def results(self, workload: str | None = None) -> list[HistoryEntry]:
        """The stored results, of one workload or of all, the oldest first.

        Raises:
            InputError: if there is no such folder, or a file in it does not belong to a history.
        """
        if not self.folder.is_dir():
            raise _core.InputError(
                f"{self.folder}: there is no history: `thinktime history add RESULT` begins one"
            )
        found = [_read(path) for path in sorted(self.folder.glob("*.parquet"))]
        kept = [one for one in found if workload in (None, one.subject.workload)]
        return sorted(kept, key=lambda one: (one.made, one.id))

    def latest(self, after: Subject, against: str, but: Collection[str] = ()) -> Subject:
        """The latest result of a branch or commit, of the workload and kind of another result.

        Results whose ids are in `but` are passed over: a result is not compared with itself. If
        some have the other result's target, only these count.

        Raises:
            InputError: if there is none; the message lists the results found.
        """
        same_kind = [one for one in self.results(after.workload) if one.subject.kind == after.kind]
        alike = [one for one in same_kind if one.id not in but]
        found = [one for one in alike if one.branch == against or _is_commit(one.commit, against)]
        if not found:
            there = sorted({name for one in alike for name in (one.branch, one.commit) if name})
            known = f"it has {', '.join(there)}" if there else "it has none of this workload"
            if len(alike) < len(same_kind):
                known += "; the result that is compared does not count"
            raise _core.InputError(
                f"{self.folder}: no result of '{after.workload}' at '{against}': {known}"
            )
        same_target = [one for one in found if one.subject.target == after.target]
        return (same_target or found)[-1].subject


def id_of(result: Result) -> str:
    """The hash of a whole result in a history."""
    text = (result.run_toml + str(sorted(result.summary.items()))).encode()
    return hashlib.sha256(text).hexdigest()[:16]


def _is_commit(commit: str, asked: str) -> bool:
    """Whether both are the same commit; either may be abbreviated."""
    bare = commit.partition("+")[0]
    if len(asked) < _COMMIT_MIN or not bare:
        return False
    return commit == asked or bare.startswith(asked) or asked.startswith(bare)


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name)[:60] or "workload"


def _started(result: Result) -> str | None:
    return result.run.get("started")


def _write(stored: HistoryEntry, path: Path) -> None:
    import polars as pl

    subject = stored.subject
    common = {name: getattr(subject, name) for name in (*_OF_SUBJECT, "link")} | {
        name: getattr(stored, name) for name in ("id", "commit", "branch", "made", "path")
    }
    rows = [
        common | {"figure": name, "replication_means_s": list(subject.replication_means_s)} | part
        for name, one in subject.estimates.items()
        for part in [_row_of(one)]
    ]
    content = BytesIO()
    pl.DataFrame(rows, schema=_schema()).write_parquet(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content.getvalue())


def _schema() -> dict[str, Any]:
    import polars as pl

    texts = dict.fromkeys(
        ("id", "label", "kind", "workload", "target", "work", "commit", "branch", "made", "path",
         "figure", "missing", "link"),
        pl.String(),
    )  # fmt: skip
    numbers = dict.fromkeys(
        ("duration_s", "value", "low", "high", "late", "times_as_long"), pl.Float64()
    )
    lists = dict.fromkeys(("sections", "replication_means_s"), pl.List(pl.Float64()))
    return {**texts, "seed": pl.UInt64(), "requests": pl.UInt64(), **numbers, **lists}


def _row_of(one: Estimate | Missing) -> dict[str, Any]:
    if isinstance(one, Missing):
        return {"missing": one.reason, "times_as_long": one.times_as_long}
    sections = None if one.sections is None else one.sections.tolist()
    ends = {"low": one.low, "high": one.high}
    return {"value": one.value, **ends, "late": one.late, "sections": sections}


def _read(path: Path) -> HistoryEntry:
    import polars as pl

    try:
        rows = pl.read_parquet(path).to_dicts()
        first = rows[0]
        estimates = {row["figure"]: _estimate(row) for row in rows}
        ordered = {name: estimates[name] for name in FIGURES}
    except (OSError, pl.exceptions.PolarsError, LookupError, TypeError) as error:
        why = str(error).partition("\n")[0]
        raise _core.InputError(f"{path}: is no file of a history: {why}") from None
    subject = Subject(
        **{name: first[name] for name in _OF_SUBJECT},
        estimates=ordered,
        replication_means_s=first["replication_means_s"],
        link=first.get("link"),  # older files lack it
    )
    return HistoryEntry(
        first["id"], subject, first["commit"], first["branch"], first["made"], first["path"]
    )


def _estimate(row: Mapping[str, Any]) -> Estimate | Missing:
    if row["value"] is None:
        return Missing(row["missing"] or "it is not known", row["times_as_long"])
    sections = None if row["sections"] is None else np.asarray(row["sections"])
    return Estimate(row["value"], row["low"], row["high"], sections, row.get("late") or 0.0)


def by_target(results: Sequence[HistoryEntry]) -> Iterator[tuple[str, list[HistoryEntry]]]:
    """The results of each target, in the order in which targets first came."""
    for name in dict.fromkeys(f"{one.subject.kind} {one.subject.target}" for one in results):
        yield (
            name,
            [one for one in results if f"{one.subject.kind} {one.subject.target}" == name],
        )
