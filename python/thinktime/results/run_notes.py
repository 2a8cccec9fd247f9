"""The notes beside a new result: its label and its provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinktime import _core
from thinktime.results import provenance
from thinktime.results.labels import Label, LabelWriter, label_for
from thinktime.results.provenance import Provenance

Progress = Callable[[int, float, int], None]


@dataclass(frozen=True)
class Notes:
    """The notes of a result that is about to be made."""

    label: Label | None
    """None if nothing is written, and no label was given."""

    made: Provenance | None
    """None if nothing is written, and no command asked for it."""

    progress: Progress | None
    """The receiver of progress; if a result is written it also writes the notes."""

    told: Sequence[str] = ()
    """Sentences for the summary's own notes."""

    @classmethod
    def of(
        cls,
        workload: _core.Workload,
        system: _core.System | None,
        given: Mapping[str, Any],
        told: Sequence[str] = (),
    ) -> Notes:
        """The notes for a workload and a system, with `output`, `label` and `progress` given."""
        output, text, progress = (given.get(name) for name in ("output", "label", "progress"))
        kept = output is not None or provenance.is_command()
        made = provenance.provenance_of(workload, system, given) if kept else None
        if output is None and text is None:
            return cls(None, made, progress, told)
        label = label_for(workload.name, text)
        listener = progress if output is None else LabelWriter(label, Path(output), progress, made)
        return cls(label, made, listener, told)

    def finish(self) -> bool:
        """Write the notes, if the result is at its place; returns whether it is written at all."""
        written = isinstance(self.progress, LabelWriter)
        if isinstance(self.progress, LabelWriter):
            self.progress.finish()
        return written
