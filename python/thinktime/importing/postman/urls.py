"""URLs of Postman's collections, and the variables in all their texts.

Source: https://learning.postman.com/docs/sending-requests/create-requests/parameters/
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thinktime.importing.addresses import encoded
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import items, table, words
from thinktime.importing.secrets import variable

_HOST = re.compile(r"https?://[^/?#]*")
_VARIABLE = re.compile(r"\{\{([^{}]{1,200})\}\}")


@dataclass
class Filling:
    """Replaces ``{{variables}}`` by their values; those without one are noted."""

    variables: Mapping[str, str]
    place: str
    notes: Notes

    def __call__(self, text: str) -> str:
        for _ in range(5):  # values may contain variables
            before, text = text, _VARIABLE.sub(self._one, text)
            if text == before or len(text) > 100_000:
                break
        return text

    def _one(self, found: re.Match[str]) -> str:
        name = found[1].strip()
        if name in self.variables:
            if not self.variables[name]:
                text = f"the variable `{name}` is empty here: scripts or an environment may fill it"
                self.notes.add(self.place, text)
            return variable(name, self.variables[name], self.place, self.notes)
        kind = "is made anew by Postman each time" if name.startswith("$") else "has no value here"
        self.notes.add(self.place, f"the variable `{name}` {kind}: its name stands in its place")
        return name.lstrip("$")


def without_open_host(url: str, fill: Filling) -> str:
    """A URL without the variable for its host if it has no value here: an environment has it."""
    found = _HOST.match(url) or _VARIABLE.match(url)
    names = [one[1].strip() for one in _VARIABLE.finditer(found[0])] if found else []
    unknown = [one for one in names if one not in fill.variables]
    if found is None or not unknown:
        return url
    text = f"the variable `{unknown[0]}` has no value here: say the host as `--target`"
    fill.notes.add(fill.place, text)
    rest = re.sub(r"^:\d{1,5}(?=[/?#]|$)", "", url[found.end() :])
    rest = fill(rest) if rest.startswith("{{") else rest  # a value may begin with a slash
    return "/" + rest.lstrip("/")


def url_of(given: Any, fill: Filling) -> str:
    """The URL of a request; its variables are filled in its query and its path alone."""
    if isinstance(given, str):
        return given
    url = table(given)
    raw = words(url.get("raw"))
    if not raw:
        host, path = (_joined(url.get(key), sign) for key, sign in (("host", "."), ("path", "/")))
        port = f":{words(url.get('port'))}" if url.get("port") else ""
        raw = f"{words(url.get('protocol')) or 'http'}://{host}{port}/{path.lstrip('/')}"
    else:
        raw = raw.partition("?")[0].partition("#")[0] if items(url.get("query")) else raw
    query = [
        _parameter(one, fill)
        for one in map(table, items(url.get("query")))
        if not one.get("disabled")
    ]
    for one in map(table, items(url.get("variable"))):
        name, held = words(one.get("key")), encoded(fill(words(one.get("value"))))
        if name:
            raw = _with_path(raw, name, held.replace("?", "%3F"))
    return raw + ("?" + "&".join(query) if query else "")


def _parameter(one: dict[str, Any], fill: Filling) -> str:
    """A parameter of the query: Postman encodes what would end it, and keeps what is encoded."""
    name, held = (
        fill(words(one.get(key))).replace("&", "%26").replace("#", "%23")
        for key in ("key", "value")
    )
    name = name.replace("=", "%3D")
    return name if one.get("value") is None else f"{name}={held}"


def _with_path(raw: str, name: str, held: str) -> str:
    """A URL with the value of one of its `:variables`."""
    return re.sub(rf"/:{re.escape(name)}(?=[/?#]|$)", lambda _: f"/{held}", raw)


def _joined(given: Any, sign: str) -> str:
    return given if isinstance(given, str) else sign.join(map(words, items(given)))
