"""Looks at the wheels in a folder, installs this machine's, and runs the demo: `wheel.py dist`.

The environment is empty, and its PATH has no compiler. Needs a package index.
"""

from __future__ import annotations

import os
import platform
import re
import struct
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

MACHINES = {"x86_64": 62, "aarch64": 183}
"""By the name in a wheel's file name: the machine in the head of an ELF file."""

GLIBC_MAX = (2, 17)
"""The C library of manylinux2014."""

SIZE_MAX = 40_000_000


def look(wheel: Path) -> str:
    """Check the extension of a wheel; gives what was found, in words.

    Raises AssertionError where the wheel is not what its name says.
    """
    match = re.search(r"abi3-manylinux[\w.]*?2014_(x86_64|aarch64)", wheel.name)
    assert match is not None, f"{wheel.name}: no wheel for manylinux2014"
    name, machine = match[0], match[1]
    with zipfile.ZipFile(wheel) as archive:
        extension = archive.read("thinktime/_core.abi3.so")
        for part in ("workload/presets/clubweb.toml", "assistants/pages/learn.md"):
            named = f"thinktime/{part}"
            assert named in archive.namelist(), f"{wheel.name}: has no {named}"
    found = elf_machine(extension)
    assert found == MACHINES[machine], f"{wheel.name}: made for machine {found}"
    newest = max(glibc_versions(extension))
    assert newest <= GLIBC_MAX, f"{wheel.name}: needs glibc {newest}"
    size = wheel.stat().st_size
    assert size <= SIZE_MAX, f"{wheel.name}: {size} bytes"
    return f"{name}: {size / 1e6:.1f} MB, glibc {newest[0]}.{newest[1]} or newer"


def elf_machine(binary: bytes) -> int:
    """The number of the processor in the head of an ELF file."""
    assert binary[:4] == b"\x7fELF", "no ELF file"
    return int(struct.unpack_from("<H", binary, 18)[0])


def glibc_versions(binary: bytes) -> set[tuple[int, int]]:
    """The versions of glibc whose symbols a binary names."""
    found = re.findall(rb"GLIBC_(\d+)\.(\d+)", binary)
    return {(int(major), int(minor)) for major, minor in found}


def install_and_run(wheel: Path) -> str:
    """Install the wheel into an empty environment without a compiler, and run the demo."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        venv.create(root / "venv", with_pip=True)
        environment = {**os.environ, "PATH": str(root / "venv" / "bin")}
        environment.pop("VIRTUAL_ENV", None)
        pip = [root / "venv" / "bin" / "pip", "install", "--only-binary", ":all:", wheel.resolve()]
        subprocess.run(pip, check=True, env=environment, cwd=root)
        command = [root / "venv" / "bin" / "thinktime", "demo", "--output", "demo"]
        done = subprocess.run(command, check=True, env=environment, cwd=root, capture_output=True)
        page = (root / "demo" / "report.html").stat().st_size
        assert b"exact" in done.stdout, "the demo's table has no exact values"
    return f"{wheel.name}: installed, the demo's page has {page:,} bytes"


def main(folder: str) -> None:
    """Look at all wheels, and run the one for this machine."""
    wheels = sorted(Path(folder).glob("thinktime-*.whl"))
    assert wheels, f"{folder} has no wheel: run `make wheel`"
    for wheel in wheels:
        print(look(wheel))
    for wheel in wheels:
        if platform.machine() in wheel.name:
            print(install_and_run(wheel))


if __name__ == "__main__":
    main(*sys.argv[1:])
