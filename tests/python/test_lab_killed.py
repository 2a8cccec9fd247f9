"""Labs that are killed in the middle of an attack, by root and in a user namespace.

After `thinktime lab clean` nothing of them is left. test_lab.py has labs without hostile clients.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from labs import (
    ORDINARY,
    THINKTIME,
    TWO_HOSTS,
    WAIT_S,
    need_root,
    nothing_left,
    ordinary,
    traces,
)
from test_lab import RUN, SERVER, STUBBORN, written

pytestmark = pytest.mark.usefixtures("no_other_labs")
"""What is on the machine is compared."""

HOSTILE = """
[[hostile]]
name = "mallory"
kind = "KIND"
host = "one"
target = "other:8080"
rate = "50/s"
duration = "300s"
"""

KINDS = ["slow-headers", "syn-flood"]
"""One that holds connections, and one that has a socket for packets made by hand."""


def of_lab(folder: Path) -> list[str]:
    """The programs that run in the folder of a LAB file, as all of a lab's own do."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(one / "cwd")).is_relative_to(folder):
                words = (one / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found.append(f"{one.name}: {words}")
        except OSError:
            continue
    return found


@contextmanager
def under_attack(folder: Path, words: list[str], kind: str) -> Iterator[subprocess.Popen[bytes]]:
    """A lab with a server, users and a hostile client, as soon as all are there."""
    text = TWO_HOSTS + SERVER + STUBBORN + RUN.format(duration="300s")
    written(folder, text + HOSTILE.replace("KIND", kind))
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(
            [*words, "lab", "lab.toml", "-o", "out"], cwd=folder, stdout=said, stderr=said
        )
    try:
        end = time.monotonic() + WAIT_S
        while not all(
            any(mark in one for one in of_lab(folder))
            for mark in (
                "thinktime.lab.hostile",
                "lab-test-mark",
                "serve server.toml",
                "run w.toml",
            )
        ):
            assert process.poll() is None, (folder / "said.txt").read_text()
            assert time.monotonic() < end, of_lab(folder)
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


def cleaned(folder: Path, words: list[str]) -> str:
    """What `lab clean` says; afterwards no program of the lab is there, however soon one looks.

    A process that was killed is seen until the kernel has put it away, which is waited for.
    """
    done = subprocess.run(
        [*words, "lab", "clean"], cwd="/", capture_output=True, text=True, timeout=WAIT_S
    )
    assert done.returncode == 0, done.stderr
    end = time.monotonic() + WAIT_S
    while left := of_lab(folder):
        assert time.monotonic() < end, left
        time.sleep(0.05)
    return done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_after_kill_9_in_an_attack_clean_leaves_nothing(kind: str, tmp_path: Path) -> None:
    need_root()
    with nothing_left():
        before = traces()
        with under_attack(tmp_path, THINKTIME, kind) as process:
            process.kill()
            process.wait()
            assert len(traces()["namespaces"] - before["namespaces"]) == 2
        assert ": taken away" in cleaned(tmp_path, THINKTIME)


def test_a_hostile_client_ends_with_its_lab_before_anybody_cleans(tmp_path: Path) -> None:
    """It is the one that may not stay, even where nobody cleans."""
    need_root()
    with nothing_left():
        with under_attack(tmp_path, THINKTIME, "slow-headers") as process:
            process.kill()
            process.wait()
            end = time.monotonic() + WAIT_S
            while any("thinktime.lab.hostile" in one for one in of_lab(tmp_path)):
                assert time.monotonic() < end
                time.sleep(0.05)
        cleaned(tmp_path, THINKTIME)


@pytest.mark.parametrize("kind", KINDS)
def test_after_kill_9_in_a_user_namespace_nothing_is_left(kind: str) -> None:
    """All ends with its first process; `clean` finds nothing, and says so."""
    # The folders of tests are root's alone.
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    try:
        command = ordinary(folder)
        probe = [*ORDINARY, "unshare", "--user", "--map-root-user", "--net", "true"]
        if subprocess.run(probe, capture_output=True).returncode:
            pytest.skip("user namespaces are not permitted")
        with nothing_left():
            with under_attack(folder, command, kind) as process:
                process.kill()
                process.wait()
            assert "nothing is left of any lab of this user" in cleaned(folder, command)
    finally:
        shutil.rmtree(folder)
