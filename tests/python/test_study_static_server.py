"""The study of static files: its sizes, its server, and in small the whole of it.

Of times nothing is asserted: other work on the machine would spoil them.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import labs
import numpy as np
import pytest
from nginx_server import NGINX, free_port
from scipy import stats

import thinktime as tt

STUDY = Path(__file__).resolve().parents[2] / "studies" / "static-server"
sys.path.insert(0, str(STUDY))

import files  # noqa: E402 - the study is a folder of scripts
import models  # noqa: E402
import server  # noqa: E402
import static_tables  # noqa: E402


def test_sizes_are_those_of_the_law() -> None:
    """A million draws: the mean has a standard error of 0.3 %; files stand for parts of the law."""
    random = np.random.default_rng(1)
    number = 1_000_000
    draws = np.where(
        random.random(number) < files.IN_TAIL,
        stats.pareto.rvs(1.177, scale=3558, size=number, random_state=random),
        stats.lognorm.rvs(1.339, scale=np.exp(7.881), size=number, random_state=random),
    )
    draws = draws[(draws >= files.SMALLEST) & (draws <= files.LARGEST)]
    site = files.site()
    mean, cv2 = files.moments(site)
    assert mean == pytest.approx(draws.mean(), rel=0.02)
    # The spread inside of a part is not there any more.
    assert 0.5 * draws.var() / draws.mean() ** 2 < cv2 < draws.var() / draws.mean() ** 2
    assert sum(one.share for one in site) == pytest.approx(1)
    assert [one.size for one in site] == sorted(one.size for one in site)
    half = sum(one.share for one in site if one.size <= np.median(draws))
    assert half == pytest.approx(0.5, abs=0.1)


def test_priorities_fall_with_what_is_left() -> None:
    shown = [server.priority_of(left) for left in (1, 2000, 2001, 50_000, 200_000, 200_001)]
    assert [f"{one >> 16:x}:{one & 0xFFFF:x}" for one in shown] == [
        "1:10", "1:10", "1:11", "1:14", "1:16", "1:17",
    ]  # fmt: skip
    classes = re.search(r"for class in ([\d ]+);", (STUDY / "shape.sh").read_text())
    assert classes is not None
    assert len(classes[1].split()) == len(server.BOUNDS) + 1


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """The study's server with one file."""
    (tmp_path / "sizes.json").write_text('{"/file": 100000, "/empty": 0}')
    found = free_port()
    command = [sys.executable, str(STUDY / "server.py"), str(found), "fair"]
    process = subprocess.Popen([*command, str(tmp_path / "sizes.json")])
    try:
        end = time.monotonic() + 300
        while True:
            try:
                socket.create_connection(("127.0.0.1", found)).close()
                break
            except ConnectionRefusedError:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.05)
        yield found
    finally:
        process.kill()
        process.wait()


def said(port: int, text: bytes) -> bytes:
    """What the server says to these bytes until it says no more, or the connection ends."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(text)
        client.shutdown(socket.SHUT_WR)
        found = b""
        while data := client.recv(65536):
            found += data
        return found


def test_the_server_answers_and_is_not_hurt_by_nonsense(port: int) -> None:
    get = b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n"
    whole = said(port, get % b"file" + get % b"empty" + get % b"nothing")
    first, rest = whole.split(b"\r\n\r\n", 1)
    assert first.startswith(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n")
    assert len(first) + 4 == server.HEADER
    assert rest[:100_000] == bytes(100_000)
    assert rest[100_000:] == (
        server.header(0) + b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    )
    for nonsense in (b"", b"\r\n\r\n", b"GET\r\n\r\n", b"a" * 20_000, b"\xff \xff \xff\r\n\r\n"):
        assert b"200 OK" not in said(port, nonsense)
    assert said(port, get % b"file").startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("which", ["fair", "SRPT"])
def test_the_link_is_as_busy_as_it_should_be(which: str) -> None:
    """The load of a simulated link is its rate times the mean of size and headers."""
    site = files.site()
    found = tt.simulate(
        models.workload("open", site), models.system(which), load=0.6, requests=200_000, rows="none"
    )
    mean, _ = files.moments(site)
    rate = found.workload.request_rate
    carried = rate * (mean * 1514 / 1448 + server.HEADER + models.OTHER_PACKETS)
    assert carried == pytest.approx(0.6 * 1.25e6, rel=1e-3)


def test_the_page_has_the_ratios_of_the_results() -> None:
    found = json.loads((STUDY / "results.json").read_text("utf-8"))
    assert "\n".join(static_tables.statements(found)) in (STUDY / "README.md").read_text("utf-8")
    assert "\n".join(static_tables.cells(found)) in (STUDY / "tables.md").read_text("utf-8")


def test_the_study_in_small(tmp_path: Path) -> None:
    labs.need_root()
    if NGINX is None:
        pytest.skip("the system package nginx is not installed")
    command = [sys.executable, str(STUDY / "study.py"), "--quick", "--to", str(tmp_path)]
    before = labs.traces()
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert labs.traces() == before
    found = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert [one["server"] for one in found["cells"]] == ["nginx, fair", "SRPT"]
    for one in found["cells"]:
        assert one["measured"]["errors"] == 0
        # The same sample path: the same requests for the same files.
        assert one["measured"]["requests"] == one["predicted"]["requests"]
        assert one["measured"]["bytes"] == one["predicted"]["bytes"]
    page = (tmp_path / "tables.md").read_text("utf-8")
    assert re.search(r"^\| open \| SRPT \| 0.5 \|", page, re.MULTILINE)
