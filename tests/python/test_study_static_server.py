"""The study of static files: its sizes, its link, and in small the whole of it.

Of times nothing is asserted: other work on the machine would spoil them.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import labs
import numpy as np
import pytest
from nginx_server import NGINX
from ports import free_port
from scipy import stats

import thinktime as tt

STUDY = Path(__file__).resolve().parents[2] / "studies" / "static-server"
sys.path.insert(0, str(STUDY))

import files  # noqa: E402 - the study is a folder of scripts
import models  # noqa: E402
import over_load  # noqa: E402
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
    # The spread inside of a part is gone.
    assert 0.5 * draws.var() / draws.mean() ** 2 < cv2 < draws.var() / draws.mean() ** 2
    assert sum(one.share for one in site) == pytest.approx(1)
    assert [one.size for one in site] == sorted(one.size for one in site)
    half = sum(one.share for one in site if one.size <= np.median(draws))
    assert half == pytest.approx(0.5, abs=0.1)


def test_open_users_gain_ever_more_and_closed_ones_do_not() -> None:
    """Open, fair: processor sharing, E[S] / (1 - load). Within 30 % of 200,000 requests."""
    lines = [line.split(" | ") for line in over_load.table((0.5, 0.95), 200_000)][2:]
    low, high = ([float(cell.strip("| ")) for cell in line] for line in lines)
    assert high[1] / low[1] == pytest.approx(0.5 / 0.05, rel=0.3)
    assert high[3] > 2.5 * low[3]  # the gain of open users
    assert high[6] < 2 * low[6]  # and of closed ones
    assert high[7] > 2 * low[7]


def test_the_link_has_the_classes_that_the_server_names() -> None:
    """Eight, from 1:10 on (crates/net/src/server/files)."""
    shape = (STUDY / "shape.sh").read_text()
    assert "for class in 0 1 2 3 4 5 6 7;" in shape
    assert 'classid "1:1$class"' in shape
    assert "--link-class 1:10" in models.lab("SRPT", "python", 1, 1)


def header_of(url: str) -> int:
    """Bytes of the header of a response for a file of 100,000 bytes."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as client:
        client.sendall(b"GET /file HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
        whole = b""
        while b"\r\n\r\n" not in whole:
            whole += client.recv(65536)
    assert whole.startswith(b"HTTP/1.1 200 OK\r\n")
    return whole.index(b"\r\n\r\n") + 4


def test_headers_are_about_as_long_as_the_model_has_them(tmp_path: Path) -> None:
    if NGINX is None:
        pytest.skip("the system package nginx is not installed")
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "file").write_bytes(bytes(100_000))
    with tt.serve(files=tmp_path / "files") as server:
        assert header_of(server.url) == pytest.approx(models.HEADER, abs=20)
    port = free_port()
    text = (STUDY / "nginx.conf").read_text().replace("listen 8080", f"listen 127.0.0.1:{port}")
    (tmp_path / "nginx.conf").write_text(text)
    process = subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")])
    try:
        end = time.monotonic() + 300
        while True:
            try:
                found = header_of(f"http://127.0.0.1:{port}")
                break
            except ConnectionRefusedError:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.05)
        assert found == pytest.approx(models.HEADER, abs=20)
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize("which", ["fair", "SRPT"])
def test_the_link_is_as_busy_as_it_should_be(which: str) -> None:
    """The load of a simulated link is its rate times the mean of size and headers."""
    site = files.site()
    found = tt.simulate(
        models.workload("open", site), models.system(which), load=0.6, requests=200_000, rows="none"
    )
    mean, _ = files.moments(site)
    rate = found.workload.request_rate
    carried = rate * (mean * 1514 / 1448 + models.HEADER + models.OTHER_PACKETS)
    assert carried == pytest.approx(0.6 * 1.25e6, rel=1e-3)


def test_the_page_has_the_ratios_of_the_results() -> None:
    found = json.loads((STUDY / "results.json").read_text("utf-8"))
    assert "\n".join(static_tables.statements(found)) in (STUDY / "README.md").read_text("utf-8")
    assert "\n".join(static_tables.cells(found)) in (STUDY / "tables.md").read_text("utf-8")


@pytest.mark.parametrize("part", ["measured", "predicted", "long_run"])
def test_what_is_kept_has_the_order_of_the_paper(part: str) -> None:
    """SRPT gains most for open users, less for partly open ones, and least for closed ones."""
    found = json.loads((STUDY / "results.json").read_text("utf-8"))
    mean_s = {
        (one["model"], one["server"]): one[part]["mean_s"]
        for one in found["cells"]
        if one["load"] == 0.9
    }
    gains = [
        mean_s[model, "nginx, fair"] / mean_s[model, "SRPT"]
        for model in ("open", "partly open", "closed")
    ]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 1.5 * gains[-1]
    assert gains[-1] > 1


@pytest.mark.study("static-server")
def test_the_study_in_small(tmp_path: Path) -> None:
    labs.need_root()
    if NGINX is None:
        pytest.skip("the system package nginx is not installed")
    command = [sys.executable, str(STUDY / "study.py"), "--quick", "--to", str(tmp_path)]
    with labs.nothing_left():
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert [one["server"] for one in found["cells"]] == ["nginx, fair", "SRPT"]
    for one in found["cells"]:
        assert one["measured"]["errors"] == 0
        # The same sample path: the same requests for the same files.
        assert one["measured"]["requests"] == one["predicted"]["requests"]
        assert one["measured"]["bytes"] == one["predicted"]["bytes"]
    page = (tmp_path / "tables.md").read_text("utf-8")
    assert re.search(r"^\| open \| SRPT \| 0.5 \|", page, re.MULTILINE)
