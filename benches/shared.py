"""The cost of variables that clients share: within the process, and on a server.

One client does each operation many times, one after another, so that the time of one is that of a
round trip to the server. The last column has a hundred simultaneous clients, whose round trips
overlap, so that the server or the event loop is the limit. Each figure is the least of ROUNDS: what
else the machine does only adds to them. Eve's are those of its table 3 (two PCs of 600 MHz, Fast
Ethernet), for an access, whatever it does.

Usage: python benches/shared.py [redis://HOST:PORT or valkey-server or redis-server]; a program is
started here, by default the first of these that is installed.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

import thinktime as tt

OPERATIONS = {
    "get": 'shared:get("x")',
    "put": 'shared:put("x", 1)',
    "add": 'shared:add("n")',
    "lock and unlock": 'shared:lock("a")\nshared:unlock("a")',
}
EVE = "Eve, an access: at the server 0.62, from the same machine 100, from another one 210"
ROUNDS = 15


@contextmanager
def started(*programs: str) -> Iterator[str]:
    """A server on this machine that keeps nothing, of the first of these that is installed."""
    program = next(filter(None, map(shutil.which, programs)), None)
    if program is None:
        sys.exit(f"install {' or '.join(programs)}, or name a server")
    print(subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([program, "--port", str(port), "--bind", "127.0.0.1", "--save", ""],
                              stdout=subprocess.DEVNULL)  # fmt: skip
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def microseconds(operation: str, shared: str | None, clients: int, each: int, target: str) -> float:
    """The time from the first operation to the last, divided by their number."""
    body = (
        "return function(client)\nlocal shared = client.shared\n"
        f"for _ = 1, {each} do\n{operation}\nend\n"
        'client:get("/")\nclient:think("1h")\nend\n'
    )
    key = "" if shared is None else f'shared = "{shared}"\n'
    text = (
        f'name = "w"\n{key}[arrivals]\nmodel = "closed"\nclients = {clients}\n'
        '[session]\nscript = "client.luau"\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "client.luau").write_text(body)
        (Path(folder) / "workload.toml").write_text(text)
        workload = tt.Workload.load(Path(folder) / "workload.toml")
        result = tt.run(workload, target, requests=clients, duration="300s")
    assert result.requests is not None
    assert result.summary["requests"] == clients, result.summary["warnings"]
    # All begin at the start of the run, and each requests its page when it is done.
    sent = pl.DataFrame(result.requests)["sent_ns"].to_list()
    return float(max(sent)) / (clients * each) / 1000


def least(operation: str, shared: str | None, clients: int, each: int, target: str) -> float:
    """The least of several rounds."""
    return min(microseconds(operation, shared, clients, each, target) for _ in range(ROUNDS))


def main() -> None:
    """Print the tables."""
    named = sys.argv[1:] or ["valkey-server", "redis-server"]
    with given(named[0]) if "://" in named[0] else started(*named) as shared:
        system = {"name": "s", "station": [{"name": "s", "demand": "const(10us)"}]}
        with tt.serve(system) as server:
            print(
                f"{'µs an operation':<18}{'process':>10}{'server':>10}{'server, 100 clients':>22}"
            )
            for name, operation in OPERATIONS.items():
                local = least(operation, None, 1, 20_000, server.url)
                remote = least(operation, shared, 1, 1_000, server.url)
                many = least(operation, shared, 100, 50, server.url)
                print(f"{name:<18}{local:>10.2f}{remote:>10.1f}{many:>22.1f}")
    print(EVE)


@contextmanager
def given(url: str) -> Iterator[str]:
    """The given server."""
    yield url


if __name__ == "__main__":
    main()
