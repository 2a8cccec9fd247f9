"""A workload or a system with all files that it names, packed for another machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from thinktime import _core

_Packed = TypeVar("_Packed", _core.Workload, _core.System)


@dataclass(frozen=True)
class Parcel(Generic[_Packed]):
    """The text of a file, and the contents of the files that it names."""

    kind: str
    text: str
    files: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def of(cls, packed: _Packed) -> Parcel[_Packed]:
        """Pack it. Raises InputError if a file is gone."""
        try:
            files = {name: Path(path).read_bytes() for name, path in packed.files.items()}
        except OSError as error:
            raise _core.InputError(f"{error.filename}: {error.strerror}") from None
        return cls(type(packed).__name__, packed.to_toml(), files)

    def opened(self, directory: Path) -> _Packed:
        """Unpack it; its files are written to the directory."""
        places = {}
        for number, (name, content) in enumerate(self.files.items()):
            # The end of its name may show its format.
            path = directory / f"{self.kind}-{number}-{Path(name).name}"
            path.write_bytes(content)
            places[name] = path
        kind = getattr(_core, self.kind)
        unpacked: _Packed = kind(self.text, "", places)
        return unpacked


def contents(options: Mapping[str, object], names: tuple[str, ...]) -> dict[str, bytes]:
    """The contents of the files that these options name.

    Raises InputError if one cannot be read.
    """
    found = {}
    for name in names:
        if options.get(name):
            try:
                found[name] = Path(str(options[name])).read_bytes()
            except OSError as error:
                raise _core.InputError(f"{name}: {error.filename}: {error.strerror}") from None
    return found
