"""One or several logs, read: their requests in columns, and the unreadable lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from thinktime import _core
from thinktime.learn.logs import reader
from thinktime.learn.logs.duration_unit import LONGEST, unit_doubt, usual_s
from thinktime.learn.logs.files import alike, doubts, mostly_bad, printable
from thinktime.learn.logs.own_results import RowSelection, kept_rows, of_results, recorded_facts
from thinktime.learn.logs.reader import Read
from thinktime.learn.logs.requests import METHODS, Requests
from thinktime.present import units

ANSWERED = 200
"""If a log has no status at all, all requests count as answered; without methods, as GET."""

GAP_SHARE = 0.5
GAP_S = 36_000.0
"""A time without requests is odd if it is longer than both: this share of the log, and this."""

NO_STATUS = re.compile(r"status=[6-9](\d\d|[xX][xX])$")
"""A filter by a status that HTTP does not have."""

OWN = "thinktime"
"""The format of Thinktime's own results, in which no user is a person."""

COARSE_S = 1.0
"""Requests with one stamp of such steps may have come at any time within it."""

NAMED = 10
"""The number of unused columns that are named."""

_NAMING = "; --format 'apache:LOGFORMAT' or 'nginx:LOG_FORMAT' says what a field is, as %D"


@dataclass(frozen=True)
class BadLines:
    """The unreadable lines of a file with one reason."""

    file: str
    reason: str
    count: int
    line: int
    """The number of the first one, from 1."""
    example: str


@dataclass(frozen=True)
class Log:
    """One or several logs, read."""

    raw: dict[str, Any] = field(repr=False)
    """The result of `thinktime._core.read_log`."""

    requests: Requests = field(repr=False)

    unit_given: bool = False
    """Whether the user gave the meaning of the column of durations."""

    kept: RowSelection = field(default_factory=RowSelection)
    """The rows of its run that an own result has."""

    @property
    def columns(self) -> _core.LogColumns:
        """The requests, for further work in Rust."""
        found: _core.LogColumns = self.raw["columns"]
        return found

    @property
    def files(self) -> list[dict[str, Any]]:
        """The figures of reading each file."""
        found: list[dict[str, Any]] = self.raw["files"]
        return found

    @property
    def count(self) -> int:
        """All requests, also those that a sample leaves out."""
        return int(self.raw["requests"]) * self.kept.one_in

    @property
    def one_in(self) -> int:
        """One in this many users is kept: 1 except for very large logs, and results."""
        return int(self.raw["one_in"]) * self.kept.one_in

    @property
    def stopped(self) -> bool:
        """Whether reading was interrupted."""
        return bool(self.raw["stopped"])

    @property
    def lines(self) -> int:
        """The lines of all files."""
        return sum(file["lines"] for file in self.files)

    @property
    def formats(self) -> list[str]:
        """The formats found, each once."""
        return list(dict.fromkeys(file["format"] for file in self.files))

    @property
    def bad_lines(self) -> list[BadLines]:
        """The unreadable lines, by file and reason."""
        return [BadLines(file["name"], *bad) for file in self.files for bad in file["bad"]]

    @property
    def dropped(self) -> int:
        """The number of requests that `only` and `without` left out."""
        return sum(file["dropped"] for file in self.files)

    @property
    def left_over(self) -> list[str]:
        """The unused columns, each once; of formats whose columns have names."""
        names = dict.fromkeys(name for file in self.files for name in file["left_over"])
        return [printable(name) for name in names]

    @property
    def notes(self) -> list[str]:
        """The parts of the log that were not used, and the assumptions, in words."""
        found = []
        if self.dropped:
            found.append(
                f"{units.counted(self.dropped, 'request')} dropped by --only and --without: they "
                "are in no figure, and their absence may look like a pause"
            )
        found += recorded_facts(self.requests) + self.kept.notes
        found += _longest(self.requests)
        found += doubts(self.files)
        if 0 < int(self.raw["backwards"]) < len(self.files):
            found.append("a file begins before the one before it ends: requests are sorted")
        names = self.left_over
        if names:
            more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
            naming = _NAMING if any(one.startswith("field ") for one in names) else ""
            found.append(f"unused columns: {', '.join(names[:NAMED])}{more}{naming}")
        if self.unit_open and not unit_doubt(self.requests, self._format_of_open_unit):
            found.append(
                "durations are taken as seconds if neither their name nor their value has a unit: "
                f"the median is {units.seconds(usual_s(self.requests))}"
            )
        return found

    @property
    def unit_open(self) -> bool:
        """Whether durations may have another unit than assumed."""
        open_ = any(file["unit_open"] for file in self.files)
        return open_ and not self.unit_given and self.requests.timed

    @property
    def _format_of_open_unit(self) -> str:
        return next(str(file["format"]) for file in self.files if file["unit_open"])

    @property
    def warnings(self) -> list[str]:
        """The oddities of the log, in words."""
        found = list(mostly_bad(self.files))
        if self.unit_open and (doubt := unit_doubt(self.requests, self._format_of_open_unit)):
            found.append(doubt)
        found += [
            f"{one} and {other} have as many lines and bytes: if they are copies, each of their "
            "requests counts twice"
            for one, other in alike(self.files)
        ]
        # Each file may begin before the one before it ends: those of several servers do.
        if (back := int(self.raw["backwards"])) >= len(self.files):
            times = units.counted(back, "time")
            found.append(f"the log's time goes back by more than two minutes {times}")
        gaps = np.diff(self.requests.rows["time_ns"].to_numpy())
        if len(gaps) and gaps.max() * 1e-9 > max(GAP_SHARE * self.requests.span_s, GAP_S):
            found.append(
                "for most of the time from the first stamp to the last nothing was asked for: is "
                "one of them wrong? The log's rates, not the workload file's, count that time"
            )
        found += self.kept.warnings
        if self.raw["one_in"] > 1:
            found.append(
                f"the log is very large: of its {units.count(self.count)} requests those of one "
                f"user in {self.raw['one_in']} are used, and counts, rates and clients are "
                "multiplied by that"
            )
        return found


