"""nginx, for tests: an independent server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ports import free_port

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")

CONFIG = """
{user}
daemon off;
worker_processes 1;
error_log {directory}/error.log;
pid {directory}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
  {http}
  client_body_temp_path {directory}/body;
  proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  keepalive_requests {keepalive_requests};
  server {{
    listen 127.0.0.1:{port}{speaks};
    root {directory};
    {locations}
  }}
}}
"""

ITEMS = 'location = /missing { return 404; } location /item/ { return 200 "an item"; }'


@contextmanager
def serving(
    directory: Path,
    *,
    http: str = "access_log off;",
    speaks: str = "",
    locations: str = ITEMS,
    keepalive_requests: int = 100,
) -> Iterator[str]:
    """Run nginx; yields host and port. Skips the test if nginx is not installed."""
    if NGINX is None:
        pytest.skip("the system package nginx is not installed")
    port = free_port()
    (directory / "index.html").write_text("x" * 1024)
    config = directory / "nginx.conf"
    # Started by root, nginx would read the files as another user, who may not.
    user = "user root;" if os.geteuid() == 0 else ""
    values = {"directory": directory, "port": port, "user": user, "http": http, "speaks": speaks,
              "locations": locations, "keepalive_requests": keepalive_requests}  # fmt: skip
    config.write_text(CONFIG.format(**values))
    process = subprocess.Popen([NGINX, "-p", str(directory), "-c", str(config)])
    try:
        wait_until_listening(process, port)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=300)


def wait_until_listening(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until the port is listened on; fails if the process ends before."""
    end = time.monotonic() + 60
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, f"nginx has ended with {process.returncode}"
        assert time.monotonic() < end, "nginx does not listen"
        time.sleep(0.05)
