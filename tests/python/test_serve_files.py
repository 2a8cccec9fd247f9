"""`serve --files`: the sent files, the refused ones, and the order of bytes."""

from __future__ import annotations

import http.client
import os
import random
import selectors
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import thinktime as tt

SIZES = {"a.html": 10, "b.bin": 70_001, "c d.txt": 1, "deep/e.css": 5000, "empty": 0}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files, with private files beside it and in it."""
    whole = tmp_path_factory.mktemp("files")
    (whole / "secret.txt").write_text("secret")
    site = whole / "site"
    (site / "deep").mkdir(parents=True)
    (site / "none").mkdir()
    generator = random.Random(1)
    for name, size in SIZES.items():
        (site / name).write_bytes(generator.randbytes(size))
    (site / "index.html").write_bytes(b"<p>home</p>")
    (site / ".password").write_text("secret")
    (site / "out").symlink_to(whole / "secret.txt")
    (site / "up").symlink_to(whole)
    (site / "in").symlink_to("b.bin")
    os.mkfifo(site / "pipe")
    return site


@contextmanager
def connected(server: tt.serve) -> Iterator[socket.socket]:
    """A connection to it."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as client:
        yield client


def asked(server: tt.serve, target: str, method: str = "GET", **headers: str) -> Any:
    """The response, read whole: status, headers and body."""
    client = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    client.request(
        method, target, headers={name.replace("_", "-"): headers[name] for name in headers}
    )
    response = client.getresponse()
    body = response.read()
    client.close()
    return response.status, response.headers, body


def test_files_are_sent_as_they_are(site: Path) -> None:
    with tt.serve(files=site) as server:
        for name in SIZES:
            status, headers, body = asked(server, "/" + name.replace(" ", "%20") + "?version=1")
            assert (status, body) == (200, (site / name).read_bytes()), name
            assert headers["Content-Length"] == str(SIZES[name])
            assert parsedate_to_datetime(headers["Date"]).tzinfo is not None
        assert asked(server, "/a.html")[1]["Content-Type"] == "text/html; charset=utf-8"
        assert asked(server, "/")[2] == b"<p>home</p>"
        assert asked(server, "/in")[2] == (site / "b.bin").read_bytes()
        assert server.stop() == (len(SIZES) + 3, 0)


def test_heads_and_tags(site: Path) -> None:
    with tt.serve(files=site) as server:
        status, headers, body = asked(server, "/b.bin", "HEAD")
        assert (status, headers["Content-Length"], body) == (200, "70001", b"")
        tag = headers["ETag"]
        assert asked(server, "/b.bin", If_None_Match=f'"x", W/{tag}')[0] == 304
        assert asked(server, "/b.bin", If_None_Match='"x"')[0] == 200
        assert asked(server, "/a.html")[1]["ETag"] != tag


def test_what_is_not_there_or_not_ones_own_is_refused(site: Path) -> None:
    with tt.serve(files=site) as server:
        for target in (
            "/nothing", "/out", "/up/secret.txt", "/../secret.txt", "/deep/../../secret.txt",
            "/%2e%2e/secret.txt", "//etc/passwd", "/%2fetc/passwd", "/.password", "/pipe", "/none/",
            "/a.html/", "/%00", "/%zz", "/" + "x" * 5000,
        ):  # fmt: skip
            assert asked(server, target)[0] == 404, target
        assert asked(server, "/deep")[0] == 301
        assert asked(server, "/deep")[1]["Location"] == "/deep/"
        status, headers, _ = asked(server, "/a.html", "DELETE")
        assert (status, headers["Allow"]) == (405, "GET, HEAD")
        assert asked(server, "/a.html")[0] == 200


def test_what_is_no_request_is_told_so_after_what_was_one(site: Path) -> None:
    with tt.serve(files=site) as server, connected(server) as client:
        client.sendall(b"GET /a.html HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n")
        came = client.makefile("rb").read()
        assert came.startswith(b"HTTP/1.1 200 OK")
        assert came.count(b"HTTP/1.1 ") == 2
        assert b"HTTP/1.1 400 Bad Request" in came


