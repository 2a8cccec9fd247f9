"""Labs for tests, and the state of the machine before and after them."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import skips

import thinktime as tt
from thinktime.cli.lab import run_options
from thinktime.lab import file, permission, places
from thinktime.lab.instance import LabInstance

THINKTIME = [sys.executable, "-c", "from thinktime.cli import main; main()"]
WAIT_S = 300
GONE_S = 20
MARKS = ("/lab/forwarder.py", "/lab/relay.py", "thinktime.lab.hostile", "lab-test-mark")
"""The marks in the command line of a program that belongs to a lab."""

TWO_HOSTS = """name = "two"
[[host]]
name = "one"
[[host]]
name = "other"
[[link]]
between = ["one", "other"]
"""


def need_root() -> None:
    """Skip the test if this process may make no network namespaces of its own."""
    why = permission.missing()
    if why is None and not permission.is_root():
        why = "the test is not root"
    if why is not None:
        pytest.skip(f"no lab: {why}")


def need_tun() -> None:
    """Skip the test if links with a delay are impossible."""
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        pytest.skip("/dev/net/tun is missing or not open to this user")


@contextmanager
def running(folder: Path, text: str) -> Iterator[LabInstance]:
    """The lab of a file with this text."""
    need_root()
    if shutil.which("ping") is None:
        pytest.skip("the system package iputils-ping is not installed")
    if "delay" in text or "loss" in text:
        need_tun()
    path = folder / "lab.toml"
    path.write_text(text)
    logs = folder / "logs"
    logs.mkdir()
    with alone(), LabInstance(file.load(path, run_options), logs) as lab:
        yield lab


_LOCK = Path(tempfile.gettempdir()) / "thinktime-tests-of-labs.lock"
_held = 0
"""The number of nested blocks of this process that have the lock."""


@contextmanager
def alone() -> Iterator[None]:
    """No other test makes labs in the block, in whichever process; blocks may be nested."""
    global _held
    with _LOCK.open("w") as lock:
        if _held == 0:
            fcntl.flock(lock, fcntl.LOCK_EX)
        _held += 1
        try:
            yield
        finally:
            _held -= 1


@contextmanager
def nothing_left() -> Iterator[None]:
    """The block leaves nothing behind on the machine."""
    with alone():
        before = traces()
        yield
        # A process that was killed is gone a moment later.
        end = time.monotonic() + GONE_S
        while changed(before, traces()) and time.monotonic() < end:
            time.sleep(0.05)
        assert changed(before, traces()) == {}


def inside(lab: LabInstance, host: str, *words: str, fails: bool = False) -> str:
    """The output of a program on a host; it has to succeed unless it `fails`."""
    done = subprocess.run(
        lab.hosts[host].words(words), capture_output=True, text=True, timeout=WAIT_S
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


def changed(before: dict[str, set[str]], now: dict[str, set[str]]) -> dict[str, set[str]]:
    """The differences between two states of the machine; old processes may have ended."""
    found = {
        kind: now[kind] - there if kind == "processes" else now[kind] ^ there
        for kind, there in before.items()
    }
    return {kind: some for kind, some in found.items() if some}


def traces() -> dict[str, set[str]]:
    """The possible remains of a lab on the machine: each kind, and its present items."""
    devices = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True, check=True)
    return {
        "namespaces": set(os.listdir(places.NETNS) if places.NETNS.is_dir() else ()),
        "devices": {line.split(":")[1].strip() for line in devices.stdout.splitlines()},
        # `ip netns` makes this one itself, once, and keeps it.
        "mounts": {
            line.split()[1]
            for line in Path("/proc/mounts").read_text().splitlines()
            if line.split()[1] != str(places.NETNS)
        },
        "names": {str(one) for one in (places.NAMES, *places.NAMES.glob("*")) if one.exists()},
        "state": {str(one) for one in places.STATE.iterdir()} if places.STATE.is_dir() else set(),
        "processes": set(_processes()),
    }


def programs(mark: str, parent: int) -> list[int]:
    """The process ids of a process's children that belong to labs and have this mark."""
    found = [int(one.partition(":")[0]) for one in _processes() if mark in one]
    return [one for one in found if f"PPid:\t{parent}\n" in Path(f"/proc/{one}/status").read_text()]


def _processes() -> Iterator[str]:
    """Programs that have to do with labs, by their command lines."""
    for one in Path("/proc").iterdir():
        try:
            words = (one / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        except (OSError, ValueError):
            continue
        if one.name != str(os.getpid()) and any(mark in word for word in words for mark in MARKS):
            yield f"{one.name}: {' '.join(words)}"


ORDINARY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]


def ordinary(folder: Path) -> list[str]:
    """The command for a user who is not root; skips if that is impossible."""
    return [*ordinary_python(folder), "-c", "from thinktime.cli import main; main()"]


def ordinary_python(folder: Path, *files: str) -> list[str]:
    """Python with the package for that user; skips if the user cannot read these files."""
    need_root()
    version = f"python3.{sys.version_info.minor}"
    paths = [
        str(Path(tt.__file__).parents[1]),
        *(one for one in sys.path if "site-packages" in one),
    ]
    for python in (sys.executable, f"/usr/bin/{version}"):
        words = [*ORDINARY, "env", f"PYTHONPATH={':'.join(paths)}", f"HOME={folder}", python]
        probe = [*words, "-c", "import sys, thinktime.cli; [open(one) for one in sys.argv[1:]]"]
        if subprocess.run([*probe, *files], capture_output=True, cwd="/").returncode == 0:
            return words
    pytest.skip(skips.CLOSED)
