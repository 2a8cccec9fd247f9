"""The templates of scripts, as `{{ id }}` and `#{id}`, and the values that sessions have for them.

A name stands for a known value of the script, for a draw, or for what a request takes from its
response. For any other the name itself stands in its place, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from thinktime.importing import content, secrets, toml
from thinktime.importing.draft import Body, Request, plain
from thinktime.importing.marks import Marks
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import words
from thinktime.importing.takes import is_part, own_name

DEPTH_MAX = 5
TEXT_MAX = 100_000


@dataclass
class Values:
    """Fills the templates of one script.

    Attributes:
        pattern: A template, whose group is what stands in it.
        drawn: Gives what is neither a value nor taken: a mark, a text, or None if it is unknown.
        known: The values of the script's own names.
        files: The names of columns, each with its file.
        taken: The names that requests take, with those that they have in the workload.
    """

    notes: Notes
    pattern: re.Pattern[str]
    drawn: Callable[[str], str | None]
    known: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    marks: Marks = field(default_factory=Marks)

    def take(self, request: Request, name: str, source: str, place: str) -> None:
        """Let a request take a value, as `json:$.id`, from its response."""
        if not is_part(source):
            text = f"the value `{name}` is left out: `{source[:80]}` is nothing that `take` knows"
            self.notes.add(place, text)
            return
        self.taken.setdefault(name, own_name(name))
        request.take[self.taken[name]] = source

    def fill(self, given: Any, place: str) -> Any:
        """A value with its templates filled: a text, or the texts within a table or a list."""
        if isinstance(given, dict):
            return {self.fill(str(k), place): self.fill(one, place) for k, one in given.items()}
        if isinstance(given, list):
            return [self.fill(one, place) for one in given]
        if not isinstance(given, str):
            return given
        for _ in range(DEPTH_MAX):  # values may have templates
            before, given = given, self.pattern.sub(lambda one: self._one(one, place), given)
            if given == before or len(given) > TEXT_MAX:
                break
        return given

    def _one(self, found: re.Match[str], place: str) -> str:
        name = next(one for one in found.groups() if one is not None).strip()
        if name in self.taken:
            return self.marks.add(self.taken[name], "value")
        if name in self.known and (held := words(self.known[name])):
            return secrets.variable(name, held, place, self.notes)
        made = self.drawn(name)
        if made is not None:
            return made
        text = f"the value `{name[:60]}` is known only in a run: its name stands in its place"
        if name in self.files:
            text = (
                f"`{name[:60]}` is a column of `{self.files[name]}`: its name stands in its place"
            )
        self.notes.add(place, text)
        return plain(name)

    def draw(self, request: Request) -> None:
        """Give a request what the marks in its texts stand for."""
        body = request.body.value if request.body is not None else ""
        sent = f"{request.target} {request.headers} {body} {request.exchange}"
        request.draws = self.marks.within(sent)


def json_body(held: Any, fields: dict[str, str], place: str, notes: Notes) -> Body | None:
    """The body of a value that is sent as JSON, without secrets."""
    made = content.of_value(secrets.masked(held, place, notes), fields)
    return content.with_numbers(made, fields)


def column_note(file: str, columns: Iterable[str]) -> str:
    """What to write for a file of values, which an import does not name itself."""
    names = ", ".join(f"`{{{one}}}`" for one in columns)
    text = f"the file `{file[:80]}` is left out: put `data = [{toml.quoted(file[:80])}]` into the "
    return f"{text}table of the session{f', and {names} into requests' if names else ''}"
