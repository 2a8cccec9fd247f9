"""The link of `run --link`: given as text, or as the one `[[link]]` of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from thinktime import InputError
from thinktime.lab import file
from thinktime.lab.file import Link
from thinktime.lab.lines import Entry, Key, read

CLIENTS, TARGET = "clients", "target"
"""The two hosts between which the link is."""

KEYS: dict[str, Key] = {key: one for key, one in file.LINK.items() if key != "between"} | {
    "congestion_control": file.PLAIN["congestion_control"]
}
"""The permitted properties: the keys of a lab's `[[link]]`, and the way the rate is set."""

_OF_FILES = ("between", "name")
"""Keys of `[[link]]` in files that do not describe the link itself."""

_OF_MODELS = ("initial_window", "segment", "minimum_timeout", "connections")
"""Keys of `[[link]]` in a system file that the kernel's TCP does not take from there."""

_MEASURED = {"delay": "50ms", "jitter": "5ms", "buffer": "64kB"}
"""Keys whose values have a unit, with an example: a number alone is usually a mistake."""

EXAMPLE = "delay = 50ms, loss = 1%, rate = 10Mbit/s"


@dataclass(frozen=True)
class RunLink:
    """A link, and its description."""

    link: Link
    congestion_control: str
    text: str
    """As in `delay = 50ms, loss = 1%`: the given values alone, from either source."""

    @property
    def words(self) -> str:
        """All of it, including the default congestion control."""
        control = self.congestion_control
        return self.text if control in self.text else f"{self.text}; {control}"


def parse_link(said: str) -> RunLink:
    """The link of a text such as `delay = 50ms, loss = 1%`, or of a file with one `[[link]]`.

    Raises:
        InputError: It is wrong; the message names the key.
    """
    if "=" in said or not said.strip():
        return _made(_Text(_pairs(said)))
    try:
        if Path(said).exists() and not Path(said).is_file():
            raise InputError(f"link: {said} is no file")
        _, tables = read(Path(said))
    except OSError as error:
        raise InputError(
            f'link: give it as in "{EXAMPLE}", or a file with one [[link]]; '
            f"{said}: {error.strerror}"
        ) from None
    entries = tables.get("link", [])
    if len(entries) != 1:
        raise InputError(
            f"{said}: a run crosses one link, and the file has {len(entries)} [[link]]"
        )
    return _made(_of_link(entries[0]))


class _Text(Entry):
    """A link that was given as text: it has no file and no lines."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        super().__init__(Path(), "link", said)

    def error(self, key: str, message: str) -> InputError:
        return InputError(f"{': '.join(filter(None, ('link', key)))}: {message}")

    def unknown(self, key: str, hint: str) -> InputError:
        return InputError(f"link: unknown key `{key}`: {hint}")


def _pairs(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not key or not equals or not value:
            raise InputError(f'link: `{part.strip()}`: give keys and values, as in "{EXAMPLE}"')
        if key in _MEASURED and value.strip("0123456789.") == "" and value.strip("0."):
            raise InputError(f"link: {key}: `{value}` has no unit, as {_MEASURED[key]} has")
        if key in found:
            raise InputError(f"link: {key}: is there twice")
        found[key] = value.strip("\"'")
    return found


def _of_link(entry: Entry) -> Entry:
    for key in _OF_MODELS:
        if key in entry.said:
            raise entry.error(
                key, "only a model takes it: a run has the kernel's own TCP; leave it out"
            )
    said = {key: value for key, value in entry.said.items() if key not in _OF_FILES}
    return replace(entry, said=said)


def _made(entry: Entry) -> RunLink:
    found = entry.read(KEYS)
    control = found.pop("congestion_control")
    link = Link(between=(CLIENTS, TARGET), **found)
    if (wrong := file.wrong_with(link)) is not None:
        raise entry.error(*wrong)
    text = ", ".join(f"{key} = {value}" for key, value in entry.said.items())
    return RunLink(link, control, text)
