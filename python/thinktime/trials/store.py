"""Rows of finished trials in a folder: a file each, named by the trial's fingerprint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from thinktime import _core
from thinktime.results.files import why_unwritten, write_whole
from thinktime.trials.trial import Trial

Row = dict[str, Any]
"""The figures of a trial by name, as JSON has them."""


class Store:
    """Keeps rows in a folder, if there is one."""

    def __init__(self, folder: Path | None) -> None:
        """Make the folder, if one is given."""
        self._folder = folder
        self.whole = True
        """Whether all rows that were offered are kept."""
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def read(self, trial: Trial) -> Row | None:
        """The row of a trial; None if it is not kept.

        Raises:
            InputError: Its file is damaged.
        """
        if self._folder is None or not (path := self._path(self._folder, trial)).exists():
            return None
        try:
            row: Row = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            right = "remove it, and it is done again"
            raise _core.InputError(f"{path}: is damaged ({error}): {right}") from None
        return row

    def keep(self, trial: Trial, row: Row) -> None:
        """Keep the row of a trial.

        Raises:
            OSError: It cannot be written.
        """
        if self._folder is not None:
            write_whole(self._path(self._folder, trial), json.dumps(row))

    def offer(self, trial: Trial, row: Row) -> None:
        """Keep the row of a trial if that can be done, as it cannot on a full disk."""
        if why_unwritten(lambda: self.keep(trial, row)):
            self.whole = False

    @staticmethod
    def _path(folder: Path, trial: Trial) -> Path:
        return folder / f"{trial.fingerprint}.json"
