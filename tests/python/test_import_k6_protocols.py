"""Imports of scripts of k6 that speak gRPC and WebSocket."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from import_accounts import fates
from import_results import imported, requests, table

import thinktime as tt
from thinktime.importing import k6

ROOT = Path(__file__).parents[2]
GRPC = """
import grpc from 'k6/net/grpc';
import { check, sleep } from 'k6';
const client = new grpc.Client();
client.load(['protos'], 'health.proto');
export default function () {
  client.connect('h.example:50051', { plaintext: true });
BODY
  client.close();
}
"""
CHECK = "grpc.health.v1.Health/Check"


@pytest.fixture(autouse=True)
def descriptors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that `protoc` makes, beside the workload."""
    shutil.copy(ROOT / "examples" / "health.pb", tmp_path)
    monkeypatch.chdir(tmp_path)


def calls(body: str, before: str = "") -> Any:
    return imported(before + GRPC.replace("BODY", body))


def test_a_call_of_grpc_is_carried_over_with_its_metadata() -> None:
    made = calls(f"""
  const n = Math.floor(Math.random() * 10);
  const answer = client.invoke('{CHECK}', {{ service: `shop-${{n}}` }},
    {{ metadata: {{ tenant: 'north' }}, timeout: '2s' }});
  check(answer, {{ fine: (r) => r && r.status === grpc.StatusOK,
    serves: (r) => r.message.status === 'SERVING' }});
  sleep(3);""")
    assert made.origin == "h2c://h.example:50051"
    assert requests(made)["Check"] == {
        "name": "Check", "grpc": CHECK, "descriptors": "health.pb", "timeout": "2s",
        "message": {"service": "shop-{uniform(0, 9)}"}, "headers": {"tenant": "north"},
        "checks": {
            "fine": {"of": "header:grpc-status", "is": "0"},
            "serves": {"of": "json:$.status", "is": "SERVING"},
        },
    }  # fmt: skip
    assert table(made)["session"] == {"think": "3s"}
    assert [note.partition(":")[0] for note in made.notes] == ["line 5"]
    assert "protoc --include_imports --descriptor_set_out=health.pb health.proto" in made.notes[0]


def exchanges(text: str) -> list[dict[str, Any]]:
    """What a script sends, without the check of messages by the descriptors of examples."""
    draft = k6.draft(text, "source", "source")
    return [one.exchange | {"headers": one.headers} for one in draft.populations[0].requests]


@pytest.mark.parametrize(
    ("writes", "message"),
    [
        ([], {}),
        (["{ service: 'a' }"], {"service": "a"}),
        (["{ service: 'a' }", "{ service: 'b' }"], [{"service": "a"}, {"service": "b"}]),
        (["{ a: null }"], '{"a": null}'),
    ],
)
def test_the_messages_of_a_stream_are_one_call(writes: list[str], message: object) -> None:
    body = f"const s = new grpc.Stream(client, '{CHECK}');\ns.on('data', () => {{}});\n"
    body += "".join(f"s.write({one});\n" for one in writes) + "s.end();"
    assert [one["message"] for one in exchanges(GRPC.replace("BODY", body))] == [message]


def test_secrets_of_messages_and_of_metadata_are_removed() -> None:
    held = "{ password: 's3cret' }, { metadata: { Authorization: 'Bearer s3cret', a: 'b' } }"
    (sent,) = exchanges(GRPC.replace("BODY", f"client.invoke('{CHECK}', {held});"))
    assert sent["message"] == {"password": "REMOVED"}
    assert sent["headers"] == {"a": "b"}


SOCKET = """
import ws from 'k6/ws';
export default function () {
  ws.connect('ws://h.example/chat?room=1', { headers: { 'X-A': 'b' } }, (socket) => {
BODY
  });
}
"""
BROWSER = """
import { WebSocket } from 'k6/websockets';
export default function () {
  const socket = new WebSocket('wss://h.example:8443/chat');
BODY
}
"""


def test_each_text_of_a_socket_is_a_request_with_the_waits_after_it() -> None:
    made = imported(
        SOCKET.replace(
            "BODY",
            """
    socket.on('open', () => {
      socket.send('hello');
      socket.setInterval(() => { socket.send('beat'); }, 1500);
    });
    socket.on('message', (data) => { socket.send('thanks'); });
    socket.setTimeout(() => { socket.close(); }, 4000);""",
        )
    )
    assert made.origin == "ws://h.example/chat?room=1"
    found = table(made)
    assert [one["send"] for one in found["request"]] == ["hello", "beat", "thanks"]
    assert [one.get("think", "0s") for one in found["request"]] == ["0s", "1.5s", "4s"]
    assert found["clients"] == {"connections": "per-session", "headers": {"X-A": "b"}}
    assert set(found["session"]) == {"think"}, "cookies are of HTTP"


