"""The site: the service behind nginx, which logs all requests in two forms."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from nginx_server import serving

HERE = Path(__file__).parent

NGINX = """
  log_format timed escape=json '{{"msec":"$msec","request_time":$request_time,'
    '"remote_addr":"$remote_addr","host":"$host","request_method":"$request_method",'
    '"request_uri":"$request_uri","status":$status,"body_bytes_sent":$body_bytes_sent,'
    '"http_referer":"$http_referer","http_user_agent":"$http_user_agent"}}';
  log_format seconds '$remote_addr - $remote_user [$time_local] "$request" $status '
    '$body_bytes_sent "$http_referer" "$http_user_agent" rt=$request_time';
  access_log {directory}/ms.log timed;
  access_log {directory}/s.log seconds;
  upstream service {{ server 127.0.0.1:{port}; keepalive 64; }}
"""
"""The first form is that of docs/learn.md; the second is nginx's own with durations, whose stamps
are whole seconds."""

PROXY = (
    "location / { proxy_pass http://service; proxy_http_version 1.1; "
    'proxy_set_header Connection ""; }'
)


@contextmanager
def site(directory: Path, seed: int) -> Iterator[str]:
    """Run it; yields its host and port. Skips the test if nginx is not installed."""
    with _started("service.py", str(seed)) as service:
        assert service.stdout is not None
        http = NGINX.format(directory=directory, port=int(service.stdout.readline()))
        with serving(directory, http=http, locations=PROXY, keepalive_requests=100_000) as at:
            yield at


def visited(at: str, length_s: float, rate: float, seed: int) -> None:
    """Let this many visitors a second come to the site for some time."""
    words = (at.rpartition(":")[2], str(rate), str(seed))
    until_stopped = pytest.raises(subprocess.TimeoutExpired)
    with _started("visitors.py", *words) as visitors, until_stopped:
        visitors.wait(timeout=length_s)


@contextmanager
def _started(script: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(HERE / script), *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
