"""Labs from beginning to end: the outcome of one, and the absence of remains.

The machine's state is compared before and after: namespaces, devices, mounts, files, processes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
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
    inside,
    need_root,
    need_tun,
    ordinary,
    running,
    traces,
)
from real_runs import ended_well

import thinktime as tt
from thinktime.cli.lab import run_options
from thinktime.lab import experiment, file, places, removal
from thinktime.lab.instance import LabInstance

pytestmark = pytest.mark.usefixtures("no_other_labs")
"""What is on the machine is compared."""

SERVER = """
[[server]]
name = "web"
host = "other"
command = "thinktime serve server.toml --listen 0.0.0.0:8080"
ready = 8080
"""

RUN = """
[[run]]
name = "visitors"
host = "one"
workload = "w.toml"
target = "http://other:8080"
options = "--duration {duration} --warmup 0"
"""

# Grandchildren, one of them in a session of its own, that ignore all but the last signal.
STUBBORN = """
[[server]]
name = "stubborn"
host = "other"
command = ["sh", "-c", '''
trap "" TERM INT HUP
setsid sh -c 'trap "" TERM INT HUP; while :; do sleep 1; done' lab-test-mark &
while :; do sleep 1; done''', "lab-test-mark"]
"""


def written(folder: Path, text: str) -> Path:
    (folder / "w.toml").write_text('name = "w"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n')
    (folder / "server.toml").write_text(
        'name = "s"\n[[station]]\nname = "cpu"\ndemand = "const(1ms)"\n'
    )
    (folder / "lab.toml").write_text(text)
    return folder / "lab.toml"


def thinktime(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*THINKTIME, *words], cwd=folder, capture_output=True, text=True, timeout=WAIT_S
    )


@contextmanager
def begun(folder: Path, text: str, until: str) -> Iterator[subprocess.Popen[str]]:
    """The command, as soon as it has said this."""
    path = written(folder, text)
    process = subprocess.Popen(
        [*THINKTIME, "lab", str(path), "-o", "out"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    heard = []
    for line in process.stderr:
        heard.append(line)
        if until in line:
            break
    else:
        raise AssertionError("".join(heard))
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_run_over_a_link_sees_its_delay(tmp_path: Path) -> None:
    """Connections are kept: a request takes a round trip of 40 ms and 1 ms of service, the first
    of a connection one round trip more."""
    need_root()
    need_tun()
    before = traces()
    written(tmp_path, f'{TWO_HOSTS}delay = "20ms"\n{SERVER}{RUN.format(duration="2s")}')
    done = thinktime("lab", "lab.toml", "-o", "out", folder=tmp_path)
    assert ended_well(done.returncode, done.stderr), done.stderr
    result = tt.Result.load(tmp_path / "out/visitors")
    times = result.summary["response_time_s"]
    assert result.summary["errors"] == 0
    assert result.summary["requests"] > 50
    assert times["min"] >= 0.041
    assert "link one-other >: packets came" in done.stdout
    assert (tmp_path / "out/report.html").exists()
    said = json.loads((tmp_path / "out/lab.json").read_text())
    assert said["runs"] == {"visitors": done.returncode}
    assert not said["interrupted"]
    assert said["links"]["one-other"][0]["passed"] > result.summary["requests"]
    assert traces() == before


def test_hosts_know_each_other_and_nobody_else(tmp_path: Path) -> None:
    with running(tmp_path, TWO_HOSTS) as lab:
        assert str(lab.hosts["other"].address) in inside(lab, "one", "getent", "hosts", "other")
        reach = "import socket; socket.create_connection(('192.0.2.1', 80), 5)"
        assert "unreachable" in inside(lab, "one", sys.executable, "-c", reach, fails=True)
        routes = inside(lab, "one", "ip", "-o", "route")
        assert "default" not in routes
        shown = inside(lab, "one", "ip", "-o", "link")
        devices = {line.split(":")[1].strip().split("@")[0] for line in shown.splitlines()}
        assert {"lo", "to-other"} <= devices
        ours = set(os.listdir("/sys/class/net"))
        assert not [name for name in devices - ours if not name.startswith("to-")]
    hosts = Path("/etc/hosts").read_text()
    assert "198.18." not in hosts


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("sh -c 'echo cannot >&2; exit 5'", "the server web has ended; it said: cannot"),
        ("no-such-program", "no-such-program"),
    ],
)
def test_a_server_that_does_not_start_is_quoted(command: str, said: str, tmp_path: Path) -> None:
    need_root()
    before = traces()
    text = f'{TWO_HOSTS}[[server]]\nname = "web"\nhost = "one"\nready = 80\ncommand = "{command}"'
    written(tmp_path, text)
    done = thinktime("lab", "lab.toml", folder=tmp_path)
    assert done.returncode == 3
    assert said in done.stderr
    assert traces() == before


def test_a_run_without_a_result_and_a_server_that_ends_are_told_of(tmp_path: Path) -> None:
    need_root()
    text = (
        TWO_HOSTS
        + RUN.format(duration="1s")  # of a missing server
        + ('[[server]]\nname = "brief"\nhost = "other"\ncommand = "echo done"\n')
    )
    written(tmp_path, text)
    done = thinktime("lab", "lab.toml", "-o", "out", folder=tmp_path)
    assert done.returncode == 3
    assert "the run visitors has no result" in done.stderr
    assert "cannot be reached" in done.stderr
    assert "the server brief ended before the lab did; it said: done" in done.stderr


def test_ctrl_c_keeps_the_results_so_far_and_leaves_nothing(tmp_path: Path) -> None:
    need_root()
    before = traces()
    text = TWO_HOSTS + SERVER + RUN.format(duration="300s")
    with begun(tmp_path, text, "visitors begins") as process:
        # The run itself takes the signal from when it has begun to measure.
        while not list((tmp_path / "out").glob("*visitors*")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=WAIT_S)
    assert process.returncode == 3, said
    assert json.loads((tmp_path / "out/lab.json").read_text())["interrupted"]
    assert traces() == before


@pytest.mark.parametrize("moment", ["web listens", "visitors begins"])
def test_after_kill_9_clean_leaves_nothing(moment: str, tmp_path: Path) -> None:
    need_root()
    need_tun()
    before = traces()
    text = f'{TWO_HOSTS}delay = "1ms"\n{SERVER}{STUBBORN}{RUN.format(duration="300s")}'
    with begun(tmp_path, text, moment) as process:
        identity = next(
            one for one in places.identities() if str(places.folder(one)) not in before["state"]
        )
        process.kill()
        process.wait()
    left = traces()
    assert len(left["namespaces"] - before["namespaces"]) == 2
    assert left["state"] - before["state"] == {str(places.folder(identity))}
    # This time by its names alone.
    (places.folder(identity) / "journal.jsonl").unlink()
    done = thinktime("lab", "clean", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{identity}: taken away" in done.stdout
    assert traces() == before


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_commands_in_a_lab_that_stays_know_its_hosts_by_name(
    how: signal.Signals, tmp_path: Path
) -> None:
    need_root()
    before = traces()
    with begun(tmp_path, TWO_HOSTS, "the lab has no runs: Ctrl-C ends it\n") as process:
        identity = next(
            one for one in places.identities() if str(places.folder(one)) not in before["state"]
        )
        asked = ["ip", "netns", "exec", places.namespace(identity, "one"), "getent", "hosts"]
        for name, number in (("one", 1), ("other", 2)):
            found = subprocess.run([*asked, name], capture_output=True, text=True, check=True)
            assert found.stdout.split() == [str(places.address(number)), name]
        assert "198.18." not in Path("/etc/hosts").read_text()
        process.send_signal(how)
        process.wait(WAIT_S)
    if how == signal.SIGKILL:
        assert traces()["names"] - before["names"]
        # As after a restart of the machine: no other trace of it is left.
        for name in places.namespaces(identity):
            subprocess.run(["ip", "netns", "del", name], check=True)
        places.discard(places.folder(identity))
        done = thinktime("lab", "clean", folder=tmp_path)
        assert f"{identity}: taken away" in done.stdout
    assert traces() == before


def test_a_lab_stays_where_names_cannot_be_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no folder").touch()
    monkeypatch.setattr(places, "NAMES", tmp_path / "no folder")
    with running(tmp_path, TWO_HOSTS) as lab:
        assert not lab.tell_names()
        said: list[str] = []
        monkeypatch.setattr(experiment.time, "sleep", lambda _: _interrupted())
        with pytest.raises(KeyboardInterrupt):
            experiment._stay(lab, said.append)
    assert said[-1].endswith("; commands know the addresses, not the names")


def _interrupted() -> None:
    raise KeyboardInterrupt


def test_kill_9_while_the_lab_is_made(tmp_path: Path) -> None:
    need_root()
    before = traces()
    path = written(tmp_path, TWO_HOSTS + SERVER)
    process = subprocess.Popen([*THINKTIME, "lab", str(path)], stderr=subprocess.DEVNULL)
    while traces()["namespaces"] == before["namespaces"]:
        assert process.poll() is None
    process.kill()
    process.wait()
    assert thinktime("lab", "clean", folder=tmp_path).returncode == 0
    assert traces() == before


def test_clean_leaves_alone_what_runs_and_what_is_not_its_own(tmp_path: Path) -> None:
    need_root()
    other = "thinktime-of-somebody"
    subprocess.run(["ip", "netns", "add", other], check=True)
    try:
        with running(tmp_path, TWO_HOSTS) as lab:
            done = thinktime("lab", "clean", folder=tmp_path)
            assert f"{lab.identity}: still runs, and is left alone" in done.stdout
            assert len(places.namespaces(lab.identity)) == 2
            inside(lab, "one", "ping", "-c", "1", "other")
        assert (places.NETNS / other).exists()
    finally:
        subprocess.run(["ip", "netns", "del", other], check=True)


def test_an_error_at_any_step_of_the_making_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps are calls of the kernel's tools: each in turn fails, until none is left."""
    need_root()
    before = traces()
    from thinktime.lab import namespaces

    path = tmp_path / "lab.toml"
    path.write_text(TWO_HOSTS)
    (tmp_path / "logs").mkdir()
    real, calls, fail_at = namespaces.run, 0, 0

    def failing(words: list[str], said: str = "") -> str:
        nonlocal calls
        calls += 1
        if calls == fail_at:
            raise KeyboardInterrupt
        return real(words, said)

    monkeypatch.setattr(namespaces, "run", failing)
    for fail_at in range(1, 100):
        calls = 0
        try:
            with LabInstance(file.load(path, run_options), tmp_path / "logs"):
                break
        except KeyboardInterrupt:
            assert traces() == before, fail_at
    assert 8 <= fail_at < 99
    assert traces() == before


