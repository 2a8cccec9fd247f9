"""curl's command lines, from a file: as they are typed, or as browsers copy them.

Source: https://curl.se/docs/manpage.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from thinktime import InputError
from thinktime.importing import keys
from thinktime.importing.addresses import one_origin
from thinktime.importing.curl import command_line, here_documents, shell
from thinktime.importing.curl import requests as curl_requests
from thinktime.importing.curl.command_line import Command
from thinktime.importing.draft import Draft, Request, a_visit, seconds, stem
from thinktime.importing.notes import Notes
from thinktime.importing.redirects import Redirects

REQUESTS_MAX = 20_000
"""At most this many requests are taken of a file: a short pattern stands for many."""

_AROUND = ("do", "then", "time", "sudo", "command", "exec", "!", "{")
"""Words that may precede a command."""

_BRANCHES = ("for", "while", "until", "if", "case", "else", "elif")
_ENDS = ("done", "fi", "esac", "}", "wait", "set", "true")
"""Words without an effect on requests."""


@dataclass
class _Reading:
    """The commands so far."""

    notes: Notes
    requests: list[Request] = field(default_factory=list)
    hints: dict[str, None] = field(default_factory=dict)
    waits: list[tuple[int, float, str]] = field(default_factory=list)
    """The number of requests before each, its seconds, and its place."""

    cookies: bool = False
    redirects: Redirects = field(default_factory=Redirects)

    def take(self, before: str, words: list[str], place: str) -> None:
        """Take a command, which stands behind an operator."""
        words = _without_words_around(words)
        first = words[0] if words else ""
        if first in _BRANCHES:
            self.notes.add(place, f"`{first}` is not followed: its commands are taken once")
            words = _without_words_around(words[1:])
            first = "curl" if words[:1] == ["curl"] else ""
        if first == "sleep":
            self._sleep(words, place)
        elif first == "curl" and before == "||":
            self.notes.add(place, "left out: it stands behind `||`, for failures of another")
        elif first == "curl":
            if before == "&":
                self.notes.add(place, "`&` is left out: commands wait for one another")
            for part in _between_next(words[1:]):
                self._curl(command_line.command(part, place, self.notes), place)
        elif first and first not in _ENDS and before != "|":
            # What reads the answer of another command sends nothing.
            self.notes.add(place, f"left out: {_named(first)} is no curl command")

    def _curl(self, command: Command, place: str) -> None:
        self.cookies |= command.has("-b", "--cookie", "-c", "--cookie-jar")
        self.hints |= dict.fromkeys(_hints(command))
        for request in curl_requests.requests(command, place, self.notes):
            if len(self.requests) == REQUESTS_MAX:
                self.notes.add(place, f"the file has more than {REQUESTS_MAX} requests")
                return
            self.redirects.add(request, _redirects(command))
            self.requests.append(request)

    def _sleep(self, words: list[str], place: str) -> None:
        given = [_seconds(word) for word in words[1:]]
        known = [one for one in given if one is not None]
        if not known or len(known) < len(given):
            self.notes.add(place, "`sleep` is left out: its time is no number")
        else:
            self.waits.append((len(self.requests), sum(known), place))

    def wait(self, kept: list[Request]) -> None:
        """Make the waits the think times of these requests, each of the last one before it."""
        before, waits_s = 0, dict.fromkeys(kept, 0.0)
        last: Request | None = None
        for until, wait_s, place in self.waits:
            for request in self.requests[before:until]:
                last = request if request in waits_s else last
            before = until
            if last is None:
                self.notes.add(place, "`sleep` is left out: it stands before the first request")
            else:
                waits_s[last] += wait_s
        for request, wait_s in waits_s.items():
            request.think = seconds(wait_s) if wait_s else None


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a file of commands: one request each, in their order.

    Raises:
        InputError: No command could be taken.
    """
    notes = Notes()
    found = _Reading(notes)
    for number, line in shell.lines(here_documents.inline(text)):
        place = f"line {number}"
        try:
            commands = list(shell.commands(line))
        except ValueError as error:
            notes.add(place, f"left out: its quotes do not match: {error}")
            continue
        for before, words in commands:
            found.take(before, words, place)
        for variable in shell.variables(line):
            notes.add(place, f"`{variable}` of the shell has no value here: it is sent as written")
    origin, requests = one_origin(found.requests, notes)
    if not requests:
        raise InputError(
            f"{file}: has no curl command with a URL of http or https{notes.reasons()}"
        )
    found.wait(requests)
    population = a_visit(requests, "the commands are taken as the requests of one visit")
    population.hints = list(found.hints)
    if found.cookies:
        population.session["cookies"] = True
    found.redirects.write(population, notes)
    return Draft(stem(name), f"{name} (curl)", [population], notes, origin)


def _without_words_around(words: list[str]) -> list[str]:
    """A command without the words and the variables that may precede it."""
    for at, word in enumerate(words):
        if word not in _AROUND and not re.match(r"[A-Za-z_]\w*=", word):
            return words[at:]
    return words


def _named(word: str) -> str:
    """A command's word for notes: the name of a command or of a variable, and nothing secret."""
    variable = re.match(r"[A-Za-z_]\w*(?==)", word)
    if variable is not None:
        return f"`{variable[0]}=`"
    return f"`{word}`" if re.fullmatch(r"[A-Za-z_./][\w./+-]*", word) else "this line"


def _seconds(word: str) -> float | None:
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([smhd]?)", word)
    return float(found[1]) * {"m": 60, "h": 3600, "d": 86400}.get(found[2], 1) if found else None


def _between_next(words: list[str]) -> Iterator[list[str]]:
    """Several transfers of one command, between which `--next` stands."""
    part: list[str] = []
    for word in words:
        if word in ("--next", "-:"):
            yield part
            part = []
        else:
            part.append(word)
    yield part


def _redirects(command: Command) -> int:
    """The number of redirects that a command follows; -1 for any number."""
    if not command.has("-L", "--location", "--location-trusted"):
        return 0
    most = command.values("--max-redirs")
    return int(most[-1]) if most and re.fullmatch(r"\d{1,6}", most[-1]) else (-1 if most else 50)


def _hints(command: Command) -> Iterator[str]:
    fields = [given.lower() for given in command.values("-H", "--header")]
    if command.has("--oauth2-bearer") or any("authorization: bearer" in one for one in fields):
        yield keys.bearer_hint()
    if command.has("-u", "--user") or any("authorization: basic" in one for one in fields):
        yield keys.basic_hint()
