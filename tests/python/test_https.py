"""`run` over TLS and HTTP/2, against nginx and against a server of Python's own."""

from __future__ import annotations

import http.server
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import cases
import pytest
from nginx_server import serving

import thinktime as tt

OPENSSL = shutil.which("openssl")

WORKLOAD = 'model = "closed"\nclients = 10\n[session]\nthink = "exp(5ms)"'


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    """An nginx that speaks HTTP/2 without TLS."""
    with serving(tmp_path, speaks=" http2") as address:
        yield f"h2c://{address}"


@pytest.fixture
def untrusted(tmp_path: Path) -> Iterator[str]:
    """A TLS server with a certificate that nobody vouches for."""
    if OPENSSL is None:
        pytest.skip("the system package openssl is not installed")
    certificate, key = tmp_path / "own.crt", tmp_path / "own.key"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subject += ["-addext", "basicConstraints=critical,CA:FALSE"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    make = [OPENSSL, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*make, *subject, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    class Server(http.server.ThreadingHTTPServer):
        def get_request(self) -> tuple[ssl.SSLSocket, tuple[str, int]]:
            raw, address = self.socket.accept()
            # The handshake is left to the thread of the connection.
            stream = context.wrap_socket(raw, server_side=True, do_handshake_on_connect=False)
            return stream, address

        def handle_error(self, request: object, client_address: object) -> None:
            """Clients that leave in the handshake are what this server is for."""

    with Server(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"https://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_http2_is_spoken_over_tcp(nginx: str) -> None:
    workload = cases.workload(
        WORKLOAD,
        requests='[[request]]\nname = "good"\nget = "/index.html"\n'
        '[[request]]\nname = "bad"\nget = "/missing"\n',
    )
    summary = tt.run(workload, nginx, requests=1000).summary
    assert summary["requests"] == 1000
    # nginx closes each connection after 100 requests: that is no error.
    assert summary["errors_by_kind"] == {"status": summary["errors"]}
    assert 380 < summary["errors"] < 620


def test_a_certificate_that_nobody_vouches_for_is_counted(untrusted: str) -> None:
    result = tt.run(cases.workload(WORKLOAD), untrusted, requests=50)
    assert result.summary["errors_by_kind"] == {"tls_certificate": 50}
    assert result.untrusted == "every request failed"


def test_any_certificate_is_taken_where_that_is_wanted(untrusted: str, tmp_path: Path) -> None:
    workload = cases.workload(WORKLOAD, requests='[[request]]\nname = "list"\nget = "/"\n')
    for options in ({"insecure": True}, {"ca_file": tmp_path / "own.crt"}):
        summary = tt.run(workload, untrusted, requests=50, **options).summary
        assert summary["errors"] == 0, summary["errors_by_kind"]


@pytest.mark.parametrize("options", [{"insecure": True}, {"ca_file": "own.crt"}])
def test_certificates_go_with_tls(options: dict) -> None:
    with pytest.raises(tt.InputError, match="https or wss target only"):
        tt.run(cases.workload(WORKLOAD), "http://127.0.0.1:1", requests=1, **options)


def test_other_schemes_are_refused_with_the_right_form() -> None:
    with pytest.raises(tt.InputError, match="https or h2c"):
        tt.run(cases.workload(WORKLOAD), "ftp://127.0.0.1:1", requests=1)
