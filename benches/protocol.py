"""What other people's protocol suites say of the switch: h2spec and slowhttptest.

python benches/protocol.py [--h2spec PROGRAM] [--slowhttptest PROGRAM]

h2spec checks HTTP/2, in clear and over TLS, as the protocol says and more strictly. slowhttptest
keeps connections open by sending little, and another client asks meanwhile. A suite that is not
installed is named, with the command that brings it, and left out. The exit status is 1 if a suite
finds more than docs/switch.md says.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import thinktime as tt

BRINGS = {
    "h2spec": "go install github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible",
    "slowhttptest": "apt-get install slowhttptest",
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
def switching(**options: object) -> Iterator[int]:
    """The port of a switch in front of one server."""
    server = Server(("127.0.0.1", 0), Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        with tt.switch(tt.System(SYSTEM), [url], client="5s", **options) as proxy:
            yield int(proxy.url.rsplit(":", 1)[1])
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


def main() -> int:
    """Run the suites that there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in BRINGS:
        parser.add_argument(f"--{name}", default=shutil.which(name), metavar="PROGRAM")
    given, found = parser.parse_args(), 0
    for name, suite in (("h2spec", h2spec), ("slowhttptest", slowhttptest)):
        program = getattr(given, name)
        if program is None:
            print(f"{name} is not installed: {BRINGS[name]}")
        else:
            found += suite(program)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
