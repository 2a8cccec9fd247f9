"""A client of servers of tokens, which knows nothing of the project."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import thinktime as tt

QUICK = 'step_time = "100us"\nmax_batch = 16'
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"


def system(keys: str = QUICK, more: str = "") -> tt.System:
    return tt.System(f'name = "s"\n[[token_server]]\nname = "gpu"\n{keys}\n{more}')


def workload(tokens: str, arrivals: str = 'model = "open"\nrate = "50/s"') -> tt.Workload:
    return tt.Workload(
        f'name = "w"\nseed = 3\n[arrivals]\n{arrivals}\n[[request]]\nname = "ask"\n'
        f'post = "{CHAT}"\nstream = "sse"\ntokens = {{ {tokens} }}\n'
        'json = { model = "m", stream = true, messages = [{ role = "user", content = "Hello" }] }'
    )


@contextmanager
def connected(server: tt.serve) -> Iterator[http.client.HTTPConnection]:
    client = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=300)
    try:
        yield client
    finally:
        client.close()


def chat(*texts: str, **keys: object) -> dict[str, object]:
    messages = [{"role": "user", "content": text} for text in texts]
    return {"model": "m", "messages": messages, **keys}


def answer(
    client: http.client.HTTPConnection, path: str, body: object, **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    sent = body if isinstance(body, bytes | str) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    client.request("POST", path, sent, {"Content-Type": "application/json", **named})
    response = client.getresponse()
    return response.status, response.headers, response.read()


def whole(client: http.client.HTTPConnection, path: str, body: object, **headers: str) -> Any:
    status, fields, read = answer(client, path, body, **headers)
    assert (status, fields["Content-Type"]) == (200, "application/json"), read
    return json.loads(read)


def events(body: bytes) -> list[Any]:
    """The events of a stream, which ends as it must: each is one line of data and a blank one."""
    *parts, last = body.decode().split("\n\n")
    assert (parts[-1], last) == ("data: [DONE]", "")
    assert all(part.startswith("data: ") and "\n" not in part for part in parts)
    return [json.loads(part.removeprefix("data: ")) for part in parts[:-1]]


def stream(client: http.client.HTTPConnection, path: str, body: object) -> list[Any]:
    status, fields, read = answer(client, path, body)
    assert (status, fields.get_content_type()) == (200, "text/event-stream"), read
    return events(read)
