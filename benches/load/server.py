"""nginx with one worker on a core of its own: a static file, of 1 KiB unless said otherwise."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

OWN_FILES = """\
  access_log off;
  client_body_temp_path {directory}/body;
  proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
"""
"""The files of nginx go to a folder of its own."""

CONFIG = (
    """
{user}
daemon off;
worker_processes 1;
worker_cpu_affinity {mask};
worker_rlimit_nofile 200000;
error_log {directory}/error.log;
pid {directory}/nginx.pid;
events {{ worker_connections 150000; }}
http {{
"""
    + OWN_FILES
    + """  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
  open_file_cache max=10;
  root {directory}/files;
  server {{ listen 127.0.0.1:{http} backlog=10000; }}
  server {{ listen 127.0.0.1:{h2c} http2; }}
  server {{
    listen 127.0.0.1:{https} ssl http2;
    ssl_certificate {directory}/cert.pem;
    ssl_certificate_key {directory}/key.pem;
  }}
}}
"""
)


@dataclass(frozen=True)
class Server:
    """The port of nginx."""

    http: str
    h2c: str
    https: str
    certificate: Path


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def nginx_program() -> str:
    """The path of nginx."""
    found = installed("nginx")
    if found is None:
        raise SystemExit("nginx is not installed: apt-get install nginx-light")
    return found


def installed(name: str) -> str | None:
    """The path of a program, also in the folders of the administrator's programs."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")


@contextmanager
def nginx(directory: Path, core: int, size: int = 1024) -> Iterator[Server]:
    """Run nginx on that core; its answer has `size` bytes."""
    program = nginx_program()
    (directory / "files").mkdir()
    (directory / "files" / "index.html").write_bytes(b"x" * size)
    certificate(directory)
    ports = {name: free_port() for name in ("http", "h2c", "https")}
    user = "user root;" if os.geteuid() == 0 else ""
    config = directory / "nginx.conf"
    mask = bin(1 << core)[2:]
    config.write_text(CONFIG.format(directory=directory, user=user, mask=mask, **ports))
    process = subprocess.Popen([program, "-p", str(directory), "-c", str(config)])
    try:
        wait_for(ports["http"])
        yield Server(
            http=f"http://127.0.0.1:{ports['http']}",
            h2c=f"http://127.0.0.1:{ports['h2c']}",
            https=f"https://127.0.0.1:{ports['https']}",
            certificate=directory / "cert.pem",
        )
    finally:
        process.terminate()
        process.wait(timeout=10)


def certificate(directory: Path) -> None:
    """Make a key and a certificate for 127.0.0.1 that signs itself."""
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem"
    )
    subprocess.run(command.split(), cwd=directory, check=True, capture_output=True)


def wait_for(port: int) -> None:
    """Wait until the port is listened on."""
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")
