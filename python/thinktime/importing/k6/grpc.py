"""Calls of gRPC in a script of k6, as requests with `grpc`.

Source: https://grafana.com/docs/k6/latest/javascript-api/k6-net-grpc/
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from thinktime.importing import toml
from thinktime.importing.addresses import address
from thinktime.importing.draft import Request, plain, stem
from thinktime.importing.javascript.calls import drawn
from thinktime.importing.javascript.syntax import Node, name_of, text_of
from thinktime.importing.javascript.values import Answer, Handle, Member, Unknown, is_unknown
from thinktime.importing.secrets import masked

if TYPE_CHECKING:
    from thinktime.importing.k6.calls import Calls

MESSAGES_MAX = 1000
_TAKEN = ("metadata", "timeout", "tags")
_QUIET = ("close", "end", "cancel")


def call(calls: Calls, member: Member, given: list[Any], node: Node) -> Any:
    """The value of a call of the module, or of one of its objects."""
    place, of = calls.reader.place(node), member.of
    match member.name:
        case "new Client":
            return Handle(member.module, "client")
        case "new Stream" if given and isinstance(given[0], Handle):
            answer = _request(calls, given[0], [given[1] if given[1:] else None, None, *given[2:]],
                              place)  # fmt: skip
            return Handle(member.module, "stream", {"answer": answer, "messages": []})
        case "load" | "loadProtoset" if of is not None:
            _descriptors(calls, of, member.name, given, place)
        case "connect" if of is not None:
            _connect(calls, of, given, place)
        case "invoke" | "asyncInvoke" if of is not None and of.kind == "client":
            return _request(calls, of, given, place) or Unknown(text_of(node))
        case "write" if of is not None and given:
            _write(calls, of, given[0], place)
        case "on" if len(given) > 1 and given[0] == "data":
            calls.reader.follow(given[1], [Unknown("a message")])
        case name if name not in _QUIET:
            calls.notes.add(place, f"`{name_of(node)}` is left out: it is no call of a method")
    return Unknown(text_of(node))


def _descriptors(calls: Calls, client: Handle, name: str, given: list[Any], place: str) -> None:
    """The file of descriptors, which a client needs instead of its `.proto`; it is not made."""
    files = [one for one in given if isinstance(one, str)]
    source = (files[0] if files else "service.proto").replace("\\", "/").rpartition("/")[2]
    if name == "loadProtoset":
        made, text = f"{plain(stem(source))}.protoset", "copy the file of descriptors"
    else:
        made = f"{plain(stem(source))}.pb"
        text = f"`protoc --include_imports --descriptor_set_out={made} {source[:60]}` makes it"
    client.held["descriptors"] = made
    calls.notes.add(place, f"`{made}` is not there yet: {text}, beside the workload")
    for other in files[1:]:
        calls.notes.add(place, f"`{other[:80]}` is left out: one file holds all descriptors")


def _connect(calls: Calls, client: Handle, given: list[Any], place: str) -> None:
    where, params = [*given, None, None][:2]
    params = params if isinstance(params, dict) else {}
    scheme = "h2c" if params.get("plaintext") is True else "https"
    found = None
    if isinstance(where, str):
        found = address(f"{scheme}://{where}", place, calls.notes, (scheme,))
    if found is None:
        calls.notes.add(place, "the server of `connect` is left out: `--target` says it")
    client.held["origin"] = found.origin if found is not None else ""
    for name, one in params.items():
        if name == "reflect" and one is True:
            calls.notes.add(place, "`reflect` is left out: calls need a file of descriptors")
        elif name not in ("plaintext", "reflect"):
            calls.notes.add(place, f"the parameter `{name}` of `connect` is left out")


def _request(calls: Calls, client: Handle, given: list[Any], place: str) -> Answer | None:
    method, message, params = [*given, None, None, None][:3]
    if not isinstance(method, str) or method.strip("/").count("/") != 1:
        calls.notes.add(place, "left out: its method is no literal, as `shop.Orders/Place`")
        return None
    params = params if isinstance(params, dict) else {}
    method = method.strip("/")
    request = Request(plain(method.rpartition("/")[2]), place=place)
    request.origin = client.held.get("origin", "")
    request.about = f"{place.capitalize()}."
    descriptors = client.held.get("descriptors", "service.pb")
    request.exchange = {"grpc": method, "descriptors": descriptors}
    request.headers = calls.fields(params.get("metadata"), place)
    request.timeout = calls.timeout(params.get("timeout"), place)
    for name in params:
        if name not in _TAKEN:
            calls.notes.add(place, f"the parameter `{name}` is left out")
    request.exchange["message"] = _message(calls, message, place)
    _draw(calls, request)
    calls.add(request)
    return Answer(request)


def _message(calls: Calls, given: Any, place: str) -> Any:
    """A message as a table of its fields, or as JSON if a table cannot hold it."""
    held = drawn(given if given is not None else {}, calls.reader.draws)
    if not isinstance(held, dict):
        calls.notes.add(place, "the message is left out: it is no literal")
        return {}
    for name in [name for name, one in held.items() if is_unknown(one)]:
        calls.notes.add(place, f"the field `{name}` of the message is left out: it is no literal")
        del held[name]
    held = masked(dict(held), place, calls.notes)
    return held if toml.fits(held) else json.dumps(held, ensure_ascii=False)


def _write(calls: Calls, stream: Handle, given: Any, place: str) -> None:
    """One more message of a stream: several are a list."""
    answer, messages = stream.held.get("answer"), stream.held.get("messages", [])
    if not isinstance(answer, Answer) or len(messages) >= MESSAGES_MAX:
        calls.notes.add(place, "the message is left out")
        return
    messages.append(_message(calls, given, place))
    answer.request.exchange["message"] = messages if len(messages) > 1 else messages[0]
    _draw(calls, answer.request)


def _draw(calls: Calls, request: Request) -> None:
    request.draws = calls.reader.draws.within(f"{request.headers} {request.exchange}")
