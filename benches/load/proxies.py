"""Proxies in front of one server, each with one thread that forwards, over kept connections.

Each names its client to the server, as in usual operation; none writes a log.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from load.server import OWN_FILES, free_port, installed, nginx_program, wait_for

NGINX = (
    """
{user}
daemon off;
worker_processes 1;
worker_rlimit_nofile {files};
error_log {directory}/error.log;
pid {directory}/nginx.pid;
events {{ worker_connections {files}; }}
http {{
"""
    + OWN_FILES
    + """  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  client_header_timeout 600s;
  upstream servers {{
    server 127.0.0.1:{server};
    keepalive 64;
    keepalive_requests 1000000000;
  }}
  server {{
    listen 127.0.0.1:{port} backlog=10000;
    location / {{
      proxy_pass http://servers;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
    }}
  }}
}}
"""
)

# HAProxy would not start if it may not open two files for each connection.
HAPROXY = """
global
  nbthread 1
  maxconn {connections}
  no strict-limits
defaults
  mode http
  http-reuse always
  option forwardfor
  timeout connect 2s
  timeout client 600s
  timeout server 60s
  timeout http-request 600s
  timeout http-keep-alive 600s
frontend clients
  bind 127.0.0.1:{port} backlog 10000
  default_backend servers
backend servers
  server one 127.0.0.1:{server}
"""

SYSTEM = """
name = "bench"
[[cluster]]
name = "web"
servers = 1
dispatch = "round-robin"
[[cluster.station]]
name = "cpu"
demand = "1ms"
"""


@dataclass(frozen=True)
class Proxy:
    """A proxy at work."""

    url: str
    pid: int

    def pids(self) -> list[int]:
        """Its processes: the main one and its workers."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        return [self.pid, *map(int, children.split())]

    def cpu_s(self) -> float:
        """CPU seconds of all its processes and threads so far, user and system."""
        ticks = sum(cpu_ticks(Path(f"/proc/{pid}/stat").read_text()) for pid in self.pids())
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident_mib(self) -> float:
        """The resident memory of its processes; shared memory counts for each."""
        texts = (Path(f"/proc/{pid}/status").read_text() for pid in self.pids())
        return sum(resident_kib(text) for text in texts) / 1024


def cpu_ticks(stat: str) -> int:
    """User and system time of a process from /proc/PID/stat, in clock ticks."""
    # The name of the program, in parentheses, may contain blanks and parentheses itself.
    fields = stat.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def resident_kib(status: str) -> int:
    """The resident set of a process from /proc/PID/status."""
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1])


Start = Callable[[Path, int, int, int], list[str]]
"""The command, from a folder, the proxy's port, the server's and the limit of clients."""


def nginx_command(directory: Path, port: int, server: int, connections: int) -> list[str]:
    """The command of nginx, with one worker."""
    user = "user root;" if os.geteuid() == 0 else ""
    config = directory / "nginx.conf"
    values = {"directory": directory, "port": port, "server": server, "user": user}
    config.write_text(NGINX.format(**values, files=2 * connections))
    return [nginx_program(), "-p", str(directory), "-c", str(config)]


def haproxy_command(directory: Path, port: int, server: int, connections: int) -> list[str]:
    """The command of HAProxy, with one thread."""
    config = directory / "haproxy.cfg"
    config.write_text(HAPROXY.format(port=port, server=server, connections=connections))
    return [installed("haproxy") or "haproxy", "-db", "-q", "-f", str(config)]


def switch_command(directory: Path, port: int, server: int, connections: int) -> list[str]:
    """The command of Thinktime's switch, with one thread."""
    system = directory / "system.toml"
    system.write_text(SYSTEM)
    command = [sys.executable, "-c", "from thinktime.cli import main; main()", "switch"]
    command += [str(system), "--server", f"http://127.0.0.1:{server}", "--client", "600s"]
    return [*command, "--listen", f"127.0.0.1:{port}", "--connections", str(connections)]


PROXIES: dict[str, Start] = {
    "nginx": nginx_command,
    "HAProxy": haproxy_command,
    "switch": switch_command,
}


def available(names: Sequence[str]) -> list[str]:
    """The proxies among these that can be measured; names the others."""
    unknown = sorted(set(names) - set(PROXIES))
    if unknown:
        raise SystemExit(f"no proxy is called {unknown[0]}; there are {', '.join(PROXIES)}")
    if "HAProxy" in names and installed("haproxy") is None:
        print("HAProxy is not installed and left out: apt-get install haproxy\n")
        return [name for name in names if name != "HAProxy"]
    return list(names)


@contextmanager
def proxy(name: str, directory: Path, server: str, core: int, connections: int) -> Iterator[Proxy]:
    """Run a proxy on that core, in front of a server such as `http://127.0.0.1:8080`."""
    home = directory / name
    home.mkdir(exist_ok=True)
    port = free_port()
    command = PROXIES[name](home, port, int(server.rpartition(":")[2]), connections)
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    try:
        wait_for(port)
        yield Proxy(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
