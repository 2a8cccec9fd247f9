"""The messages of a switch to its operator: the servers without requests, and the reasons."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from ports import free_port
from switch_servers import Backend, backends, echo, get, switching, system

import thinktime as tt


class Sick:
    """Answers health checks with this status, other requests with their target or not at all."""

    status = 200
    answers = True

    def __call__(self, server: Backend, connection: socket.socket, target: str) -> bool:
        if target == "/health":
            connection.sendall(b"HTTP/1.1 %d x\r\nContent-Length: 0\r\n\r\n" % self.status)
            return True
        return self.answers and echo(server, connection, target)


def lines_of(proxy: tt.switch, number: int) -> list[str]:
    """A number of messages, as they come."""
    lines: list[str] = []
    while len(lines) < number:
        lines += proxy.messages()
        time.sleep(0.01)
    return lines


def test_health_checks_that_close_and_open_are_told_with_what_they_found() -> None:
    sick = Sick()
    given = {"health": "/health", "health_every": "20ms", "failures": 2}
    with backends(sick) as servers, switching("jsq", servers, **given) as proxy:
        url = servers[0].url
        sick.status = 400
        assert lines_of(proxy, 2) == [
            f"server 0 ({url}) gets no requests: status 400 to a health check",
            "no server gets requests: all are answered with 503",
        ]
        sick.status = 200
        assert lines_of(proxy, 1) == [
            f"server 0 ({url}) gets requests again: status 200 to a health check"
        ]
        assert proxy.messages() == []


def test_failures_that_close_are_told_and_so_is_the_end_of_it() -> None:
    sick = Sick()
    sick.answers = False
    with (
        backends(sick, echo) as servers,
        switching("round-robin", servers, failures=2, closed="50ms") as proxy,
    ):
        for number in range(4):
            assert get(proxy.url, f"/{number}") == (200, f"/{number}")
        url = servers[0].url
        assert lines_of(proxy, 2) == [
            f"server 0 ({url}) gets no requests: 2 failures in a row",
            f"server 0 ({url}) gets requests again: its time without requests is over",
        ]


def test_probes_in_vain_are_told_once() -> None:
    with backends(Sick()) as servers, switching("prequal", servers, probe="/load") as proxy:
        for number in range(40):
            get(proxy.url, f"/{number}")
        assert lines_of(proxy, 1) == [
            f"server 0 ({servers[0].url}) has answered none of 10 probes: the policy knows nothing "
            "of it"
        ]


def test_a_served_model_that_has_failed_is_closed_by_checks_and_retried_elsewhere() -> None:
    """Its requests go to the other server, and no client hears of it."""
    change = '[[cluster.change]]\nat = "0s"\nserver = 0\ndoes = "fails"\n'
    model = system(2, "round-robin", station=system_station() + change)
    with tt.serve(model, server=0) as failed, tt.serve(model, server=1) as well:
        given = {"health": "/thinktime/probe", "health_every": "20ms", "failures": 2}
        with tt.switch(model, [failed.url, well.url], **given) as proxy:
            statuses = {get(proxy.url, "/x")[0] for _ in range(20)}
            line = lines_of(proxy, 1)[0]
    assert statuses == {200}
    assert line.startswith(f"server 0 ({failed.url}) gets no requests: ")


def system_station() -> str:
    return '[[cluster.station]]\nname = "cpu"\ndemand = "1ms"\n'


def test_the_command_tells_it_and_opens_its_log_again(tmp_path: Path) -> None:
    """Like a log rotation: the file is moved away, and SIGHUP makes a new one."""
    (tmp_path / "c.toml").write_text(system(1, "jsq").to_toml())
    log, port, closed = tmp_path / "log", free_port(), free_port()
    command = [sys.executable, "-c", "from thinktime.cli import main; main()", "switch", "c.toml"]
    command += ["--listen", f"127.0.0.1:{port}", "--server", f"http://127.0.0.1:{closed}"]
    command += ["--log", str(log), "--failures", "1"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("switching on")
    url = f"http://127.0.0.1:{port}"
    assert get(url, "/before")[0] == 502
    log.rename(tmp_path / "log.1")
    process.send_signal(signal.SIGHUP)
    assert process.stdout.readline().startswith("reloaded")
    assert get(url, "/after")[0] == 503
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert f"server 0 (http://127.0.0.1:{closed}) gets no requests: 1 failures" in said
    assert "/before" in (tmp_path / "log.1").read_text()
    assert "/after" in log.read_text()
    assert "/after" not in (tmp_path / "log.1").read_text()
