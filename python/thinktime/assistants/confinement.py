"""The files that a worker may reach, held by the kernel.

A workload may name further files, by links and by `..` as well, and compiled code opens them. So
the kernel decides, by Landlock (https://docs.kernel.org/userspace-api/landlock.html), and not a
reader of paths.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from thinktime import InputError
from thinktime.assistants.search import PAGES

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""The numbers of the system calls, the same on all processors."""

_VERSION = 1
_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_RIGHTS = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF}
"""All rights over files, by the version of the kernel's interface."""

_OF_A_FILE = _EXECUTE | _WRITE | _READ | 0x4000
"""Rights that exist for a file; others are for a folder."""

_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/sys", "/proc/self", "/proc/sys", "/proc/stat",
    "/proc/meminfo", "/proc/cpuinfo", "/proc/loadavg", "/etc/ssl", "/etc/pki", "/etc/hosts",
    "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services", "/etc/localtime",
    "/etc/ld.so.cache", "/etc/ca-certificates",
)  # fmt: skip
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


class _Ruleset(ctypes.Structure):
    _fields_ = [("handled", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def possible() -> bool:
    """Whether the kernel can confine a process."""
    return _version() > 0


def confine(folders: Iterable[Path]) -> None:
    """Let this process, and those it starts, read and write in these folders alone.

    It can still read the files of Python, of the package and of the system's libraries.

    Raises:
        InputError: The kernel cannot do it.
    """
    version = _version()
    if version < 1:
        raise InputError(MISSING)
    whole = _RIGHTS[min(version, max(_RIGHTS))]
    rules = _Ruleset(whole)
    held = _call(_CREATE, ctypes.byref(rules), ctypes.sizeof(rules), 0)
    try:
        for folder in folders:
            _allow(held, folder, whole)
        for device in _DEVICES:
            _allow(held, device, _READ | _WRITE)
        for place in {*_SYSTEM, *_of_python()}:
            _allow(held, place, _READ | _LIST | _EXECUTE)
        ctypes.CDLL(None, use_errno=True).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _call(_RESTRICT, held, 0)
    finally:
        os.close(held)


MISSING = (
    "the kernel cannot keep work within a folder: this needs Landlock, of Linux 5.13 or newer, "
    "which is switched on by lsm=landlock and allowed by the container"
)


def _of_python() -> set[str]:
    """The folders of Python, of its packages, and of the docs."""
    package = str(Path(__file__).resolve().parents[1])
    pages = {str(path.resolve().parent) for path in PAGES.glob("*.md")}
    # An empty entry is the working directory, which is no place for packages.
    return {sys.prefix, sys.base_prefix, package, *pages, *filter(None, sys.path)}


def _allow(held: int, place: str | Path, rights: int) -> None:
    """Add a rule; what is not there needs none."""
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        parent = os.open(place, os.O_PATH | os.O_CLOEXEC)
        try:
            within = rights if os.path.isdir(place) else rights & _OF_A_FILE
            rule = _PathBeneath(within, parent)
            _call(_ADD, held, _BENEATH, ctypes.byref(rule), 0)
        finally:
            os.close(parent)


def _version() -> int:
    try:
        return _call(_CREATE, None, 0, _VERSION)
    except OSError:
        return 0


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    done = int(libc.syscall(ctypes.c_long(number), *arguments))
    if done < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return done
