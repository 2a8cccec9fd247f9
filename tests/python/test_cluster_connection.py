"""The clocks of a cluster, and the report about a cluster that anybody may use."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

import thinktime as tt
from thinktime.distributed import clocks, connection


def test_the_offset_of_a_clock_is_within_its_uncertainty() -> None:
    for ahead_ns in (-7_000_000_000, -1, 0, 3_000_000):
        found = clocks.offset(lambda by=ahead_ns: time.monotonic_ns() + by, "elsewhere")
        assert abs(found.ns - ahead_ns) <= found.uncertainty_ns + 1


def test_a_way_that_is_slower_in_one_direction_is_uncertain_by_as_much() -> None:
    def ask() -> int:
        found = time.monotonic_ns()
        time.sleep(0.02)  # the answer's way
        return found

    found = clocks.offset(ask, "elsewhere")
    assert found.uncertainty_ns >= 10_000_000
    assert -found.uncertainty_ns - 1 <= found.ns < 0


def test_a_clock_that_is_slow_to_answer_is_not_asked_for_long() -> None:
    asked = []

    def ask() -> int:
        asked.append(None)
        time.sleep(0.2)
        return time.monotonic_ns()

    clocks.offset(ask, "elsewhere")
    assert 1 <= len(asked) <= 3


def test_processes_of_one_machine_have_one_clock() -> None:
    def ask() -> int:
        raise AssertionError("it is known without asking")

    assert clocks.offset(ask, clocks.boot()) == clocks.Offset(0, 0)


class Ray:
    """Stands for Ray: records its start, and may find a token as Ray does."""

    def __init__(self, token: bool = False, fails: bool = False) -> None:
        self.begun: dict[str, Any] = {}
        self.ended = False
        self._token, self._fails = token, fails

    def is_initialized(self) -> bool:
        return False

    def init(self, **given: Any) -> None:
        if self._fails:
            raise ConnectionError("nobody there\nand more")
        self.begun = given
        if self._token:
            os.environ.setdefault("RAY_AUTH_MODE", "token")

    def shutdown(self) -> None:
        self.ended = True


@pytest.fixture
def surroundings(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment of its own, with a Ray."""
    monkeypatch.setattr(connection, "find_spec", lambda _: SimpleNamespace())
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(connection, "_TOKEN", Path("/nowhere"))
    for name in (*connection.SURROUNDINGS, "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
        os.environ.pop(name, None)
    return monkeypatch


def connected(surroundings: pytest.MonkeyPatch, on: str, ray: Ray) -> Ray:
    surroundings.setitem(sys.modules, "ray", ray)
    with connection.connected(on):
        assert not ray.ended
    assert ray.ended
    return ray


@pytest.mark.parametrize("on", ["auto", "ray://127.0.0.1:10001"])
def test_a_cluster_that_asks_nobody_who_he_is_is_warned_of(
    surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], on: str
) -> None:
    connected(surroundings, on, Ray())
    assert "has no authentication" in capsys.readouterr().err
    connected(surroundings, on, Ray(token=True))
    assert capsys.readouterr().err == ""
    surroundings.setenv("RAY_AUTH_MODE", "token")
    connected(surroundings, on, Ray())
    assert capsys.readouterr().err == ""


class Nobody(grpc.GenericRpcHandler):
    """Answers like a cluster that requires a token, or like one that does not."""

    def __init__(self, wants_token: bool) -> None:
        self.asked: list[str] = []
        self._wants_token = wants_token

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        self.asked.append(details.method)

        def answer(_: bytes, context: grpc.ServicerContext) -> bytes:
            shown = dict(context.invocation_metadata()).get("authorization")
            if self._wants_token and shown is None:
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "no token")
            return b""

        return grpc.unary_unary_rpc_method_handler(answer)


@pytest.fixture
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers([Nobody(request.param)])
    number = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield number
    server.stop(None)


@pytest.mark.parametrize("port", [False, True], indirect=True, ids=["open", "closed"])
@pytest.mark.parametrize("on", ["ray://127.0.0.1:{}", "auto"])
def test_what_the_cluster_does_counts_and_not_what_lies_here(
    surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    request: pytest.FixtureRequest, port: int, on: str,
) -> None:  # fmt: skip
    token = tmp_path / "auth_token"
    token.write_text("of another cluster")
    surroundings.setattr(connection, "_TOKEN", token)
    ray = Ray(token=True)
    address = SimpleNamespace(gcs_address=f"127.0.0.1:{port}")
    surroundings.setattr(Ray, "get_runtime_context", lambda _: address, raising=False)
    connected(surroundings, on.format(port), ray)
    is_open = "open" in request.node.callspec.id
    assert ("has no authentication" in capsys.readouterr().err) == is_open
    assert os.environ["RAY_AUTH_MODE"] == "token"


def test_a_token_that_is_here_is_shown_to_a_cluster_elsewhere(
    surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Ray's client does not do so by itself."""
    token = tmp_path / "auth_token"
    surroundings.setattr(connection, "_TOKEN", token)
    connected(surroundings, "ray://127.0.0.1:10001", Ray())
    assert "RAY_AUTH_MODE" not in os.environ
    token.write_text("secret")
    connected(surroundings, "ray://127.0.0.1:10001", Ray())
    assert os.environ.pop("RAY_AUTH_MODE") == "token"
    os.environ["RAY_AUTH_MODE"] = "disabled"
    connected(surroundings, "ray://127.0.0.1:10001", Ray())
    assert os.environ.pop("RAY_AUTH_MODE") == "disabled"
    token.unlink()
    os.environ["RAY_AUTH_TOKEN"] = "secret"
    connected(surroundings, "ray://127.0.0.1:10001", Ray())
    assert os.environ["RAY_AUTH_MODE"] == "token"


def test_one_of_this_machine_has_no_dashboard_and_tells_nobody(
    surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ray = connected(surroundings, "ray", Ray())
    assert ray.begun["include_dashboard"] is False
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    assert os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] == "0"
    assert connection.SURROUNDINGS.items() <= os.environ.items()
    assert capsys.readouterr().err == ""  # nobody else reaches it


def test_what_is_not_there_is_said(surroundings: pytest.MonkeyPatch) -> None:
    with pytest.raises(tt.RunError, match="no Ray cluster at `auto`: nobody there; one that wants"):
        connected(surroundings, "auto", Ray(fails=True))
    surroundings.setattr(connection, "find_spec", lambda _: None)
    with pytest.raises(tt.InputError, match=r"pip install 'thinktime\[ray\]'"):
        connected(surroundings, "ray", Ray())