def _longest(requests: Requests) -> Iterator[str]:
    """Values that are too long for the columns, which replace them by the longest possible one."""
    for column, what, most in (
        ("bytes", "responses are larger", units.size(LONGEST)),
        ("duration_us", "answers take longer", units.seconds(LONGEST * 1e-6)),
    ):
        count = int((requests.rows[column] == LONGEST).sum())
        if count:
            yield f"{units.count(count)} {what} than {most}, and are taken for as much as that"


def _why_none(files: list[dict[str, Any]], how: dict[str, Any]) -> str:
    """Why no request is left of these files, which were read with these options."""
    lines = sum(file["lines"] for file in files)
    bad = [BadLines(file["name"], *bad) for file in files for bad in file["bad"]]
    filters = [
        f"{option} {one}"
        for option, given in (("--only", how.get("only")), ("--without", how.get("without")))
        for one in given or ()
    ]
    if filters and lines > sum(one.count for one in bad):
        leave = "leave" if len(filters) > 1 else "leaves"
        none = [text for text in how.get("only") or () if NO_STATUS.match(text)]
        why = f"; {none[0]}: HTTP has no such status, they lie from 100 to 599" if none else ""
        return f"{', '.join(filters)} {leave} no request of {units.counted(lines, 'line')}{why}"
    if not bad:
        return "no request is in it"
    first = bad[0]
    at = f"line {first.line}" if len(files) == 1 else f"{first.file}:{first.line}"
    return f"no request in it could be read: {at} is bad ({first.reason})"


def read(logs: Sequence[str | Path], **how: Any) -> Log:
    """Read logs; ``how`` as for `thinktime.learn.logs.reader.read`.

    Raises InputError if a log cannot be read, or has no requests.
    """
    return log_of(reader.read(logs, **how))


def log_of(done: Read) -> Log:
    """The requests of logs that were read. Raises InputError if there are none.

    Raises KeyboardInterrupt if the reading was interrupted before any came.
    """
    raw, names, how = done.raw, done.names, done.how
    if raw["stopped"] and not raw["requests"]:
        raise KeyboardInterrupt  # there is nothing to show yet
    if not raw["requests"]:
        raise _core.InputError(f"{', '.join(names)}: {_why_none(raw['files'], how)}")
    columns = raw["columns"]
    rows = pl.DataFrame(columns.rows())
    if rows["status"].max() == 0:
        rows = rows.with_columns(pl.lit(ANSWERED, pl.UInt16).alias("status"))
    if rows["method"].min() == len(METHODS) - 1:
        rows = rows.with_columns(pl.lit(0, pl.UInt8).alias("method"))
    requests = Requests(
        rows=rows,
        paths=pl.DataFrame(columns.paths()),
        users=pl.DataFrame(columns.users()),
        agents=pl.DataFrame(columns.agents())["agent"],
        hosts=pl.DataFrame(columns.hosts())["host"],
        resolution_s=max((file["resolution_s"] for file in raw["files"]), default=0.0),
    )
    kept = RowSelection()
    if all(file["format"] == OWN for file in raw["files"]):
        requests, kept = of_results(requests), kept_rows([file["name"] for file in raw["files"]])
    _check_lasts(requests, names)
    return Log(raw, requests, unit_given="duration" in (how.get("format") or ""), kept=kept)


def _check_lasts(requests: Requests, names: list[str]) -> None:
    """Raises InputError if all requests came at one instant, as far as fine stamps show."""
    times = requests.rows["time_ns"]
    if requests.resolution_s < COARSE_S and times[0] == times[-1]:
        count = len(requests)
        are = "its only request is" if count == 1 else f"all {count:,} requests are"
        raise _core.InputError(
            f"{', '.join(names)}: {are} of one instant, which says nothing of rates, sessions and "
            "pauses: a log needs requests at two different times at least; some hundred requests "
            "say more, and an hour shows sessions"
        )
