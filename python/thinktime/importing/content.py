"""Header fields and bodies: the parts to carry over, and their form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from email import message_from_bytes
from typing import Any
from urllib.parse import parse_qsl

from thinktime.importing import marks
from thinktime.importing.draft import Body
from thinktime.importing.notes import Notes
from thinktime.importing.secrets import is_secret, masked_json, without_secrets
from thinktime.importing.toml import fits

BODY_MAX = 256 * 1024
"""Longer bodies are left out."""

PRETTY_MAX = 4096
"""Longer texts of JSON stay texts."""

BOUNDARY = "thinktime-9b1d2f6a7c35"
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x20-\x7e\t]*")
FIELD_MAX = 16_000
"""Longer header fields are left out; servers refuse them."""

_BY_CONNECTION = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "host",
        "content-length",
        "expect",
        "http2-settings",
    ]
)
_OF_CONNECTION = {
    "host": ": the target gives it; `headers` may have another one",
    "connection": ': `connections = "per-request"` in the table of clients closes it',
}
_OF_BROWSERS = re.compile(
    r"sec-.*|dnt|upgrade-insecure-requests|priority|referer|origin|if-modified-since|if-none-match"
    r"|purpose|pragma|x-client-data",
    re.IGNORECASE,
)


def headers(
    pairs: Iterable[tuple[Any, Any]], place: str, notes: Notes, *, recorded: bool = False
) -> dict[str, str]:
    """The fields that are carried over; the others are noted, except those of the connection.

    A ``recorded`` request loses the fields that browsers set by themselves.
    """
    found: dict[str, str] = {}
    names: dict[str, str] = {}
    for name, given in pairs:
        name, text = str(name).strip(), str(given).strip()
        small = name.lower()
        if name.startswith(":") or small in _BY_CONNECTION:
            if not recorded and text and _changes_connection(small, text):
                notes.add(place, f"header `{name}` left out{_OF_CONNECTION.get(small, '')}")
            continue
        if small == "cookie":
            notes.add(place, "header `Cookie` left out: sessions keep the cookies that they get")
        elif is_secret(small) and not marks.is_open(text):
            notes.add(place, f"header `{name}` left out: it may hold a secret{_instead(text)}")
        elif recorded and _OF_BROWSERS.fullmatch(small):
            notes.add(place, f"header `{name}` left out: browsers set it by themselves")
        elif not _NAME.fullmatch(name) or not _VALUE.fullmatch(text):
            notes.add(place, f"header `{name}` left out: it has characters that cannot be sent")
        elif len(text) + len(found.get(names.get(small, ""), "")) > FIELD_MAX:
            notes.add(place, f"header `{name}` left out: it is too long")
        elif small in names:
            found[names[small]] += f", {text}"
        else:
            names[small] = name
            found[name] = text
    return found


def _changes_connection(small: str, text: str) -> bool:
    """Whether a field of the connection asks for something that is not usual."""
    if small == "connection":
        return text.lower() not in ("keep-alive", "keepalive")
    return small in ("host", "expect", "transfer-encoding", "upgrade")


def _instead(text: str) -> str:
    scheme = text.partition(" ")[0].lower()
    if scheme == "bearer":
        return '; put `bearer = "env:TOKEN"` into the table of clients'
    if scheme == "basic":
        return '; put `basic = "env:USER_AND_PASSWORD"` into the table of clients'
    return ""


def content_type(fields: Mapping[str, str]) -> str:
    """The media type that the fields name, without its parameters; empty if they do not."""
    for name, given in fields.items():
        if name.lower() == "content-type":
            return given.partition(";")[0].strip().lower()
    return ""


def body(text: str, fields: dict[str, str], place: str, notes: Notes) -> Body | None:
    """A body in its most readable form, without secrets.

    ``fields`` lose the information that this form carries itself.
    """
    if len(text) > BODY_MAX:
        notes.add(place, f"a body of {len(text)} characters left out: at most {BODY_MAX} are taken")
        return None
    media = content_type(fields)
    if text.lstrip()[:1] in ("{", "["):
        text = masked_json(text, place, notes)
    if media == "application/x-www-form-urlencoded":
        text = without_secrets(text, place, notes, "body")
        pairs = parse_qsl(text, keep_blank_values=True)
        form = dict(pairs)
        whole = all("=" in part for part in text.split("&"))
        if (
            whole
            and len(form) == len(pairs)
            and form
            and "\ufffd" not in "".join(map("".join, pairs))
        ):
            _drop_type(fields)
            return Body("form", form)
    if media == "application/json" or media.endswith("+json"):
        found = from_json(text)
        if found is not None:
            if media == "application/json":
                _drop_type(fields)
            return found
    return Body("text", text) if text else None


def from_json(text: str) -> Body | None:
    """The body of a JSON text, if a value of TOML can hold it and is not too long to read."""
    if len(text) > PRETTY_MAX:
        return None
    try:
        held = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return Body("json", held) if fits(held) else None


def with_numbers(body: Body | None, fields: dict[str, str]) -> Body | None:
    """A body whose drawn numbers have no quotes, and whose drawn texts keep theirs."""
    if body is None or body.kind not in ("json", "text"):
        return body
    if body.kind == "json":
        if not marks.has_text(body.value):
            return body
        set_type(fields, "application/json")
        body = Body("text", json.dumps(body.value, ensure_ascii=False))
    return Body("text", marks.as_json(body.value))


def of_value(held: Any, fields: dict[str, str]) -> Body:
    """The body that sends a value as JSON; with its media type if it is sent as a text."""
    if fits(held):
        return Body("json", held)
    if not content_type(fields):
        set_type(fields, "application/json")
    return Body("text", json.dumps(held, ensure_ascii=False))


def form_pairs(held: Mapping[str, Any], words: Callable[[Any], str] = str) -> list[tuple[str, str]]:
    """The fields of a form that a program gives as a table: those of a list come one by one.

    ``words`` writes a value as the program's language does.
    """
    listed = ((name, one if isinstance(one, list | tuple) else [one]) for name, one in held.items())
    return [(str(name), words(each)) for name, one in listed for each in one]


def of_fields(pairs: Iterable[tuple[str, str]], fields: dict[str, str]) -> Body:
    """The body that sends fields of a form, in the default way of browsers."""
    from urllib.parse import urlencode

    given = list(pairs)
    form = dict(given)
    if len(form) == len(given):
        if content_type(fields) == "application/x-www-form-urlencoded":
            _drop_type(fields)
        return Body("form", form)
    if not content_type(fields):
        set_type(fields, "application/x-www-form-urlencoded")
    return Body("text", urlencode(given))


def of_parts(pairs: Iterable[tuple[str, str]], fields: dict[str, str]) -> Body:
    """The body that sends fields as parts (multipart/form-data)."""
    given = list(pairs)
    _drop_type(fields)
    if len(dict(given)) == len(given):
        return Body("multipart", dict(given))
    set_type(fields, f"multipart/form-data; boundary={BOUNDARY}")
    lines = []
    for name, text in given:
        escaped = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        lines += [f"--{BOUNDARY}", f'Content-Disposition: form-data; name="{escaped}"', "", text]
    return Body("text", "\r\n".join([*lines, f"--{BOUNDARY}--", ""]))


def without_files(names: Iterable[str]) -> str:
    """The note that a form's files are left out, with their names."""
    known = ", ".join(f"`{one[:80]}`" for one in names if one)
    return f"the files of the form are left out: files are not read{f': {known}' if known else ''}"


