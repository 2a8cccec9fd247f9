"""JSON values of a stream, one at a time: those of one list, or one after another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from thinktime import InputError

VALUE_MAX = 16_000_000
"""A value with more characters is refused."""

PIECE = 1 << 20
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


def values(stream: TextIO, file: str) -> Iterator[Any]:
    """The items of a JSON list, or the values that follow one another, as in JSON lines.

    At most a value and a piece of the stream are in memory.

    Raises:
        InputError: It is not JSON or no UTF-8, or a value is too large or nested too deeply; the
            message has the line.
    """
    window = _Window(stream, file)
    in_list = window.next_sign() == "["
    if in_list:
        window.at += 1
    while (sign := window.next_sign()) and not (in_list and sign == "]"):
        yield window.value()
    if in_list and not sign:
        raise window.error("the list does not end: is the file whole?")


@dataclass
class _Window:
    """The part of a stream that is in memory, and a place in it."""

    stream: TextIO
    file: str
    text: str = ""
    at: int = 0
    line: int = 1
    ended: bool = False

    def next_sign(self) -> str:
        """The sign that begins the next value, or ends the list; empty at the end."""
        while True:
            found = _BETWEEN.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.text) or self.ended:
                return self.text[self.at : self.at + 1]
            self._read(PIECE)

    def value(self) -> Any:
        """The value at the place, which moves behind it."""
        while True:
            try:
                found, end = _DECODER.raw_decode(self.text, self.at)
            except RecursionError:
                raise self.error("it is nested too deeply") from None
            except ValueError as error:  # the value may go beyond the window
                kept = len(self.text) - self.at
                if self.ended:
                    raise self.error(f"it is no JSON: {_reason(error)}", error) from None
                if kept > VALUE_MAX:
                    raise self.error(
                        f"it is no JSON, or has a conversation of more than {VALUE_MAX:,} "
                        f"characters: {_reason(error)}"
                    ) from None
                self._read(max(PIECE, kept))  # doubled, so that the work stays linear
                continue
            # A number at the end of the window may continue; messages are no numbers.
            self.at = end
            return found

    def _read(self, number: int) -> None:
        self.line += self.text.count("\n", 0, self.at)
        try:
            more = self.stream.read(number)
        except UnicodeDecodeError as error:
            raise InputError(f"{self.file}: is no text in UTF-8: {error.reason}") from None
        self.ended = not more
        self.text, self.at = self.text[self.at :] + more, 0

    def error(self, said: str, at: ValueError | None = None) -> InputError:
        """The error with its line, which is that of the value if no better one is known."""
        place = at.pos if isinstance(at, json.JSONDecodeError) else self.at
        return InputError(f"{self.file}:{self.line + self.text.count(chr(10), 0, place)}: {said}")


def _reason(error: ValueError) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)