def test_answers_come_in_order_to_who_asks_ahead_and_says_no_more(site: Path) -> None:
    with tt.serve(files=site, policy="srpt") as server, connected(server) as client:
        targets = ["/b.bin", "/a.html", "/deep/e.css"] * 20
        client.sendall(
            "".join(f"GET {one} HTTP/1.1\r\nHost: a\r\n\r\n" for one in targets).encode()
        )
        client.shutdown(socket.SHUT_WR)
        with client.makefile("rb") as reader:
            for target in targets:
                response = http.client.HTTPResponse(_Read(reader))  # type: ignore[arg-type]
                response.begin()
                assert response.read() == (site / target[1:]).read_bytes()
            assert reader.read() == b""


def test_so_many_are_answered_to_who_asks_ahead_for_more(site: Path) -> None:
    with tt.serve(files=site) as server, connected(server) as client:
        client.sendall(b"GET /a.html HTTP/1.1\r\nHost: a\r\n\r\n" * 70)
        assert client.makefile("rb").read().count(b"HTTP/1.1 200 OK") == 64


def test_leave_to_send_a_body_comes_after_what_was_asked_before(site: Path) -> None:
    body = b"POST /a.html HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
    with tt.serve(files=site) as server, connected(server) as client:
        client.sendall(b"GET /b.bin HTTP/1.1\r\nHost: a\r\n\r\n" + body)
        with client.makefile("rb") as reader:
            response = http.client.HTTPResponse(_Read(reader))  # type: ignore[arg-type]
            response.begin()
            assert response.read() == (site / "b.bin").read_bytes()
            assert reader.readline() == b"HTTP/1.1 100 Continue\r\n"
            client.sendall(b"abc")
            assert reader.readline() == b"\r\n"
            assert reader.readline() == b"HTTP/1.1 405 Method Not Allowed\r\n"


def test_the_servers_own_address_may_stand_in_the_target(site: Path) -> None:
    with tt.serve(files=site) as server:
        assert asked(server, f"{server.url}/b.bin")[2] == (site / "b.bin").read_bytes()
        assert asked(server, "/deep?a=b")[1]["Location"] == "/deep/?a=b"


def test_who_asks_for_the_same_again_and_again_gets_alike(tmp_path: Path) -> None:
    """Of two with an equal rest the first to begin goes first: nobody is passed for ever."""
    (tmp_path / "a").write_bytes(bytes(20_000))
    answers = [0] * 8
    with tt.serve(files=tmp_path, policy="srpt", bandwidth="4MB/s") as server:

        def ask(who: int) -> None:
            client = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
            while sum(answers) < 400:
                client.request("GET", "/a")
                assert len(client.getresponse().read()) == 20_000
                answers[who] += 1
            client.close()

        threads = [threading.Thread(target=ask, args=(who,)) for who in range(len(answers))]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    # When the lowest of equal ones always went first, some got two or three.
    assert min(answers) > 400 / len(answers) / 3


class _Read:
    """The source of a response, which stays open behind it."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def makefile(self, *_: Any) -> Any:
        return _Kept(self._reader)


class _Kept:
    def __init__(self, reader: Any) -> None:
        self.read, self.readline, self.readinto = reader.read, reader.readline, reader.readinto

    def close(self) -> None: ...

    def flush(self) -> None: ...


@pytest.mark.parametrize("policy", ["fair", "srpt"])
def test_many_at_once_get_what_they_asked_for(site: Path, policy: str) -> None:
    """From several connections, in a random order, by the project's own clients."""
    requests = "".join(
        f'[[request]]\nname = "r{n}"\nget = "/{name.replace(" ", "%20")}"\n'
        for n, name in enumerate(SIZES)
    )
    workload = 'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 20\n'
    workload += '[session]\nthink = "0s"\n' + requests
    with tt.serve(files=site, policy=policy, bandwidth="40MB/s") as server:
        found = tt.run(tt.Workload(workload), server.url, requests=2000, rows="all")
        assert found.summary["errors"] == 0
        bytes_of = {f"r{n}": size for n, size in enumerate(SIZES.values())}
        rows = pl.DataFrame(found.requests)
        assert len(rows) >= 2000
        heads = {
            row["bytes_received"] - bytes_of[row["name"]] for row in rows.iter_rows(named=True)
        }
        assert min(heads) > 0
        assert max(heads) < 300