def set_type(fields: dict[str, str], media: str) -> None:
    """Let the fields name this media type, and no other, in any spelling of the name."""
    _drop_type(fields)
    fields["Content-Type"] = media


def parts(data: bytes, media: str) -> tuple[list[tuple[str, str]], list[str]] | None:
    """The fields of a form that was sent as parts, and the names of its files.

    None if the parts cannot be told apart, or a field is not a text.
    """
    head = b"Content-Type: " + media.encode("ascii", "replace") + b"\r\n\r\n"
    whole = message_from_bytes(head + data)
    if not whole.is_multipart() or whole.defects:
        return None
    pairs: list[tuple[str, str]] = []
    files: list[str] = []
    for part in whole.walk():
        if part.is_multipart():
            continue
        name = part.get_param("name", None, "content-disposition")
        held = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(held, bytes):
            return None
        try:
            name = name.encode("ascii", "surrogateescape").decode()
            if part.get_param("filename", None, "content-disposition") is not None:
                files.append(name)
            else:
                pairs.append((name, held.decode()))
        except UnicodeError:
            return None
    return pairs, files


def _drop_type(fields: dict[str, str]) -> None:
    for name in [name for name in fields if name.lower() == "content-type"]:
        del fields[name]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; one with a key twice is left as the text that it is."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found
