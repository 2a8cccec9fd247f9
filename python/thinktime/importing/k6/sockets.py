"""WebSockets in a script of k6, as requests with `send`; and its timers.

Sources: https://grafana.com/docs/k6/latest/javascript-api/k6-ws/ and k6-websockets.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from thinktime.importing import marks
from thinktime.importing.addresses import address
from thinktime.importing.draft import Request, name_of
from thinktime.importing.javascript.syntax import Node, text_of
from thinktime.importing.javascript.syntax import name_of as what
from thinktime.importing.javascript.values import Handle, Member, Unknown, is_number
from thinktime.importing.secrets import masked_json

if TYPE_CHECKING:
    from thinktime.importing.k6.calls import Calls

MODULES = ("k6/ws", "k6/websockets", "k6/experimental/websockets", "k6/timers",
           "k6/experimental/timers")  # fmt: skip
_HANDLED = ("open", "message", "binaryMessage")
"""The events whose handlers may send."""

_QUIET = ("close", "clearTimeout", "clearInterval")


def call(calls: Calls, member: Member, given: list[Any], node: Node) -> Any:
    """The value of a call of a module, or of one of its sockets."""
    place, of, name = calls.reader.place(node), member.of, member.name
    if name in ("connect", "new WebSocket") and of is None:
        return _socket(calls, member, given, place)
    if name in ("setTimeout", "setInterval"):
        _timer(calls, name, given, place)
    elif of is None:
        pass
    elif name == "send":
        _send(calls, of, given[0] if given else None, place)
    elif name in ("on", "addEventListener") and len(given) > 1:
        _handler(calls, str(given[0]), given[1], place)
    elif name.startswith("on") and name.endswith("=") and given:
        _handler(calls, name[2:-2], given[0], place)
    elif name not in _QUIET:
        calls.notes.add(place, f"`{what(node)}` is left out: it sends no text")
    return Unknown(text_of(node))


def _socket(calls: Calls, member: Member, given: list[Any], place: str) -> Any:
    """A socket: `connect(url, params, function)`, or `new WebSocket(url, subprotocols, params)`."""
    url, *others = [*given, None]
    params: dict[str, Any] = {}
    for one in others:
        params = one if isinstance(one, dict) else params
    found = address(url, place, calls.notes, ("ws", "wss")) if isinstance(url, str) else None
    if found is None:
        calls.notes.add(place, "the URL of the socket is left out: `--target` says it")
    origin = "" if found is None else found.origin + found.target
    name = name_of("GET", marks.without(found.target)) if found else "socket"
    socket = Handle(member.module, "socket", {"origin": origin, "name": name})
    fields = calls.fields(params.get("headers"), place)
    if calls.handshake is None:
        calls.handshake = fields
    elif calls.handshake != fields:
        text = "the header fields of this socket are left out: all sockets have those of the first"
        calls.notes.add(place, text)
    if member.name == "new WebSocket" and others[0]:
        text = f"the subprotocols {json.dumps(others[0], default=str)[:80]} are left out: "
        calls.notes.add(place, f"{text}put `subprotocols` into the table of clients")
    for key in params:
        if key not in ("headers", "tags"):
            calls.notes.add(place, f"the parameter `{key}` of the socket is left out")
    for one in others:
        calls.reader.follow(one, [socket])
    return socket


def _handler(calls: Calls, event: str, function: Any, place: str) -> None:
    if event in _HANDLED:
        calls.reader.follow(function, [Unknown("a message")])
    else:
        calls.notes.add(place, f"what happens at `{event[:40]}` is left out")


def _timer(calls: Calls, name: str, given: list[Any], place: str) -> None:
    """A wait before what it begins; what an interval repeats is taken once, with the wait after."""
    function, after = [*given, None, None][:2]
    wait = [after / 1000 if is_number(after) else after]
    if name == "setTimeout":
        calls.sleep(wait, place)
        calls.reader.follow(function, [])
    else:
        calls.notes.add(place, "`setInterval` is not followed: its content is taken once")
        calls.reader.follow(function, [])
        calls.sleep(wait, place)


def _send(calls: Calls, socket: Handle, given: Any, place: str) -> None:
    if not isinstance(given, str):
        calls.notes.add(place, "left out: the message that it sends is no literal text")
        return
    request = Request(socket.held["name"], origin=socket.held["origin"], place=place)
    text = masked_json(given, place, calls.notes)
    request.exchange = {"send": marks.as_json(text)}
    request.headers = dict(calls.handshake or {})
    request.draws = calls.reader.draws.within(f"{text} {request.headers}")
    request.about = f"{place.capitalize()}. It ends with the next message of the server."
    calls.add(request)
