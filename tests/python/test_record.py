"""`thinktime record`: traffic through the proxy becomes a workload, without its secrets."""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from import_results import imported, requests, table
from record_servers import Server, Visitor, certified, listening, shop

import thinktime as tt
from thinktime.importing import exchanges
from thinktime.recording import Recorder, journal

THINKTIME = Path(sys.executable).with_name("thinktime")
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
SECRETS = ("s3cr3t", "hunter2", "t0k3n", "pw1234", "b4s1c", "0tp", "p4rt")


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects on a slow machine may come late."""
    monkeypatch.setattr(exchanges, "QUIET_S", 60.0)


def visit(visitor: Visitor, think_s: float = 0.05) -> None:
    """A page with objects, another page, an order."""
    assert visitor.ask("/", Cookie="sid=s3cr3t")[0] == 200
    visitor.ask("/a.css")
    visitor.ask("/a.css")
    time.sleep(think_s)
    visitor.ask("/item/7?q={x}&token=t0k3n", Authorization="Bearer s3cr3t", X_Shop='a"] \\ {x}')
    visitor.ask("/a.css")
    order = json.dumps({"n": 2, "password": "hunter2"})
    visitor.ask("/order", "POST", order, Content_Type=JSON)


def body_of(text: str) -> str:
    """A workload file below the comment about its source."""
    return text.partition("name = ")[2]


def test_a_visit_is_a_journey_with_objects_and_think_times(
    recorder: Recorder, server: Server
) -> None:
    visit(Visitor(recorder, server.url), 1.0)
    recorder.stop()
    assert (recorder.requests, recorder.pages) == (6, 2)
    made = recorder.workload("journey")
    found, whole = requests(made), table(made)
    assert (made.kind, made.origin) == ("recording", server.url)
    assert whole["name"] == "journey"
    assert whole["arrivals"] == {"model": "partly-open", "rate": "1/s"}
    assert list(found) == ["home", "item-7", "post-order", "a-css"]
    assert found["home"]["objects"] == {"count": "2", "of": {"a-css": 2}}
    assert found["item-7"]["objects"] == {"count": "1", "of": {"a-css": 1}}
    assert [one.get("next") for one in found.values()][:3] == [
        {"item-7": 1}, {"post-order": 1}, {"end": 1},
    ]  # fmt: skip
    usual = whole["session"]["think"]
    thinks = [float(found[one].get("think", usual)[:-1]) for one in ("home", "item-7")]
    assert 0.99 <= thinks[0] <= 60
    assert thinks[1] < 0.99, "nobody thought between the page and the order"
    assert whole["session"]["cookies"] is True
    assert found["item-7"]["get"] == "/item/7?q=%7Bx%7D&token=REMOVED"
    assert found["item-7"]["headers"]["X-Shop"] == 'a"] \\ {x}'
    assert found["post-order"]["json"] == {"n": 2, "password": "REMOVED"}


def test_what_was_recorded_runs_against_the_server(recorder: Recorder, server: Server) -> None:
    visit(Visitor(recorder, server.url), 0.0)
    recorder.stop()
    made = recorder.workload("journey")
    before = len(server.seen)
    workload = tt.Workload(made.text.replace('rate  = "1/s"', 'rate  = "40/s"'))
    summary = tt.run(workload, made.origin, requests=60).summary
    assert summary["errors"] == 0, summary["errors_by_kind"]
    assert {one.path for one in server.seen[before:]} >= {"/", "/a.css", "/order"}


def test_https_is_recorded_as_http_is(tmp_path: Path) -> None:
    context, ca = certified(tmp_path)
    with shop(context) as server, Recorder("127.0.0.1:0", ca_file=ca) as recorder:
        visitor = Visitor(recorder, server.url)
        visit(visitor)
        assert isinstance(visitor.connection.sock, ssl.SSLSocket)
        assert visitor.connection.sock.selected_alpn_protocol() == "http/1.1"
        recorder.stop()
        made = recorder.workload("journey")
        assert made.origin == server.url
        assert list(requests(made)) == ["home", "item-7", "post-order", "a-css"]
        workload = tt.Workload(made.text.replace('rate  = "1/s"', 'rate  = "40/s"'))
        summary = tt.run(workload, made.origin, requests=20, ca_file=ca).summary
        assert summary["errors"] == 0, summary["errors_by_kind"]


def test_a_recording_becomes_what_its_har_becomes(recorder: Recorder, server: Server) -> None:
    visitor = Visitor(recorder, server.url)
    visit(visitor, 0.05)
    visitor.ask("/in", "POST", "user=ann&passwd=pw1234", Content_Type=FORM, Referer="/?otp=0tp")
    visitor.ask("/big", "POST", "x" * 300_000, Content_Type="text/plain")
    visitor.ask("/picture", "PUT", b"\x89PNG\xff", Content_Type="image/png")
    visitor.ask("/packed", "PUT", b"looks like text", Content_Encoding="br")
    parts = (
        '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\né\r\n'
        '--b\r\nContent-Disposition: form-data; name="secret"\r\n\r\np4rt\r\n'
        '--b\r\nContent-Disposition: form-data; name="f"; filename="x.png"\r\n\r\n'
    ).encode() + b"\xff\r\n--b--\r\n"
    visitor.ask("/up", "POST", parts, Content_Type="multipart/form-data; boundary=b")
    recorder.stop()
    made, har = recorder.workload("journey"), recorder.har()
    again = imported(har, "journey.har", "har")
    assert body_of(made.text) == body_of(again.text)
    assert list(made.notes) == list(again.notes)
    found = requests(made)
    assert found["post-up"]["multipart"] == {"a": "é", "secret": "REMOVED"}
    assert found["post-in"]["form"] == {"user": "ann", "passwd": "REMOVED"}
    notes = "\n".join(made.notes)
    assert "300000 bytes is not in the recording" in notes
    assert "1 more: the body is left out: it is no text" in notes
    assert "body" not in found["put-packed"]
    assert "files of the form" in notes
    for secret in SECRETS:
        assert secret not in har + made.text + notes


def test_secrets_are_neither_in_the_workload_nor_in_the_har(
    recorder: Recorder, server: Server
) -> None:
    visitor = Visitor(recorder, server.url)
    long = {"a": None, "fill": ["x" * 60] * 100, "login": {"password": "hunter2"}}
    long["tokens"] = ["t0k3n"]
    visitor.ask("/long", "POST", json.dumps(long), Content_Type=JSON)
    twice = '{"password": "hunter2", "password": 5, "a": {"secret": "s3cr3t"}, "a": 1}'
    visitor.ask("/twice", "POST", twice, Content_Type="text/plain")
    visitor.ask("/form", "POST", "a=1&a=2&otp=0tp&token", Content_Type=FORM)
    visitor.ask("/?api_key=t0k3n", Authorization="Basic b4s1c", X_Api_Key="s3cr3t pw1234")
    visitor.ask("/", Proxy_Authorization="Basic b4s1c", Cookie="sid=s3cr3t")
    recorder.stop()
    made, har = recorder.workload("w"), recorder.har()
    for secret in SECRETS:
        assert secret not in har + made.text + "".join(made.notes)
    assert any('basic = "env:USER_AND_PASSWORD"' in note for note in made.notes)
    assert not any("Proxy-Authorization" in one.headers for one in server.seen)
    # The server still receives them: only the files lack them.
    assert b"hunter2" in server.seen[0].body
    assert server.seen[3].headers["Authorization"] == "Basic b4s1c"
    loaded = requests(made)["post-long"]
    assert json.loads(loaded["body"])["login"] == {"password": "REMOVED"}


def test_calls_of_an_interface_are_steps_and_no_objects(recorder: Recorder, server: Server) -> None:
    visitor = Visitor(recorder, server.url)
    for target in ("/api", "/api?page=2", "/api?page=3"):
        visitor.ask(target)
    recorder.stop()
    found = requests(recorder.workload("w"))
    assert [one.get("next") for one in found.values()] == [
        {"api-2": 1}, {"api-3": 1}, {"end": 1},
    ]  # fmt: skip
    assert not any("objects" in one for one in found.values())


def test_frames_and_missing_images_are_no_pages(recorder: Recorder, server: Server) -> None:
    visitor = Visitor(recorder, server.url)
    visitor.ask("/", Sec_Fetch_Dest="document")
    visitor.ask("/frame", Sec_Fetch_Dest="iframe")
    visitor.ask("/missing.png", Sec_Fetch_Dest="image")
    visitor.ask("/order", "POST", "n=1", Sec_Fetch_Dest="empty")
    visitor.ask("/favicon.ico", Sec_Fetch_Dest="image")
    visitor.ask("/api", Sec_Fetch_Dest="empty")
    recorder.stop()
    assert recorder.pages == 1
    found = requests(recorder.workload("w"))
    assert found["home"]["objects"]["count"] == "2"
    assert found["post-order"]["objects"]["of"] == {"favicon-ico": 1}
    assert found["post-order"]["next"] == {"api": 1}


def test_objects_over_several_connections_are_of_one_page(
    recorder: Recorder, server: Server
) -> None:
    Visitor(recorder, server.url).ask("/")
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(Visitor(recorder, server.url).ask, f"/api?n={n}") for n in range(60)]
        assert {one.result() for one in asked} == {(200, b"{}")}
    recorder.stop()
    assert requests(recorder.workload("w"))["home"]["objects"]["count"] == "60"


def test_only_targets_are_recorded_and_others_not_looked_into(tmp_path: Path) -> None:
    context, ca = certified(tmp_path)
    with (
        shop() as server,
        shop(context) as other,
        Recorder("127.0.0.1:0", targets=[server.url], ca_file=ca) as recorder,
    ):
        Visitor(recorder, server.url).ask("/")
        # It sees the certificate of the server itself.
        assert Visitor(recorder, other.url, authority=ca).ask("/a.css") == (200, b"a{}")
        with shop() as third:
            assert Visitor(recorder, third.url).ask("/a.css") == (200, b"a{}")
        recorder.stop()
        assert recorder.requests == 1
        assert recorder.passed_by == [other.url[8:], third.url[7:]]
        assert other.url not in recorder.har()


@pytest.mark.parametrize("target", ["", "http://", "shop/x", "ftp://shop", "shop:99999", "a b"])
def test_a_target_that_is_none_is_named(target: str) -> None:
    with pytest.raises(tt.InputError, match="write a host, as in"):
        Recorder("127.0.0.1:0", targets=[target])


@pytest.mark.parametrize("listen", ["8899", "127.0.0.1:x", "127.0.0.1:99999", ":80"])
def test_a_place_that_is_none_is_named(listen: str) -> None:
    with pytest.raises(tt.InputError, match="of the form HOST:PORT"):
        Recorder(listen)


def test_a_place_that_is_taken_is_named(recorder: Recorder) -> None:
    place = recorder.url.removeprefix("http://")
    with pytest.raises(tt.RunError, match=f"cannot listen on {place}: "), Recorder(place):
        pass
    with pytest.raises(tt.RunError, match="its name is no host name"), Recorder("a..b:0"):
        pass


def test_what_there_is_no_room_for_is_counted(
    recorder: Recorder, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "BYTES_MAX", 3000)
    visitor = Visitor(recorder, server.url)
    for _ in range(5):
        assert visitor.ask("/a.css")[0] == 200
    recorder.stop()
    assert (recorder.requests, recorder.lost) == (2, 3)


# ---- the authority


def test_an_authority_is_kept_where_that_is_wanted(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    with Recorder("127.0.0.1:0", authority=folder) as first:
        made = first.authority.read_bytes()
        assert first.authority == folder / "authority.pem"
    key = folder / "authority.key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    with Recorder("127.0.0.1:0", authority=folder) as second:
        assert second.authority.read_bytes() == made
        assert second.key_hash == first.key_hash
    key.chmod(0o644)
    with pytest.raises(tt.InputError, match="others may read it"):
        Recorder("127.0.0.1:0", authority=folder)
    key.unlink()
    with pytest.raises(tt.InputError, match=r"authority\.key: is missing"):
        Recorder("127.0.0.1:0", authority=folder)


def test_an_authority_that_is_not_whole_or_not_ours_is_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        Recorder("127.0.0.1:0", authority=tmp_path / name).stop()
    other = (tmp_path / "two" / "authority.key").read_text()
    (tmp_path / "one" / "authority.key").write_text(other)
    with pytest.raises(tt.InputError, match=r"is not the key of authority\.pem"):
        Recorder("127.0.0.1:0", authority=tmp_path / "one")
    now = int(time.time())
    for name, until_s, why in (
        ("somebody", now + 1_000_000, "is no certificate that"),
        ("Thinktime recording old", now + 60, "is no longer valid"),
    ):
        pair = tt._core.certificate_authority(name, now - 60, until_s)
        for file, text in zip(("authority.pem", "authority.key"), pair, strict=True):
            (tmp_path / "two" / file).write_text(text)
        with pytest.raises(tt.InputError, match=why):
            Recorder("127.0.0.1:0", authority=tmp_path / "two")


def test_without_a_folder_the_authority_is_gone_at_the_end(recorder: Recorder) -> None:
    folder = recorder.authority.parent
    assert folder.stat().st_mode & 0o077 == 0
    assert [one.name for one in folder.iterdir()] == ["authority.pem"], "no key lies about"
    recorder.stop()
    assert not folder.exists()


# ---- the command


def started(folder: Path, *options: str) -> tuple[subprocess.Popen[str], str, list[str]]:
    """The command, the URL of its proxy, and the first lines that it says."""
    process = subprocess.Popen(
        [str(THINKTIME), "record", "--listen", "127.0.0.1:0", *options],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    lines: list[str] = []
    while not any("Remove the certificate" in line for line in lines):
        line = process.stderr.readline()
        assert line, lines
        lines.append(line)
    return process, lines[0].split()[2].rstrip(";"), lines


class Told:
    """A recorder as far as a `Visitor` needs one."""

    def __init__(self, url: str, lines: list[str]) -> None:
        self.url = url
        curl = next(line for line in lines if "--cacert" in line)
        self.authority = Path(curl.split("--cacert ")[1].split()[0])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_what_was_recorded_is_written(
    number: signal.Signals, tmp_path: Path
) -> None:
    context, ca = certified(tmp_path)
    with shop(context) as server:
        process, url, lines = started(tmp_path, "-o", "journey.toml", "--har", "v.har", "--ca", ca)
        told: Any = Told(url, lines)
        visitor = Visitor(told, server.url)
        visit(visitor, 0.0)
        process.send_signal(number)
        printed, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert printed == ""
    assert "written: journey.toml" in errors
    assert "written: v.har" in errors
    assert "header `Cookie` left out" in errors
    assert tt.Workload.load(tmp_path / "journey.toml").name == "journey"
    again = subprocess.run(
        [THINKTIME, "import", "v.har"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    written = body_of((tmp_path / "journey.toml").read_text())
    assert body_of(again) == written.replace("journey", "v", 1)
    assert not told.authority.exists()
    assert "curl --proxy" in "".join(lines)
    assert "--ignore-certificate-errors-spki-list=" in "".join(lines)


def test_a_recording_of_nothing_writes_nothing(tmp_path: Path) -> None:
    process, _, _ = started(tmp_path, "-o", "journey.toml")
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert "nothing was recorded" in errors
    assert os.listdir(tmp_path) == []


def test_the_workload_goes_to_standard_output_without_a_file(tmp_path: Path) -> None:
    with shop() as server:
        process, url, lines = started(tmp_path, "--target", "127.0.0.1")
        told: Any = Told(url, lines)
        Visitor(told, server.url).ask("/")
        with listening(lambda connection: connection.recv(100)) as dead:
            assert Visitor(told, dead).ask("/")[0] == 502
        process.send_signal(signal.SIGINT)
        printed, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert tt.Workload(printed).model == "open"
    assert f"note: {dead}: the connection ended without an answer" in errors


def test_a_file_that_cannot_be_written_is_named_before_anything_is_recorded(
    tmp_path: Path,
) -> None:
    command = [str(THINKTIME), "record", "--listen", "127.0.0.1:0", "-o", "no/where.toml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "there is no folder no" in done.stderr
