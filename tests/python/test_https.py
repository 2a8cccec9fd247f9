"""`run` over TLS and HTTP/2, against nginx and against a server of Python's own."""

from __future__ import annotations

import http.server
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cases
import pytest
from nginx_server import serving
from real_runs import HttpServer

import thinktime as tt

OPENSSL = shutil.which("openssl")

WORKLOAD = 'model = "closed"\nclients = 10\n[session]\nthink = "exp(5ms)"'


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    """An nginx that speaks HTTP/2 without TLS."""
    with serving(tmp_path, speaks=" http2") as address:
        yield f"h2c://{address}"


def make_certificate(folder: Path, name: str) -> None:
    """A certificate for this machine that nobody vouches for, NAME.crt, and its key, NAME.key."""
    if OPENSSL is None:
        pytest.skip("the system package openssl is not installed")
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subject += ["-addext", "basicConstraints=critical,CA:FALSE"]
    files = ["-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.crt")]
    make = [OPENSSL, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*make, *subject, *files], check=True, capture_output=True)


@contextmanager
def tls_server(folder: Path, wanting: bool = False) -> Iterator[str]:
    """A TLS server; one that is `wanting` takes only clients that have its own certificate."""
    make_certificate(folder, "own")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "own.crt", folder / "own.key")
    if wanting:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(folder / "own.crt")

    class Server(HttpServer):
        def get_request(self) -> tuple[ssl.SSLSocket, tuple[str, int]]:
            raw, address = self.socket.accept()
            # The handshake is left to the thread of the connection.
            stream = context.wrap_socket(raw, server_side=True, do_handshake_on_connect=False)
            return stream, address

    with Server(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"https://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def untrusted(tmp_path: Path) -> Iterator[str]:
    """A TLS server with a certificate that nobody vouches for."""
    with tls_server(tmp_path) as url:
        yield url


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
    assert result.untrusted == "every request failed: tls_certificate"
    advice = [one for one in result.summary["warnings"] if one.startswith("tls_certificate: ")]
    assert len(advice) == 1
    assert "--ca FILE" in advice[0]
    assert "--insecure" in advice[0]


def test_any_certificate_is_taken_where_that_is_wanted(untrusted: str, tmp_path: Path) -> None:
    workload = cases.workload(WORKLOAD, requests='[[request]]\nname = "list"\nget = "/"\n')
    for options in ({"insecure": True}, {"ca_file": tmp_path / "own.crt"}):
        summary = tt.run(workload, untrusted, requests=50, **options).summary
        assert summary["errors"] == 0, summary["errors_by_kind"]


@pytest.mark.parametrize(
    "options",
    [{"insecure": True}, {"ca_file": "own.crt"}, {"certificate": "own.crt"}, {"key": "own.key"}],
)
def test_certificates_go_with_tls(options: dict) -> None:
    with pytest.raises(tt.InputError, match="https, wss or h3 target, or one of postgresql"):
        tt.run(cases.workload(WORKLOAD), "http://127.0.0.1:1", requests=1, **options)


def test_other_schemes_are_refused_with_the_right_form() -> None:
    with pytest.raises(tt.InputError, match="https, h2c or h3"):
        tt.run(cases.workload(WORKLOAD), "ftp://127.0.0.1:1", requests=1)


def test_a_certificate_is_shown_to_a_server_that_wants_one(tmp_path: Path) -> None:
    with tls_server(tmp_path, wanting=True) as url:
        trusted = {"ca_file": tmp_path / "own.crt", "requests": 20}
        shown = {"certificate": tmp_path / "own.crt", "key": tmp_path / "own.key"}
        workload = cases.workload(WORKLOAD)
        alone = tt.run(workload, url, **trusted).summary
        assert alone["errors_by_kind"] == {"tls_client_certificate": 20}
        assert any("--certificate FILE" in one for one in alone["warnings"])
        done = tt.run(workload, url, **trusted, **shown, output=tmp_path / "result")
        assert done.summary["errors"] == 0, done.summary["errors_by_kind"]
        noted = (tmp_path / "result" / "run.toml").read_text()
        assert str(tmp_path / "own.key") in noted
        assert "PRIVATE" not in noted
        again = tt.again(tmp_path / "result", requests=5)
        assert again.summary["errors"] == 0


@pytest.mark.parametrize(
    ("certificate", "key", "said"),
    [
        ("missing.crt", "own.key", r"the certificate file .*missing\.crt: "),
        ("own.key", "own.key", "holds no certificate in PEM form"),
        ("own.crt", "missing.key", r"the key file .*missing\.key: "),
        ("own.crt", None, "holds no private key in PEM form"),
        ("own.crt", "locked.key", "its key is encrypted"),
        ("own.crt", "other.key", "is not that of the certificate"),
    ],
)
def test_what_is_wrong_with_a_certificate_or_key_is_said(
    tmp_path: Path, certificate: str, key: str | None, said: str
) -> None:
    make_certificate(tmp_path, "own")
    make_certificate(tmp_path, "other")
    locked = [OPENSSL, "pkey", "-in", tmp_path / "own.key", "-aes128", "-passout", "pass:xyzzy"]
    subprocess.run([*locked, "-out", tmp_path / "locked.key"], check=True, capture_output=True)
    with pytest.raises(tt.InputError, match=said):
        tt.run(
            cases.workload(WORKLOAD), "https://127.0.0.1:1", requests=1,
            certificate=tmp_path / certificate, key=None if key is None else tmp_path / key,
        )  # fmt: skip
