"""`thinktime run --link`: the permitted users, and its end; nothing is left of it."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.request
from pathlib import Path

import pytest
from labs import ORDINARY, THINKTIME, WAIT_S, ordinary
from real_runs import BUSY
from run_links import OK, ONE_CLIENT, nothing_left, serving, started, url, wait_for

import thinktime as tt
from thinktime.lab import places

pytestmark = pytest.mark.usefixtures("no_other_labs")
"""What is on the machine is compared."""


def test_a_live_page_is_reached_and_ctrl_c_keeps_the_result(tmp_path: Path) -> None:
    asked = threading.Event()

    def answer(_one: socket.socket, _head: bytes) -> bytes:
        asked.set()
        return OK

    with nothing_left(), serving(answer) as server:
        words = ["--target", url(server), "--link", "delay = 20ms", "--duration", "300s", "--live"]
        process = started(tmp_path, *words, "-o", "out")
        assert process.stderr is not None
        said = ""
        while not (found := re.search(r"live: (\S+)", said)):
            line = process.stderr.readline()
            assert line, said
            said += line
        wait_for(asked, process)
        with urllib.request.urlopen(found[1], timeout=WAIT_S) as page:
            assert b"Running" in page.read()
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=WAIT_S)
        assert process.returncode == BUSY, said + rest
    result = tt.Result.load(tmp_path / "out")
    assert result.interrupted
    assert result.summary["link"]["to_target"]["came"] > 0


def test_after_kill_9_clean_leaves_nothing(tmp_path: Path) -> None:
    asked = threading.Event()

    def answer(_one: socket.socket, _head: bytes) -> bytes:
        asked.set()
        return OK

    with nothing_left(), serving(answer) as server:
        before = set(places.identities())
        words = ["--target", url(server), "--link", "delay = 20ms", "--duration", "300s"]
        process = started(tmp_path, *words)
        wait_for(asked, process)
        (identity,) = set(places.identities()) - before
        process.kill()
        process.communicate()
        done = subprocess.run(
            [*THINKTIME, "lab", "clean"], capture_output=True, text=True, timeout=WAIT_S
        )
        assert done.returncode == 0, done.stderr
        assert f"{identity}: taken away" in done.stdout


def test_an_interrupt_while_it_is_made_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps are calls of the kernel's tools: one in the middle is interrupted."""
    from thinktime.lab import links

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(links, "add_routes", interrupted)
    answered = serving(lambda _one, _head: OK)
    with nothing_left(), answered as server, pytest.raises(KeyboardInterrupt):
        tt.run(ONE_CLIENT, url(server), link="delay = 20ms", requests=1)


def test_an_error_of_the_run_leaves_nothing() -> None:
    answered = serving(lambda _one, _head: OK)
    with nothing_left(), answered as server, pytest.raises(tt.InputError, match="ca_file"):
        tt.run(ONE_CLIENT, url(server), link="delay = 1ms", ca_file="none.pem")


def test_who_may_not_is_told_what_is_needed(tmp_path: Path) -> None:
    """Root without capabilities and without a possible user namespace has no rights."""
    (tmp_path / "w.toml").write_text(ONE_CLIENT.to_toml())
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"]
    words = ["run", "w.toml", "--target", "http://127.0.0.1:1", "--link", "delay = 1ms"]
    with nothing_left():
        done = subprocess.run(
            [*drop, *THINKTIME, *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
        )
    assert done.returncode == 3
    assert "a run over a link needs root, or user namespaces" in done.stderr


def test_an_ordinary_user_has_a_link_in_a_user_namespace() -> None:
    """Here without a delay: /dev/net/tun may be open to root alone."""
    # The folders of tests are root's alone.
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    command = ordinary(folder)
    probe = [*ORDINARY, "unshare", "--user", "--map-root-user", "--net", "true"]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("user namespaces are not permitted")
    (folder / "w.toml").write_text(ONE_CLIENT.to_toml())
    try:
        with nothing_left(), serving(lambda _one, _head: OK) as server:
            words = ["run", "w.toml", "--target", url(server, "localhost"), "--requests", "5"]
            done = subprocess.run(
                [*command, *words, "--link", "rate = 10Mbit/s", "-o", "out", "--warmup", "0"],
                cwd=folder, capture_output=True, text=True, timeout=WAIT_S,
            )  # fmt: skip
            assert done.returncode in (0, BUSY), done.stderr
        summary = json.loads((folder / "out/summary.json").read_text())
        assert (summary["requests"], summary["errors"]) == (5, 0)
        assert summary["link"]["asked"] == "rate = 10Mbit/s"
    finally:
        subprocess.run(["rm", "-r", str(folder)], check=True)


def test_wrong_values_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(ONE_CLIENT.to_toml())
    words = ["run", "w.toml", "--target", "http://127.0.0.1:1", "--link", "delay = far"]
    done = subprocess.run([*THINKTIME, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "link: delay: found 'far'" in done.stderr
