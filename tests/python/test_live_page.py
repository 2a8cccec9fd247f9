"""The live page in a real browser: it moves, survives, stops the command, ends as a report."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from answer_server import Answer, answer_server
from browser import Browser
from live_commands import SYSTEM, WORKLOAD, Watched
from made_logs import Known, make
from real_runs import ended_well

import thinktime as tt


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    return tmp_path


HEADLINE = "document.querySelector('h1').textContent"
LIVE = "document.getElementById('live') !== null"
DRAWN = "document.querySelectorAll('.plot > svg').length"


EVIL = '</script><img src=x onerror="window.hacked = 1"><b>shop</b>'


CHECK = """
[...document.querySelectorAll('#table-validity tbody tr')]
  .filter(one => one.querySelector('th')?.textContent.trim() === '%s')
  .map(one => one.querySelector('td').textContent.trim())[0] || ''
"""


def test_a_page_moves_and_becomes_the_report(files: Path, browser: Browser) -> None:
    """With a hostile name, which is text from beginning to end."""
    browser.complaints.clear()
    (files / "evil.toml").write_text(WORKLOAD.replace('"shop"', f"'{EVIL}'"))
    with tt.serve(tt.System(SYSTEM)) as server:
        command = ["run", "evil.toml", "--target", server.url, "--duration", "12s", "--live"]
        with Watched(command, files) as watched:
            browser.visit(watched.url)
            browser.wait(f"{DRAWN} > 2")
            first = browser.evaluate(HEADLINE)
            browser.wait(f"{HEADLINE} !== {first!r}")
            assert browser.evaluate(LIVE)
            assert EVIL in browser.evaluate("document.querySelector('.title').textContent")
            browser.wait("document.getElementById('table-validity') !== null")
            checks = browser.evaluate("document.getElementById('table-validity').textContent")
            assert all(name in checks for name in ("generator", "steady state", "counts"))
            browser.visit(watched.url)  # again: all is there at once
            browser.wait(f"{DRAWN} > 2")
            browser.wait(f"!({LIVE})")  # the report
            assert ended_well(watched.ended(), watched.said), watched.said
    assert EVIL in browser.evaluate("document.querySelector('.title').textContent")
    assert browser.evaluate("window.hacked === undefined && !document.querySelector('img, b')")
    assert "How these numbers were obtained" in browser.evaluate("document.body.textContent")
    assert browser.evaluate(DRAWN) >= 3
    assert browser.complaints == []


def test_the_button_stops_a_simulation_and_keeps_it(files: Path, browser: Browser) -> None:
    command = ["simulate", "w.toml", "s.toml", "--requests", "2000000000", "-o", "out", "--live"]
    with Watched(command, files) as watched:
        browser.visit(watched.url)
        browser.wait(f"{DRAWN} > 1")
        for name in ("load", "steady state", "percentiles"):
            assert browser.evaluate(CHECK % name) in ("could not look", "fine")
        # In one turn of the page, which may be loaded anew after it.
        button = "document.getElementById('stop')"
        asked = browser.evaluate(f"({button}.click(), {button}.textContent)")
        assert asked == "Stop for good?"
        assert watched.process.poll() is None
        stop(browser)
        assert watched.ended() == 3
    done = tt.Result.load(files / "out")
    assert done.interrupted
    assert done.summary["requests"] > 1000


def stop(browser: Browser) -> None:
    """Press the button, and once more when it asks."""
    # At once: a page that is loaded anew in between, as with the first points, would ask again.
    browser.evaluate("for (const _ of 'ab') document.getElementById('stop').click()")
    browser.wait(f"!({LIVE})")


def test_the_button_stops_a_run_and_keeps_it(files: Path, browser: Browser) -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        command = ["run", "w.toml", "--target", server.url, "--duration", "600s", "-o", "out"]
        with Watched([*command, "--live"], files) as watched:
            browser.visit(watched.url)
            browser.wait(f"{DRAWN} > 2")
            assert watched.process.poll() is None
            stop(browser)
            assert watched.ended() == 3, watched.said
    done = tt.Result.load(files / "out")
    assert done.interrupted
    assert done.summary["requests"] > 100
    assert "stopped before its end" in browser.evaluate("document.body.textContent")


def test_a_verdict_turns_where_the_server_does(files: Path, browser: Browser) -> None:
    """Answers take ten times as long from the twelfth second on: no steady state is that."""
    begun: list[float] = []

    def answer(_: object) -> Answer:
        begun.append(time.monotonic())
        time.sleep(0.05 if begun[-1] - begun[0] > 12 else 0.005)
        return Answer("hello")

    (files / "slow.toml").write_text(
        'name = "slow"\n[arrivals]\nmodel = "closed"\nclients = 2\n[session]\nthink = "5ms"\n'
    )
    with answer_server(answer) as (url, _):
        command = ["run", "slow.toml", "--target", url, "--duration", "60s", "--live"]
        with Watched(command, files) as watched:
            browser.visit(watched.url)
            steady = CHECK % "steady state"
            browser.wait(f"({steady}) !== ''")
            # On a busy machine the page comes when there are enough intervals.
            assert browser.evaluate(steady) in ("could not look", "fine")
            browser.wait(f"({steady}) === 'doubtful'")
            assert browser.evaluate(LIVE)
            stop(browser)
            assert watched.ended() == 3, watched.said


def test_several_runs_are_shown_one_after_another_and_together(
    files: Path, browser: Browser
) -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        command = ["run", "w.toml", "--target", server.url, "--duration", "10s", "--runs", "2"]
        with Watched([*command, "--live", "-o", "out"], files) as watched:
            browser.visit(watched.url)
            browser.wait(f"{HEADLINE}.startsWith('Run 1 of 2. ')")
            browser.wait(f"{HEADLINE}.startsWith('Run 2 of 2. ')")
            assert "run 1" in browser.evaluate("document.getElementById('table-runs').textContent")
            browser.wait(f"!({LIVE})")
            assert ended_well(watched.ended(), watched.said), watched.said
    said = browser.evaluate("document.getElementById('table-agreement').textContent")
    assert "agreement" in said
    assert "run 2" in browser.evaluate("document.getElementById('table-runs').textContent")
    noted = json.loads((files / "out" / "runs.json").read_text())
    assert noted["validity"][0]["verdict"] in said


SWEEP = ["sweep", "w.toml", "s.toml", "--vary", "load=0.1..0.9/2000", "--requests", "300000"]
CAPACITY = ["capacity", "slo.toml", "s.toml", "--precision", "0.1%", "--duration", "30000s"]


@pytest.mark.parametrize("command", [SWEEP, CAPACITY], ids=lambda one: one[0])
def test_points_and_probes_come_one_by_one(
    command: list[str], files: Path, browser: Browser
) -> None:
    (files / "slo.toml").write_text(WORKLOAD + '[slo]\np99 = "20ms"\n')
    rows = "document.querySelectorAll('tbody tr').length"
    with Watched([*command, "--live"], files) as watched:
        browser.visit(watched.url)
        browser.wait(f"{rows} > 2 && {LIVE}")
        assert "so far" in browser.evaluate(HEADLINE) or "are done" in browser.evaluate(HEADLINE)
        stop(browser)
        assert watched.ended() == 3, watched.said
    assert browser.evaluate(rows) > 2
    assert browser.evaluate(DRAWN) >= 1
    assert "so far" not in browser.evaluate(HEADLINE)


def test_what_a_log_says_comes_to_the_page(files: Path, browser: Browser) -> None:
    make(Known(sessions=400, rate=5.0), files / "access.log")
    with Watched(["learn", "access.log", "--follow", "--live"], files) as watched:
        browser.visit(watched.url)
        browser.wait(f"{HEADLINE}.includes('read')")
        stop(browser)
        assert watched.ended() == 0, watched.said
    assert browser.evaluate(HEADLINE).startswith("Plan with")


# ---- what it lets in


def asked(url: str, host: str | None = None, method: str = "GET") -> int:
    """The status of an answer."""
    request = urllib.request.Request(url, method=method)
    if host is not None:
        request.add_header("Host", host)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@contextmanager
def long_run(files: Path, *live: str) -> Iterator[Watched]:
    """A command that runs for long, and leaves the processor to others."""
    with tt.serve(tt.System(SYSTEM)) as server:
        command = ["run", "w.toml", "--target", server.url, "--duration", "600s", *live]
        with Watched(command, files) as watched:
            yield watched


def test_only_who_knows_its_token_and_its_name_is_let_in(files: Path) -> None:
    with long_run(files, "--live") as watched:
        token = urlsplit(watched.url).path.strip("/")
        base = watched.url.removesuffix(f"{token}/")
        assert len(token) >= 32
        assert asked(watched.url) == 200
        assert asked(watched.url, host="localhost:1") == 200
        for wrong in ("", "x/", f"{token[:-1]}/", f"{token}x/", f"{token[:-1]}%00/"):
            assert asked(base + wrong) == 404, wrong
            assert asked(f"{base}{wrong}events") == 404
            assert asked(f"{base}{wrong}stop", method="POST") == 404
        for host in ("evil.test", "evil.test:80", "127.0.0.1.evil.test", "", "[::1].evil"):
            assert asked(watched.url, host=host) == 421, host
        assert asked(f"{watched.url}stop") == 405  # no picture or link can stop it
        assert watched.process.poll() is None
        with open(f"/proc/{watched.process.pid}/cmdline", "rb") as file:
            assert token.encode() not in file.read()


def test_two_viewers_see_the_same(files: Path) -> None:
    """Both read on to the end, and both have the report then."""
    seen: list[list[dict[str, object]]] = [[], []]
    last: list[str] = ["", ""]

    def look(place: int, url: str) -> None:
        with urllib.request.urlopen(f"{url}events", timeout=120) as events:
            for line in events:
                if line.startswith(b"data: "):
                    seen[place].append(json.loads(line[6:]))
                if seen[place] and "over" in seen[place][-1]:
                    break
        with urllib.request.urlopen(url, timeout=120) as page:
            last[place] = page.read().decode()

    with tt.serve(tt.System(SYSTEM)) as server:
        command = ["run", "w.toml", "--target", server.url, "--duration", "10s", "--live"]
        with Watched(command, files) as watched:
            viewers = [threading.Thread(target=look, args=(n, watched.url)) for n in range(2)]
            for one in viewers:
                one.start()
            for one in viewers:
                one.join(300)
            assert ended_well(watched.ended(), watched.said), watched.said
    for found in seen:
        assert len(found) >= 3
        assert found[-1] == {"over": True}
        assert len({one["main"] for one in found[:-1]}) > 1
    both = {str(one["main"]) for one in seen[0][:-1]} & {str(one["main"]) for one in seen[1][:-1]}
    assert len(both) >= 2
    assert last[0] == last[1]
    assert "How these numbers were obtained" in last[0]


def test_a_viewer_who_stalls_holds_up_nobody(files: Path) -> None:
    """It asks for events and never reads one; others see the run continue, and it ends in time."""
    with tt.serve(tt.System(SYSTEM)) as server:
        command = ["run", "w.toml", "--target", server.url, "--duration", "10s", "--live"]
        with Watched(command, files) as watched:
            place = urlsplit(watched.url)
            stalled = socket.socket()
            stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stalled.connect((place.hostname, place.port))
            stalled.sendall(f"GET {place.path}events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            seen = []
            with urllib.request.urlopen(f"{watched.url}events", timeout=120) as events:
                for line in events:
                    if line.startswith(b"data: "):
                        seen.append(json.loads(line[6:]))
                    if seen and "over" in seen[-1]:
                        break
            assert ended_well(watched.ended(), watched.said), watched.said
            stalled.close()
    assert len(seen) >= 3
    assert len({one["main"] for one in seen[:-1]}) > 1


def pages_process(pid: int) -> int:
    """The process of the page, among the children of a command."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    of_page = [
        int(child)
        for child in children
        if b"thinktime.monitor" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    assert len(of_page) == 1, children
    return of_page[0]


SHORT_PATIENCE = "from thinktime.monitor import feed; feed._ANSWER_S = 2.0; "
"""The command waits two seconds and not ten for the page's process, twice."""


@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL], ids=["hangs", "is killed"])
def test_a_process_that_is_no_more_holds_up_nothing(how: signal.Signals, files: Path) -> None:
    """Stopped by a signal, it is ended at the end; killed, it is not missed."""
    with tt.serve(tt.System(SYSTEM)) as server:
        command = ["run", "w.toml", "--target", server.url, "--duration", "3s", "--live"]
        with Watched([*command, "-o", "out"], files, SHORT_PATIENCE) as watched:
            child = pages_process(watched.process.pid)
            time.sleep(1)
            os.kill(child, how)
            assert ended_well(watched.ended(), watched.said), watched.said
            assert not Path(f"/proc/{child}").exists()
    assert tt.Result.load(files / "out").summary["requests"] > 400


def test_others_reach_it_only_when_told_and_with_a_warning(files: Path) -> None:
    with long_run(files, "--live-at", "0.0.0.0:0") as watched:
        port = urlsplit(watched.url).port
        assert asked(watched.url.replace("0.0.0.0", "127.0.0.1")) == 200
        assert port
    assert "others reach the page" in watched.said