@pytest.mark.parametrize(
    "body",
    [
        "socket.onopen = () => { socket.send('hello'); };",
        "socket.addEventListener('open', () => socket.send('hello'));",
        "socket.onmessage = (e) => { socket.send('hello'); socket.close(); };",
    ],
)
def test_a_socket_as_browsers_have_it_is_read(body: str) -> None:
    made = imported(BROWSER.replace("BODY", body))
    assert made.origin == "wss://h.example:8443/chat"
    assert [one["send"] for one in table(made)["request"]] == ["hello"]
    assert not made.notes


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("'{id} {zipf(n=9, s=1)} {}'", r"\{id} \{zipf(n=9, s=1)} {}"),
        ("'a\\\\b\\n{\\\\r}'", r"a\\b\n{\\r}"),
        ("JSON.stringify({ n: ANY, t: `t${ANY}` })",
         '{"n": {uniform(0, 8)}, "t": "t{uniform(0, 8)}"}'),
        ("JSON.stringify({ token: 's3cret' })", '{"token": "REMOVED"}'),
    ],
)  # fmt: skip
def test_a_text_of_a_socket_is_sent_as_it_stands(text: str, sent: str) -> None:
    text = text.replace("ANY", "Math.floor(Math.random() * 9)")
    made = imported(BROWSER.replace("BODY", f"socket.onopen = () => socket.send({text});"))
    assert table(made)["request"][0]["send"] == sent


THINGS_OF_GRPC = """
import grpc from 'k6/net/grpc';
import { check, sleep } from 'k6';
const client = new grpc.Client();
client.load(['p'], 'thing-1.proto', 'thing-2.proto');
export default function () {
  client.connect('t.example', { plaintext: true, tls: 'thing-3' });
  const r = client.invoke('t.Shop/thing-4', { a: 'thing-5', b: late('thing-6') },
    { metadata: { a: 'thing-7' }, timeout: '7701s', 'thing-8': 1 });
  check(r, { 'thing-9': (r) => r.status === grpc.StatusOK, 'thing-10': (r) => fine(r) });
  client.invoke(late('thing-11'), {});
  client.healthCheck('thing-12');
  const s = new grpc.Stream(client, 't.Shop/thing-13', {});
  s.write({ a: 'thing-14' });
  s.write({ a: 'thing-15' });
  s.write(late('thing-16'));
  s.on('error', () => late('thing-17'));
  sleep(7702);
  client.connect(late('thing-18'));
}
"""
THINGS_OF_SOCKETS = """
import ws from 'k6/ws';
import { check } from 'k6';
export default function () {
  const r = ws.connect('ws://t.example/thing-1', { headers: { a: 'thing-2' }, jar: 'thing-3' },
    (socket) => {
      socket.on('open', () => socket.send('thing-4'));
      socket.on('message', () => { if (late('thing-5')) { socket.send('thing-6'); } });
      socket.on('close', () => late('thing-7'));
      socket.setTimeout(() => socket.send('thing-8'), 7701000);
      socket.setTimeout(() => socket.close(), late('thing-9'));
      socket.send(late('thing-10'));
      socket.sendBinary('thing-11');
      socket.setInterval(() => socket.send('thing-12'), 7702000);
      socket.ping('thing-13');
    });
  check(r, { 'thing-14': (r) => r.status === 101 });
  ws.connect('ws://other.example/', {}, (socket) => socket.send('thing-15'));
  ws.connect('ws://t.example/thing-1', { headers: { a: 'thing-16' } }, () => {});
  ws.connect(late('thing-17'), {}, () => {});
}
"""


@pytest.mark.parametrize(
    ("source", "carried", "named"),
    [(THINGS_OF_GRPC, 10, 10), (THINGS_OF_SOCKETS, 9, 11)],
)
def test_nothing_of_another_protocol_is_lost(source: str, carried: int, named: int) -> None:
    assert fates(source, "k6") == {"carried": carried, "named": named}


def test_an_imported_call_is_answered_and_its_checks_hold() -> None:
    """By a server of another implementation, with the file of descriptors that `protoc` makes."""
    pytest.importorskip("grpc", reason="the server is one of grpcio")
    from test_grpc import health

    body = f"""
  const r = client.invoke('{CHECK}', {{ service: 'tea' }}, {{ metadata: {{ a: 'b' }} }});
  check(r, {{ ok: (r) => r && r.status === grpc.StatusOK,
    serves: (r) => r.message.status === 'SERVING', wrong: (r) => r.message.status === 'x' }});"""
    made = calls(body)
    with health() as (service, url):
        summary = tt.run(tt.Workload(made.text), url, requests=20).summary
    assert (summary["requests"], summary["errors"]) == (20, 0)
    assert {name: one["failed"] for name, one in summary["checks"].items()} == {
        "ok": 0, "serves": 0, "wrong": 20,
    }  # fmt: skip
    assert set(service.asked) == {"tea"}
    assert {one["a"] for one in service.metadata} == {"b"}