def test_a_process_that_forks_while_it_is_ended_is_ended(tmp_path: Path) -> None:
    with running(tmp_path, TWO_HOSTS) as lab:
        script = "while :; do setsid sh -c 'sleep 300' lab-test-mark & sleep 0.001; done"
        lab.start("one", ["sh", "-c", script, "lab-test-mark"], "forks")
        inodes = {places.inode(lab.hosts["one"].path)}
        while len(removal.processes(inodes)) < 20:
            time.sleep(0.01)
    assert not traces()["processes"]


def test_an_ordinary_user_has_labs_in_a_user_namespace() -> None:
    # The folders of tests are root's alone.
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    command = ordinary(folder)
    probe = [*ORDINARY, "unshare", "--user", "--map-root-user", "--net", "true"]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("user namespaces are not permitted")
    before = traces()
    written(folder, TWO_HOSTS + 'rate = "10Mbit/s"\n' + SERVER + RUN.format(duration="1s"))
    try:
        done = subprocess.run(
            [*command, "lab", "lab.toml", "-o", "out"], cwd=folder, capture_output=True,
            text=True, timeout=WAIT_S,
        )  # fmt: skip
        assert ended_well(done.returncode, done.stderr), done.stderr
        assert json.loads((folder / "out/visitors/summary.json").read_text())["errors"] == 0
        assert traces() == before
    finally:
        subprocess.run(["rm", "-r", str(folder)], check=True)


def test_who_may_not_is_told_what_is_needed(tmp_path: Path) -> None:
    """Root without capabilities and without a possible user namespace has no rights."""
    need_root()
    written(tmp_path, TWO_HOSTS)
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"]
    done = subprocess.run(
        [*drop, *THINKTIME, "lab", str(tmp_path / "lab.toml")],
        cwd=tmp_path, capture_output=True, text=True, timeout=WAIT_S,
    )  # fmt: skip
    assert done.returncode == 3
    assert "a lab needs root, or user namespaces" in done.stderr
    assert "sudo" in done.stderr
