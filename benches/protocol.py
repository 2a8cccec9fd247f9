"""What protocol suites say of the switch: h2spec, slowhttptest, and a list of smuggled requests.

python benches/protocol.py [--h2spec PROGRAM] [--slowhttptest PROGRAM]

h2spec checks HTTP/2, in clear and over TLS, as the protocol says and more strictly. slowhttptest
keeps connections open by sending little, and another client asks meanwhile. The list is that of
tests/python/test_switch_smuggling.py: requests that two readers could cut differently, each with
another one hidden in it, in front of a server that keeps all it reads, and of nginx. A suite that
is not installed is named, with the command that brings it, and left out. The exit status is 1 if a
suite finds more than docs/switch.md says.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import thinktime as tt

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "python"))

import nginx_server
from switch_servers import backends, echo
from test_switch_smuggling import HIDDEN, answered, plainly_two, requests, sound

BRINGS = {
    "h2spec": "go install github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible",
    "slowhttptest": "apt-get install slowhttptest",
    "nginx": "apt-get install nginx",
}
KNOWN = {"3.5. HTTP/2 Connection Preface"}
"""Sections with a case that fails in clear: the port speaks both versions, and answers what is no
preface by HTTP/1.1."""
SLOW = {"headers": "-H", "bodies": "-B", "ranges": "-R", "readers": "-X"}
CONNECTIONS, SECONDS = 200, 15
SYSTEM = """name = "one"
[[cluster]]
name = "web"
servers = 1
dispatch = "jsq"
[[cluster.station]]
name = "cpu"
policy = "ps"
demand = "1ms"
"""


class Answers(BaseHTTPRequestHandler):
    """Answers everything with a page of some length."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "2000")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(b"x" * 2000)

    def do_HEAD(self) -> None:
        """Answer with the head alone."""
        self.do_GET()

    def do_POST(self) -> None:
        """Answer after the body."""
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """The server behind the switch."""

    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_: object) -> None:
        """Say nothing of connections that end in the middle of an answer."""


@contextmanager
def before(url: str, **options: object) -> Iterator[str]:
    """The URL of a switch in front of this server."""
    with tt.switch(tt.System(SYSTEM), [url], client="5s", **options) as proxy:
        yield proxy.url


@contextmanager
def switching(**options: object) -> Iterator[int]:
    """The port of a switch in front of one server."""
    server = Server(("127.0.0.1", 0), Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        with before(f"http://127.0.0.1:{server.server_address[1]}", **options) as url:
            yield int(url.rsplit(":", 1)[1])
    finally:
        server.shutdown()
        server.server_close()


def certificate(folder: Path) -> dict[str, Path]:
    """A certificate for this machine, and its key."""
    files = {"certificate": folder / "own.crt", "key": folder / "own.key"}
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=127.0.0.1", "-keyout", str(files["key"]), "-out", str(files["certificate"])],
        check=True, capture_output=True,
    )  # fmt: skip
    return files


def h2spec(program: str) -> int:
    """The number of cases that fail and are not known to."""
    unknown = 0
    with tempfile.TemporaryDirectory() as folder:
        for words, options in (([], {}), (["-t", "-k"], certificate(Path(folder)))):
            for strict in ([], ["--strict"]):
                with switching(**options) as port:
                    asked = [program, "-h", "127.0.0.1", "-p", str(port), *words, *strict]
                    done = subprocess.run(asked, capture_output=True, text=True, check=False)
                counts = re.search(r"(\d+) tests, (\d+) passed, .*?(\d+) failed", done.stdout)
                if counts is None:
                    raise SystemExit(f"h2spec says nothing that is known:\n{done.stdout[-2000:]}")
                unknown += max(0, int(counts[3]) - (0 if words else len(KNOWN)))
                name = " ".join(["TLS" if words else "in clear", *strict])
                print(f"h2spec, {name}: {counts[2]} of {counts[1]}", flush=True)
                if int(counts[3]):
                    print(done.stdout.partition("Failures:")[2].rstrip(), flush=True)
    return unknown


def slowhttptest(program: str) -> int:
    """The number of attacks during which another client is not served."""
    lost = 0
    for name, option in SLOW.items():
        with switching() as port:
            url = f"http://127.0.0.1:{port}/"
            asked = [program, option, "-c", str(CONNECTIONS), "-r", str(CONNECTIONS), "-l",
                     str(SECONDS), "-i", "2", "-u", url]  # fmt: skip
            slow = subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            served = 0
            while slow.poll() is None:
                with urllib.request.urlopen(url, timeout=10) as answer:
                    served += answer.status == 200
            lost += served == 0
            print(f"slowhttptest, slow {name}: {served} requests of another client served")
    return lost


def smuggling(url: str, name: str, hidden: Callable[[], int]) -> int:
    """The hidden requests that reach this server; ``hidden`` counts those that it has read."""
    asked = [one for one in requests() if not plainly_two(one)]
    with before(url) as proxy:
        with ThreadPoolExecutor(8) as several:
            list(several.map(lambda one: answered(proxy, one), asked))
        found = hidden()
        answered(proxy, b"GET /shown HTTP/1.1\r\nHost: a\r\n\r\n" + HIDDEN)
        if hidden() != found + 1:
            raise SystemExit(f"smuggling, {name}: the server does not say what it reads")
    print(f"smuggling, {name}: {found} of {len(asked)} hidden requests were read", flush=True)
    return found


def recorded() -> int:
    """The same, of a server that keeps the head of each request."""
    with backends(echo) as servers:
        hidden = smuggling(servers[0].url, "before our own server",
                           lambda: servers[0].targets.count("/hidden"))  # fmt: skip
        # Only the one that was sent in plain sight may be there.
        servers[0].heads[:] = [one for one in servers[0].heads if " /hidden " not in one]
        return hidden + (not sound(servers[0]))


def with_nginx() -> int:
    """The same, of nginx, by its log."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "access.log"
        settings = {"http": f"access_log {log};", "locations": 'location / { return 200 "ok"; }'}
        with nginx_server.serving(Path(folder), **settings) as place:
            counted = partial(_hidden, log)
            return smuggling(f"http://{place}", "before nginx", counted)


def _hidden(log: Path) -> int:
    return log.read_text().count("/hidden")


def main() -> int:
    """Run the suites that there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("h2spec", "slowhttptest"):
        parser.add_argument(f"--{name}", default=shutil.which(name), metavar="PROGRAM")
    given, found = parser.parse_args(), 0
    for name, suite in (("h2spec", h2spec), ("slowhttptest", slowhttptest)):
        program = getattr(given, name)
        if program is None:
            print(f"{name} is not installed: {BRINGS[name]}")
        else:
            found += suite(program)
    found += recorded()
    if nginx_server.NGINX is None:
        print(f"nginx is not installed: {BRINGS['nginx']}")
    else:
        found += with_nginx()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