@pytest.mark.parametrize("policy", ["fair", "srpt"])
def test_whose_bytes_are_next(tmp_path: Path, policy: str) -> None:
    """The first file is well under way when a shorter one is requested.

    Sending the least remaining size lets the first wait, except for bytes in sockets; in turns both
    get equal shares.
    """
    (tmp_path / "first").write_bytes(bytes(1_000_000))
    (tmp_path / "second").write_bytes(bytes(300_000))
    with (
        tt.serve(files=tmp_path, policy=policy, bandwidth="500kB/s") as server,
        connected(server) as first,
        connected(server) as second,
    ):
        first.sendall(b"GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
        got = {first: len(first.recv(50_000)), second: 0}
        second.sendall(b"GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
        got[second] += len(second.recv(1))
        before = got[first]
        with selectors.DefaultSelector() as selector:
            for one in got:
                selector.register(one, selectors.EVENT_READ)
            while got[second] < 300_000:
                for key, _ in selector.select():
                    one = key.fileobj
                    assert isinstance(one, socket.socket)
                    got[one] += len(one.recv(65536))
        meanwhile = got[first] - before
        assert meanwhile < 60_000 if policy == "srpt" else meanwhile > 200_000


def test_who_does_not_read_is_in_nobodys_way(tmp_path: Path) -> None:
    """The socket of one with a small rest takes nothing: others continue."""
    (tmp_path / "large").write_bytes(bytes(20_000_000))
    (tmp_path / "larger").write_bytes(bytes(30_000_000))
    with tt.serve(files=tmp_path, policy="srpt") as server, connected(server) as idle:
        idle.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        assert idle.recv(1)
        assert len(asked(server, "/larger")[2]) == 30_000_000
        rest = 0
        while rest < 20_000_000:
            rest += len(idle.recv(1 << 20))


def test_a_file_that_shrinks_ends_its_connection(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(3_000_000))
    with tt.serve(files=tmp_path, bandwidth="1MB/s") as server, connected(server) as client:
        client.sendall(b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        assert client.recv(1000)
        path.write_bytes(bytes(10_000))
        while client.recv(1 << 20):
            pass
        assert asked(server, "/a")[2] == bytes(10_000)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"policy": "lifo"}, "the order of files is fair or srpt, not `lifo`"),
        ({"bandwidth": "10"}, None),
        ({"bandwidth": "fast"}, "`fast` is no rate in bytes a second"),
        ({"bandwidth": "0B/s"}, "must be above 0"),
        ({"link_class": "10"}, "`10` is no class of a link"),
        ({"listen": "nowhere"}, "`nowhere` is not of the form HOST:PORT"),
        ({"system": {"name": "a"}}, "files are served instead of a system"),
        ({"burn": True}, "files are served instead of a system"),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, given: dict[str, Any], says: str | None) -> None:
    if says is None:
        tt.serve(files=tmp_path, **given).stop()
        return
    with pytest.raises(tt.InputError, match=says.replace("(", r"\(")):
        tt.serve(files=tmp_path, **given)


def test_what_cannot_be_served_is_told(tmp_path: Path) -> None:
    with pytest.raises(tt.InputError, match="nothing to serve"):
        tt.serve()
    with pytest.raises(tt.InputError, match="go with `files`"):
        tt.serve({"station": [{"name": "a", "demand": "1ms"}]}, policy="srpt")
    with pytest.raises(tt.InputError, match="nowhere` is no folder"):
        tt.serve(files=tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(tt.InputError, match="file` is no folder"):
        tt.serve(files=tmp_path / "file")


def test_the_command_serves_until_it_is_ended(site: Path) -> None:
    command = [str(Path(sys.executable).with_name("thinktime")), "serve", "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(
        [*command, "--files", str(site), "--policy", "srpt"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().split()[2].rstrip(";")
        client = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        client.request("GET", "/a.html")
        assert client.getresponse().read() == (site / "a.html").read_bytes()
        process.send_signal(2)
        assert "answered 1 request, refused 0" in process.communicate(timeout=60)[0]
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()
