"""The files that `thinktime learn` writes: a workload, a system, and a page of charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime import InputError
from thinktime.inputs.files import LEARNED
from thinktime.present.whole_file import check_page
from thinktime.results.files import check_folder, write_whole

if TYPE_CHECKING:
    from thinktime.learn import Learned
    from thinktime.learn.server import Server

_WORKLOAD = ".toml"
"""The ending of a workload file."""


@dataclass(frozen=True)
class LearnedFiles:
    """The paths of the files; None for those that are not written."""

    workload: Path | None
    system: Path | None
    page: Path | None
    system_asked: bool
    """Whether the system file was asked for by its own name, so that it may not be missing."""

    @classmethod
    def of(cls, output: Path | None, system: Path | None, page: Path | None) -> LearnedFiles:
        """The files of `--output`, `--system` and `--report`.

        An output `site.toml` is the workload alone, and so is a file that exists. Another path,
        `site`, stands for `site.toml`, `site.system.toml` and `site.html`; the last two may be
        named by the other options.
        """
        asked = system is not None
        if output is not None and not _is_one_file(output):
            system = system or output.with_name(output.name + LEARNED)
            page = page or output.with_name(f"{output.name}.html")
            output = output.with_name(output.name + _WORKLOAD)
        return cls(output, system, page, asked)

    def check(self, logs: Sequence[str]) -> None:
        """Refuse to write over a log, and to learn a file that cannot be written.

        Raises:
            InputError: A path is a log, a folder, in no folder, or stands for two files; or the
                page is another file.
        """
        written = [path for path in (self.workload, self.page, self.system) if path is not None]
        for path in written:
            if any(path.exists() and Path(log).exists() and path.samefile(log) for log in logs):
                raise InputError(f"{path} is a log: write to another file")
            if path.is_dir():
                raise InputError(f"{path} is a folder: give the name of a file")
            check_folder(path)
            if written.count(path) > 1:
                raise InputError(f"{path} cannot be both files")
        if self.page is not None:
            check_page(self.page)

    def write(self, learned: Learned, server: Server | None) -> Iterator[Path]:
        """Write them, and name each that is written."""
        if self.workload is not None:
            yield from learned.save(self.workload)
        if self.system is not None and server is not None:
            from thinktime.learn.server import system_text

            logs = [file["name"] for file in learned.log.files]
            name = self.system.stem.removesuffix(".system")
            write_whole(self.system, system_text(name, server, logs))
            yield self.system
        if self.page is not None:
            from thinktime.learn.views import page

            page.write(learned, self.page, self.workload, server)
            yield self.page


def _is_one_file(output: Path) -> bool:
    """Whether the workload alone goes there: to a file of its own, or to what is there already."""
    return output.suffix == _WORKLOAD or (output.exists() and not output.is_dir())
