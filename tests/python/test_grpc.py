"""Calls of gRPC against a server of Python's grpcio, whose messages are parsed by hand here.

The service is gRPC's own health check: a request has the text `service` as field 1, an answer the
number of a status as field 1 (1 is SERVING, 2 is NOT_SERVING).
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import thinktime as tt

grpc = pytest.importorskip("grpc", reason="the server is one of grpcio")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SERVING, NOT_SERVING = b"\x08\x01", b"\x08\x02"
HEAD = """
name = "w"
[arrivals]
model = "closed"
clients = 1
"""
CALL = 'grpc = "grpc.health.v1.Health/{}"\ndescriptors = "health.pb"\n'


class Health:
    """Serves everything except the service `down`, and keeps the requests."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.metadata: list[dict[str, str]] = []

    def status(self, message: bytes, context: Any) -> bytes:
        """The status of the service that a message names, short enough for one byte of length."""
        name = ""
        if message:
            assert (message[0], message[1]) == (0x0A, len(message) - 2), message
            name = message[2:].decode()
        self.asked.append(name)
        self.metadata.append(dict(context.invocation_metadata()))
        if name == "gone":
            context.abort(grpc.StatusCode.NOT_FOUND, "no such service")
        return NOT_SERVING if name == "down" else SERVING

    def watch(self, message: bytes, context: Any) -> Iterator[bytes]:
        """A status, then another one, then the end."""
        yield self.status(message, context)
        yield NOT_SERVING


@contextmanager
def health() -> Iterator[tuple[Health, str]]:
    """A server and its URL."""
    service = Health()
    handlers = {
        "Check": grpc.unary_unary_rpc_method_handler(service.status),
        "Watch": grpc.unary_stream_rpc_method_handler(service.watch),
    }
    server = grpc.server(ThreadPoolExecutor(4))
    handler = grpc.method_handlers_generic_handler("grpc.health.v1.Health", handlers)
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield service, f"h2c://127.0.0.1:{port}"
    server.stop(None).wait()


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], tt.Workload]:
    """Makes a workload of its session and its requests."""

    def made(text: str) -> tt.Workload:
        shutil.copy(EXAMPLES / "health.pb", tmp_path)
        (tmp_path / "w.toml").write_text(HEAD + text)
        return tt.Workload.load(tmp_path / "w.toml")

    return made


def test_the_example_is_answered() -> None:
    with health() as (service, url):
        result = tt.run(EXAMPLES / "grpc.toml", url, requests=50)
    assert (result.summary["requests"], result.summary["errors"]) == (50, 0)
    assert result.summary["checks"]["serves"] == {"passed": 50, "failed": 0}
    assert set(service.asked) == {""}


def test_draws_and_values_go_into_messages_and_answers_into_values(
    write: Callable[[str], tt.Workload],
) -> None:
    made = write(
        'start = "empty"\n[session]\nthink = "0s"\n[[request]]\nname = "check"\n'
        + CALL.format("Check")
        + 'message = { service = "shop {uniform(1, 99)}" }\n'
        'take = { state = "json:$.status" }\nnext = { watch = 1 }\n'
        '[[request]]\nname = "watch"\n'
        + CALL.format("Watch")
        + 'message = \'{"service": "is {state}"}\'\n'
        'checks = { first = { of = "json:$[0].status", is = "SERVING" }, '
        'second = { of = "json:$[1].status", is = "NOT_SERVING" } }\nnext = { check = 1 }\n'
    )
    with health() as (service, url):
        result = tt.run(made, url, requests=60)
    assert result.summary["errors"] == 0, result.summary["errors_by_kind"]
    assert result.summary["checks"]["first"] == {"passed": 30, "failed": 0}
    assert result.summary["checks"]["second"] == {"passed": 30, "failed": 0}
    drawn = [int(name.removeprefix("shop ")) for name in service.asked if name != "is SERVING"]
    assert len(drawn) == 30
    assert len(set(drawn)) > 10
    assert all(1 <= number <= 99 for number in drawn)


SCRIPT = """return function(client)
	local down = client:call("check", { service = "down" }, { headers = { ["x-who"] = "script" } })
	client:check("down", down.ok and down.json.status == "NOT_SERVING")
	local gone = client:call("check", { service = "gone" })
	client:check("gone", gone.error == "grpc_status" and gone:header("grpc-status") == "5"
		and gone:header("grpc-message") == "no such service")
	local own = client:call("check")
	client:check("own", own.json.status == "SERVING")
	local all = client:call("watch", { service = "up" }).json
	client:check("watch", #all == 2 and all[1].status == "SERVING")
end"""


def test_scripts_give_messages_and_read_answers(
    write: Callable[[str], tt.Workload], tmp_path: Path
) -> None:
    (tmp_path / "s.luau").write_text(SCRIPT)
    made = write(
        '[session]\nscript = "s.luau"\n[[request]]\nname = "check"\n'
        + CALL.format("Check")
        + 'message = { service = "file" }\nheaders = { X-Tenant = "north" }\n'
        '[[request]]\nname = "watch"\n' + CALL.format("Watch")
    )
    with health() as (service, url):
        result = tt.run(made, url, requests=80)
    assert set(result.summary["errors_by_kind"]) == {"grpc_status"}
    for name in ("down", "gone", "own", "watch"):
        counts = result.summary["checks"][name]
        assert counts["failed"] == 0, (name, counts)
        assert counts["passed"] >= 18, (name, counts)
    by_name = Counter(service.asked)
    assert set(by_name) == {"down", "gone", "file", "up"}
    for name, metadata in zip(service.asked, service.metadata, strict=True):
        assert metadata.get("x-who") == ("script" if name == "down" else None)
        assert metadata.get("x-tenant") == ("north" if name != "up" else None)
