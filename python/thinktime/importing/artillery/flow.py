"""The flow of a scenario of Artillery as steps: requests, think times, loops, captures, checks.

Source: https://www.artillery.io/docs/reference/engines/http
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from thinktime.importing import content, keys
from thinktime.importing.addresses import SCHEMES, address, request_at
from thinktime.importing.artillery.checks import check
from thinktime.importing.artillery.phases import time_s
from thinktime.importing.draft import Body, Request, Step, method_of
from thinktime.importing.marks import Marks
from thinktime.importing.parsers import items, table, words
from thinktime.importing.redirects import Redirects
from thinktime.importing.secrets import masked, masked_json, masked_pairs
from thinktime.importing.session_values import Values, json_body

PATTERN = re.compile(r"\{\{\s*([^{}]{1,200}?)\s*\}\}")
METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
REDIRECTS = 10
"""The number of redirects that Artillery follows by default."""

TURNS_MAX = 50
"""Loops with more turns are taken once."""

STEPS_MAX = 2000
DEPTH_MAX = 20
_RANDOM = re.compile(r"\$randomNumber\(\s*(-?\d{1,15})\s*,\s*(-?\d{1,15})\s*\)")
_REQUEST = ("url", "uri", "name", "json", "body", "form", "formData", "qs", "headers", "capture",
            "match", "expect", "followRedirect", "gzip", "auth")  # fmt: skip
_QUIET = ("log", "name", "count", "over")


def drawn(name: str, draws: Marks) -> str | None:
    """The mark for a function of templates that draws a whole number; None for any other."""
    found = _RANDOM.fullmatch(name)
    if found is None:
        return None
    lo, hi = int(found[1]), int(found[2])
    return draws.add(f"uniform({lo}, {hi})") if lo < hi else str(lo)


@dataclass
class Flow:
    """Reads the flows of a script."""

    values: Values
    config: Mapping[str, Any]
    redirects: Redirects
    steps: list[Step] = field(default_factory=list)
    hints: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.notes = self.values.notes
        self.target = str(self.values.fill(words(self.config.get("target")), "target"))
        http = table(self.config.get("http"))
        self.usual = table(self.config.get("defaults")) | table(http.get("defaults"))
        for key in self.usual:
            if key not in ("headers", "think", "strictCapture"):
                self.notes.add("defaults", f"`{key}` is left out")

    def of(self, given: Any, place: str, engine: str) -> list[Step]:
        """The steps of a flow."""
        self.steps = []
        for number, one in enumerate(items(given), 1):
            self._action(one, f"{place}, step {number}", engine, 0)
        if not self.steps:
            self.notes.add(place, "left out: it has no request that could be taken")
        return self.steps

    def _action(self, given: Any, place: str, engine: str, depth: int) -> None:
        given = table(given) if isinstance(given, dict) else {str(given): None}
        loop = items(given.get("loop"))
        for key, held in given.items():
            if key in METHODS:
                self._request(key, held if isinstance(held, dict) else {"url": held}, place)
            elif key == "think":
                self._think(held, place)
            elif key == "send" and engine == "ws":
                self._send(held, place)
            elif key == "loop" and depth < DEPTH_MAX:
                self._loop(given, loop, place, engine, depth)
            elif key == "parallel" and depth < DEPTH_MAX:
                self.notes.add(place, "the requests of `parallel` are sent one after the other")
                for number, one in enumerate(items(held), 1):
                    self._action(one, f"{place}.{number}", engine, depth + 1)
            elif key not in _QUIET and not (loop and key == "whileTrue"):
                self.notes.add(place, f"`{str(key)[:60]}` is left out: it is no request")

    def _loop(
        self, given: Mapping[str, Any], inner: list[Any], place: str, engine: str, depth: int
    ) -> None:
        turns = self._turns(given, place)
        for turn in turns:
            before = dict(self.values.known)
            self.values.known |= turn
            for number, one in enumerate(inner, 1):
                if len(self.steps) < STEPS_MAX:
                    self._action(one, f"{place}.{number}", engine, depth + 1)
            self.values.known = before

    def _turns(self, given: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
        """The turns of a loop, with the values of its names in each."""
        over = given.get("over")
        over = self.values.known.get(over) if isinstance(over, str) else over
        count = words(given.get("count"))
        name = words(given.get("loopValue")) or "$loopElement"
        if isinstance(over, list) and 0 < len(over) <= TURNS_MAX:
            return [{name: one, "$loopCount": at} for at, one in enumerate(over, 1)]
        if re.fullmatch(r"\d{1,4}", count) and int(count) <= TURNS_MAX and "over" not in given:
            return [{"$loopCount": at, name: at - 1} for at in range(1, int(count) + 1)]
        self.notes.add(place, "`loop` is not followed: its content is taken once")
        return [{}]

    def _think(self, given: Any, place: str) -> None:
        lasts = time_s(self.values.fill(given, place))
        if not self.steps:
            self.notes.add(place, "`think` is left out: it stands before the first request")
        elif lasts <= 0 and words(given) not in ("0", "0s"):
            self.notes.add(place, "`think` is left out: its time is no number")
        else:
            share = str(table(self.usual.get("think")).get("jitter", "0")).strip()
            found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)(%?)", share)
            jitter = float(found[1]) * (lasts / 100 if found[2] else 0.001) if found else 0.0
            self.steps[-1].lo_s += max(lasts - jitter, 0.0)
            self.steps[-1].hi_s += lasts + jitter

    def _send(self, given: Any, place: str) -> None:
        """A message of WebSocket: a text, or an object that is sent as JSON."""
        held = self.values.fill(table(given).get("payload", given), place)
        if not isinstance(held, str):
            held = json.dumps(masked(held, place, self.notes), ensure_ascii=False)
        found = address(self.target, place, self.notes, ("ws", "wss")) if self.target else None
        if found is None and self.target.lower().startswith(SCHEMES):
            return  # a target of HTTP takes no messages
        request = Request("message", place=place, about=f"{place.capitalize()}.")
        request.origin = found.origin + found.target if found is not None else ""
        request.exchange = {"send": masked_json(held, place, self.notes)}
        for key in table(given):
            if key not in ("payload", "capture", "match") and "payload" in table(given):
                self.notes.add(place, f"`{key}` of `send` is left out")
        self._add(request, table(given), place)

    def _request(self, method: str, given: Mapping[str, Any], place: str) -> None:
        url = words(given.get("url") or given.get("uri"))
        url = str(self.values.fill(url, place))
        if not url:
            self.notes.add(place, "left out: it has no URL")
            return
        query = self.values.fill(table(given.get("qs")), place)
        if query:
            url += ("&" if "?" in url else "?") + urlencode(query, doseq=True, safe="~")
        whole = url if "://" in url else self.target.rstrip("/") + "/" + url.lstrip("/")
        found = address(whole, place, self.notes)
        known = method_of(method)
        if found is None or known is None:
            return
        fields = content.headers(self._fields(given, place), place, self.notes)
        body = self._body(given, fields, place)
        request = request_at(found, known, words(given.get("name")), fields, body, place)
        self.redirects.add(request, 0 if given.get("followRedirect") is False else REDIRECTS)
        for key in given:
            if key not in _REQUEST:
                self.notes.add(place, f"`{str(key)[:60]}` of the request is left out")
        self._add(request, given, place)

    def _add(self, request: Request, given: Mapping[str, Any], place: str) -> None:
        if len(self.steps) >= STEPS_MAX:
            self.notes.add(place, f"left out: a scenario has at most {STEPS_MAX} requests here")
            return
        self.values.draw(request)
        self.steps.append(Step(request))
        self._capture(given, request, place)
        for kind in ("match", "expect"):
            for one in listed(given.get(kind)):
                for name, held in one.items() if kind == "expect" else [("match", one)]:
                    check(request, str(name), self.values.fill(held, place), place, self.notes)

    def _capture(self, given: Mapping[str, Any], request: Request, place: str) -> None:
        """The values that the session takes: by a path of JSON, a pattern, or a header field."""
        for one in listed(given.get("capture")):
            name = words(one.get("as"))
            kind = next((key for key in ("json", "regexp", "header") if key in one), "")
            source = {"regexp": "regex"}.get(kind, kind)
            if kind and name:
                self.values.take(request, name, f"{source}:{words(one[kind])}", place)
            else:
                what = next((str(key) for key in one if key != "as"), "nothing")
                self.notes.add(place, f"the capture of `{name}` by `{what}` is left out")
            for key in ("transform", "group", "flags"):
                if key in one:
                    self.notes.add(place, f"`{key}` of the capture of `{name}` is left out")

    def _fields(self, given: Mapping[str, Any], place: str) -> Iterator[tuple[str, str]]:
        own = table(given.get("headers"))
        near = {str(name).lower() for name in own}
        usual = table(self.usual.get("headers"))
        inherited = {k: v for k, v in usual.items() if str(k).lower() not in near}
        for name, held in (inherited | own).items():
            yield str(name), words(self.values.fill(words(held), place))
        if given.get("gzip"):
            yield "Accept-Encoding", "gzip"
        if "auth" in given:
            self.notes.add(place, "`auth` is left out: it holds a secret")
            self.hints[keys.basic_hint()] = None

    def _body(self, given: Mapping[str, Any], fields: dict[str, str], place: str) -> Body | None:
        if "json" in given:
            return json_body(self.values.fill(given["json"], place), fields, place, self.notes)
        for kind, made in (("form", content.of_fields), ("formData", content.of_parts)):
            if kind not in given:
                continue
            rows = table(given[kind])
            files = [
                words(held.get("fromFile")) for held in rows.values() if isinstance(held, dict)
            ]
            if files:
                self.notes.add(place, content.without_files(files))
            pairs = [
                (str(name), words(self.values.fill(words(held), place)))
                for name, held in rows.items()
                if not isinstance(held, dict)
            ]
            pairs = masked_pairs(pairs, place, self.notes)
            return made(pairs, fields) if pairs else None
        held = self.values.fill(words(given.get("body")), place)
        return content.with_numbers(content.body(held, fields, place, self.notes), fields)


def listed(given: Any) -> list[dict[str, Any]]:
    """A table, or a list of tables, as a list."""
    return [table(one) for one in (given if isinstance(given, list) else [given]) if one]
