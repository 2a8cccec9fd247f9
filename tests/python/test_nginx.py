"""`run` against a server that nobody here wrote: nginx."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import cases
import pytest

import thinktime as tt

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")

CONFIG = """
{user}
daemon off;
worker_processes 1;
error_log {directory}/error.log;
pid {directory}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {directory}/body;
  proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  keepalive_requests 100;
  server {{
    listen 127.0.0.1:{port};
    root {directory};
    location = /missing {{ return 404; }}
  }}
}}
"""


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    if NGINX is None:
        pytest.skip("the system package nginx is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "index.html").write_text("x" * 1024)
    config = tmp_path / "nginx.conf"
    # Started by root, nginx would read the files as somebody else, who may not.
    user = "user root;" if os.geteuid() == 0 else ""
    config.write_text(CONFIG.format(directory=tmp_path, port=port, user=user))
    process = subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(config)])
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=10)


def test_a_static_page_is_measured(nginx: str) -> None:
    workload = cases.workload(
        'model = "open"\nrate = 500',
        requests='[[request]]\nname = "page"\nget = "/index.html"\nweight = 9\n'
        '[[request]]\nname = "head"\nhead = "/"\n',
    )
    result = tt.run(workload, nginx, duration=3)
    summary = result.summary
    assert summary["errors"] == 0
    assert summary["offered_rate"] == pytest.approx(500, rel=0.12)
    assert summary["throughput"] == pytest.approx(summary["offered_rate"], rel=0.02)
    page, head = summary["by_request"]["page"], summary["by_request"]["head"]
    assert page["requests"] > 5 * head["requests"] > 0
    # nginx closes each connection after 100 requests: that is no error.
    assert result.untrusted is None


def test_errors_of_the_server_are_counted(nginx: str) -> None:
    workload = cases.workload(
        'model = "closed"\nclients = 3\n[session]\nthink = "exp(5ms)"',
        requests='[[request]]\nname = "good"\n[[request]]\nname = "bad"\nget = "/missing"\n',
    )
    summary = tt.run(workload, nginx, requests=400).summary
    assert summary["requests"] == 400
    assert summary["errors_by_kind"] == {"status": summary["errors"]}
    assert 120 < summary["errors"] < 280
