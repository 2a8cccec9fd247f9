"""`run` over HTTP/3, against a server of the package aioquic."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import cases
import polars
import pytest
from ports import free_port

pytest.importorskip("aioquic", reason="the server is one of the package aioquic")

from quic_restarts import restarting
from quic_server import EVENT_GAP_S, Site, falling_silent, losing, of_another_version, quic_server
from test_https import make_certificate

import thinktime as tt

CLOSED = 'model = "closed"\nclients = {}\n[session]\nthink = "const(1ms)"\n'


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    for name in ("own", "other"):
        make_certificate(folder, name)
    return folder


@pytest.fixture
def site(files: Path) -> Iterator[Site]:
    with quic_server(files / "own.crt", files / "own.key") as site:
        yield site


def workload(*paths: str, clients: int = 4, more: str = "") -> tt.Workload:
    """Clients that ask for these paths, one as often as another."""
    requests = [f'[[request]]\nname = "{path}"\nget = "{path}"\n{more}' for path in paths]
    return cases.workload(CLOSED.format(clients), requests="\n".join(requests))


def test_bodies_of_all_sizes_come_and_go(site: Site, tmp_path: Path) -> None:
    sizes = (0, 100, 100_000, 5_000_000)
    text = ""
    for size in sizes:
        (tmp_path / f"{size}.txt").write_bytes(b"y" * size)
        text += f'[[request]]\nname = "get-{size}"\nget = "/size/{size}"\n'
        text += f'[[request]]\nname = "post-{size}"\npost = "/size/{size}"\n'
        text += f'body_file = "{tmp_path}/{size}.txt"\n'
    run = cases.workload(CLOSED.format(3), requests=text)
    # The server is slow: 5 MB take it a second or so.
    result = tt.run(run, site.url, requests=32, insecure=True, drain=60)
    assert (result.summary["requests"], result.summary["errors"]) == (32, 0)
    rows = polars.DataFrame(result.requests)
    assert len(rows) == len(site.asked)
    assert rows["status"].unique().to_list() == [200]
    assert all(not body or body == int(path.rpartition("/")[2]) for _, path, body in site.asked)
    assert {method for method, _, _ in site.asked} == {"GET", "POST"}
    names = rows["name"].cast(str)
    for size in sizes:
        asked = {f"get-{size}", f"post-{size}"}
        own = rows.filter(names.is_in(asked))
        got = own["bytes_received"]
        # Frames have heads: some fields, and at most 9 bytes for each of the server's.
        assert ((got > size) & (got < size + 200)).all(), (size, got)
        assert (own["first_byte_ns"] >= own["sent_ns"]).all()
        posts = rows.filter(names == f"post-{size}")["bytes_sent"]
        assert ((posts > size) & (posts < size + 200)).all(), (size, posts)


def test_the_servers_own_time_is_kept(site: Site) -> None:
    result = tt.run(workload("/timed/2", "/size/10"), site.url, requests=60, insecure=True)
    rows = polars.DataFrame(result.requests)
    timed = rows["name"].cast(str) == "/timed/2"
    assert rows.filter(timed)["server_time_s"].unique().to_list() == pytest.approx([0.0035])
    assert rows.filter(~timed)["server_time_s"].is_null().all()
    assert result.summary["server_timed"] == timed.sum() > 0


def test_events_of_a_stream_have_their_times(site: Site) -> None:
    run = workload("/events/4", clients=20, more='stream = "sse"\n')
    result = tt.run(run, site.url, requests=60, insecure=True)
    rows = polars.DataFrame(result.requests)
    assert (result.summary["errors"], result.summary["events"]) == (0, 240)
    assert (rows["events"] == 4).all()
    # Three gaps before the last event, and one before the end.
    whole_s = (rows["done_ns"] - rows["scheduled_ns"]) * 1e-9
    assert (whole_s >= 4 * EVENT_GAP_S).all()
    # A client that is late for the first event of a response is not so for half of them.
    after_s = (whole_s - rows["first_event_s"]).median()
    assert isinstance(after_s, float)
    assert after_s >= 3 * EVENT_GAP_S
    broken = workload("/reset", clients=2, more='stream = "sse"\n')
    kinds = tt.run(broken, site.url, requests=4, insecure=True).summary["errors_by_kind"]
    assert kinds == {"stream_reset": 4}, "no event came before"


def test_one_connection_carries_many_requests_at_once(site: Site) -> None:
    run = workload("/size/10", clients=80)
    summary = tt.run(run, site.url, requests=1500, insecure=True).summary
    assert (summary["requests"], summary["errors"]) == (1500, 0)
    assert site.connections == summary["generator"]["connections_max"] == 1
    assert site.headers[0][":scheme"] == "https"
    assert site.headers[0][":authority"] == site.url.removeprefix("h3://")


def test_more_clients_than_a_connection_takes_have_several(site: Site) -> None:
    summary = tt.run(workload("/late", clients=300), site.url, requests=600, insecure=True).summary
    assert (summary["requests"], summary["errors"]) == (600, 0)
    assert 3 <= site.connections <= 6


@pytest.mark.parametrize("streams", [1, 2, 10])
def test_a_server_may_allow_few_requests_at_once(site: Site, streams: int) -> None:
    site.streams = streams
    run = workload("/size/10", clients=50)
    summary = tt.run(run, site.url, requests=500, insecure=True).summary
    assert (summary["requests"], summary["errors"]) == (500, 0), summary["errors_by_kind"]
    assert site.connections > 1


@pytest.mark.parametrize("how", ["per-session", "per-request"])
def test_connections_are_used_as_long_as_is_said(site: Site, how: str) -> None:
    text = CLOSED.format(2) + f'[clients]\nconnections = "{how}"\n'
    requests = '[[request]]\nname = "a"\nget = "/size/10"\n'
    run = cases.workload(text, requests=requests)
    summary = tt.run(run, site.url, requests=20, insecure=True).summary
    assert (summary["requests"], summary["errors"]) == (20, 0)
    assert site.connections == (2 if how == "per-session" else len(site.asked))


def test_responses_of_other_kinds_are_read(site: Site) -> None:
    text = "\n".join(
        f'[[request]]\nname = "{name}"\n{name.split("-")[0]} = "{path}"\n'
        for name, path in (
            ("head-1", "/size/5000"),
            ("get-1", "/status/204"),
            ("get-2", "/status/304"),
            ("get-3", "/interim"),
            ("get-4", "/status/404"),
        )
    )
    run = cases.workload(CLOSED.format(2), requests=text)
    result = tt.run(run, site.url, requests=60, insecure=True)
    rows = polars.DataFrame(result.requests)
    found = {
        name: set(rows.filter(rows["name"].cast(str) == name)["status"])
        for name in ("head-1", "get-1", "get-2", "get-3", "get-4")
    }
    wanted = {"head-1": 200, "get-1": 204, "get-2": 304, "get-3": 200, "get-4": 404}
    assert found == {name: {status} for name, status in wanted.items()}
    assert set(result.summary["errors_by_kind"]) == {"status"}
    assert site.connections == 1


def test_checks_cookies_and_redirects_are_those_of_other_versions(site: Site) -> None:
    text = CLOSED.format(2) + "cookies = true\nredirects = 1\n"
    requests = (
        '[[request]]\nname = "moved"\nget = "/moved/20"\nheaders = { X-Who = "me" }\n'
        '[request.checks]\nbody = { of = "body", is = "xxxxxxxxxxxxxxxxxxxx" }\n'
        'length = { of = "header:Content-Length", is = "20" }\n'
    )
    summary = tt.run(
        cases.workload(text, requests=requests), site.url, requests=20, insecure=True
    ).summary
    passed = {"passed": 20, "failed": 0}
    assert (summary["errors"], summary["checks"]) == (0, {"body": passed, "length": passed})
    followed = [head for head in site.headers if head[":path"] == "/size/20"]
    assert len(followed) == 20
    assert all(head["cookie"] == "tea=green" and head["x-who"] == "me" for head in followed)


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("/reset", "stream_reset"),
        ("/reject", "stream_refused"),
        ("/close", "closed"),
        ("/wrong-length", "http3_malformed"),
        ("/garbage", "http3_protocol"),
    ],
)
def test_what_a_server_does_wrong_is_counted(site: Site, path: str, word: str) -> None:
    run = workload(path, clients=1)
    summary = tt.run(run, site.url, requests=5, insecure=True).summary
    assert summary["errors_by_kind"] == {word: 5}


def test_others_on_the_connection_go_on(site: Site) -> None:
    run = workload("/size/10", "/reset", "/wrong-length", clients=10)
    summary = tt.run(run, site.url, requests=300, insecure=True).summary
    kinds = summary["errors_by_kind"]
    assert set(kinds) == {"stream_reset", "http3_malformed"}
    assert summary["requests"] == 300
    assert sum(kinds.values()) == summary["errors"] < 300
    assert site.connections == 1


def test_a_server_that_goes_away_is_asked_over_another_connection(site: Site) -> None:
    """At some time one connection takes no more requests: those in progress go elsewhere."""
    run = workload("/size/10", "/goaway", clients=10)
    summary = tt.run(run, site.url, requests=100, insecure=True).summary
    assert (summary["requests"], summary["errors"]) == (100, 0), summary["errors_by_kind"]
    assert site.connections == 2
    assert len(site.asked) > 100


def test_attempts_are_given_up_and_the_connection_goes_on(site: Site) -> None:
    text = '[[request]]\nname = "good"\nget = "/size/10"\n'
    text += '[[request]]\nname = "silent"\nget = "/silence"\ntimeout = "50ms"\n'
    run = cases.workload(CLOSED.format(10), requests=text)
    result = tt.run(run, site.url, requests=100, insecure=True)
    rows = polars.DataFrame(result.requests)
    silent = rows.filter(rows["name"].cast(str) == "silent")
    assert result.summary["errors_by_kind"] == {"timeout": len(silent)}
    assert result.summary["requests"] == len(rows) == 100
    # A machine that is busy may take longer for the first handshakes.
    assert site.connections < len(silent)


def test_nobody_there_is_no_run() -> None:
    """As for other protocols, when the kernel reports that nobody takes the connection."""
    url = f"h3://127.0.0.1:{free_port(socket.SOCK_DGRAM)}"
    with pytest.raises(tt.RunError, match=f"{url} cannot be reached: Connection refused"):
        tt.run(workload("/", clients=2), url, requests=10, insecure=True)


def test_a_target_that_answers_nothing_is_no_run() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        url = f"h3://127.0.0.1:{silent.getsockname()[1]}"
        why = f"{url} cannot be reached: the handshake of QUIC had no answer within 5s"
        with pytest.raises(tt.RunError, match=why):
            tt.run(workload("/", clients=2), url, requests=10, insecure=True)
        # It received more than one request.
        silent.setblocking(False)
        assert [len(silent.recv(65536)) for _ in range(2)] == [1200, 1200]


def test_of_several_addresses_one_is_used_that_answers(site: Site) -> None:
    host = site.url.removeprefix("h3://")
    resolve = [f"shop.test:{host.rpartition(':')[2]}:127.0.0.9,127.0.0.1"]
    target = f"h3://{resolve[0].rpartition(':')[0]}"
    summary = tt.run(
        workload("/size/10", clients=1), target, requests=4, insecure=True, resolve=resolve
    ).summary
    # New connections take the addresses in turn, including the one without a server.
    assert summary["requests"] == 4
    assert set(summary["errors_by_kind"]) <= {"refused"}
    assert site.connections >= 1


def test_a_handshake_that_nobody_answers_may_be_ended_by_a_timeout() -> None:
    with falling_silent() as url:
        run = workload("/", clients=2, more='timeout = "100ms"\n')
        summary = tt.run(run, url, requests=6, insecure=True).summary
    assert summary["errors_by_kind"] == {"timeout": 6}


def test_certificates_are_checked(site: Site, files: Path) -> None:
    run = workload("/size/10")
    strange = tt.run(run, site.url, requests=10)
    assert strange.summary["errors_by_kind"] == {"tls_certificate": 10}
    assert any("--insecure" in one for one in strange.summary["warnings"])
    known = tt.run(run, site.url, requests=10, ca_file=files / "own.crt").summary
    assert (known["requests"], known["errors"]) == (10, 0)


def test_a_certificate_is_shown_to_a_server_that_wants_one(files: Path, tmp_path: Path) -> None:
    run = workload("/size/10")

    def kinds(url: str, name: str | None, **more: object) -> tuple[int, dict[str, int], list[str]]:
        shown = {} if name is None else {"certificate": files / f"{name}.crt"}
        shown |= {} if name is None else {"key": files / f"{name}.key"}
        summary = tt.run(run, url, requests=10, ca_file=files / "own.crt", **shown, **more).summary
        return summary["requests"], summary["errors_by_kind"], summary["warnings"]

    with quic_server(files / "own.crt", files / "own.key", wanted=files / "other.crt") as site:
        *alone, said = kinds(site.url, None)
        assert alone == [10, {"tls_client_certificate": 10}]
        assert any("--certificate FILE" in one for one in said)
        assert (set(site.shown), site.asked) == ({None}, [])
        site.shown.clear()
        assert kinds(site.url, "own")[:2] == (10, {"tls_client_certificate": 10})
        assert None not in site.shown
        assert site.wanted not in site.shown
        assert site.asked == []
        site.shown.clear()
        assert kinds(site.url, "other", output=tmp_path / "result")[:2] == (10, {})
        assert set(site.shown) == {site.wanted}
        assert len(site.asked) == 10
    noted = (tmp_path / "result" / "run.toml").read_text()
    assert str(files / "other.key") in noted
    assert "PRIVATE" not in noted


def test_a_certificate_does_no_harm_where_none_is_wanted(site: Site, files: Path) -> None:
    shown = {"certificate": files / "other.crt", "key": files / "other.key"}
    summary = tt.run(workload("/size/10"), site.url, requests=10, insecure=True, **shown).summary
    assert (summary["requests"], summary["errors"]) == (10, 0)


@pytest.mark.parametrize(("method", "kinds"), [("post", {"reset": 1}), ("get", {})])
def test_a_server_that_is_started_anew_knows_nothing_of_connections(
    method: str, kinds: dict[str, int], files: Path
) -> None:
    """It ends the connection by a stateless reset. Requests in progress have failed, unless they
    may be repeated; the run continues over another connection."""
    one = f'[[request]]\nname = "one"\n{method} = "/second-kills"\n'
    run = cases.workload(CLOSED.format(1), requests=one)
    with restarting(files / "own.crt", files / "own.key") as (url, said):
        summary = tt.run(run, url, requests=8, insecure=True, drain=60).summary
    assert (summary["requests"], summary["errors_by_kind"]) == (8, kinds)
    assert set(said) == {"reset"}


def test_a_server_of_another_protocol_is_counted(files: Path) -> None:
    with quic_server(files / "own.crt", files / "own.key", alpn="hq-interop") as site:
        summary = tt.run(workload("/"), site.url, requests=10, insecure=True).summary
    assert summary["errors_by_kind"] == {"tls_handshake": 10}


def test_a_server_of_another_version_is_counted() -> None:
    with of_another_version() as url:
        summary = tt.run(workload("/"), url, requests=10, insecure=True).summary
    assert summary["errors_by_kind"] == {"quic_version": 10}


def test_a_server_that_is_gone_is_found_out(site: Site) -> None:
    """It is silent when it ends; its machine reports that nobody is there."""
    summary = tt.run(workload("/vanish", clients=1), site.url, requests=5, insecure=True).summary
    assert summary["errors_by_kind"] == {"refused": 5}


def test_a_server_that_asks_twice_is_answered_twice(files: Path) -> None:
    """A server that first verifies the client's address (RFC 9000, section 8.1.2)."""
    with quic_server(files / "own.crt", files / "own.key", retry=True) as site:
        summary = tt.run(workload("/size/10"), site.url, requests=10, insecure=True).summary
    assert (summary["requests"], summary["errors"]) == (10, 0)


def test_lost_datagrams_are_sent_again(site: Site) -> None:
    run = workload("/size/100", "/size/50000", clients=10)
    with losing(site.url, 0.05, seed=1) as (url, counts):
        summary = tt.run(run, url, requests=200, insecure=True, drain=60).summary
    lost, came = counts
    assert (summary["requests"], summary["errors"]) == (200, 0), summary["errors_by_kind"]
    assert 0 < lost < came


def test_nothing_carries_it_but_datagrams() -> None:
    run = workload("/")
    with pytest.raises(tt.InputError, match="`proxy` does not go with HTTP/3"):
        tt.run(run, "h3://127.0.0.1:1", requests=1, proxy="http://127.0.0.1:2")
    with pytest.raises(tt.InputError, match="`unix_socket` does not go with HTTP/3"):
        tt.run(run, "h3://127.0.0.1:1", requests=1, unix_socket="/run/x.sock")


def test_calls_of_grpc_are_refused() -> None:
    example = Path(__file__).resolve().parents[2] / "examples" / "grpc.toml"
    with pytest.raises(tt.InputError, match="`grpc` goes to targets of h2c or https"):
        tt.run(example, "h3://127.0.0.1:1", requests=1)
