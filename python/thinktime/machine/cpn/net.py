"""Hierarchical coloured Petri nets as plain data, before they are written as a file.

A net is a list of pages; a page has places, transitions and arcs. A substitution transition
stands for another page: each port place of that page is the place of the same name on the page
above. Positions are in columns and rows of a page's drawing.

Source: Jensen and Kristensen, Coloured Petri Nets, Springer 2009, chapters 4, 5 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

At = tuple[float, float]
Orientation = Literal["PtoT", "TtoP", "BOTHDIR"]


@dataclass(frozen=True)
class Kind:
    """The kind of the places of one name, on every page.

    Args:
        colours: The name of their colour set.
        initial: Their initial marking in CPN ML; "" for none.
        fusion: Whether places of this name are one place on all pages (a fusion set).
    """

    colours: str
    initial: str = ""
    fusion: bool = False


@dataclass(frozen=True)
class Place:
    """A place as one page draws it; `port` is "In", "Out", "I/O", or "" on its own page."""

    name: str
    at: At
    kind: Kind
    port: str = ""


@dataclass(frozen=True)
class Arc:
    """An arc between a transition and a place, by name, with its inscription."""

    transition: str
    place: str
    orientation: Orientation
    inscription: str


@dataclass
class Transition:
    """A transition; with a `subpage` it stands for that page and has no arcs of its own.

    Args:
        priority: Its priority, the name of a declared number; the lowest number goes first.
    """

    name: str
    at: At
    page: Page
    guard: str = ""
    priority: str = ""
    subpage: Page | None = None

    def take(self, place: str, inscription: str) -> Transition:
        """Take tokens from a place."""
        return self._arc(place, "PtoT", inscription)

    def put(self, place: str, inscription: str) -> Transition:
        """Put tokens on a place."""
        return self._arc(place, "TtoP", inscription)

    def look(self, place: str, inscription: str) -> Transition:
        """Take tokens and put them back: a double arc."""
        return self._arc(place, "BOTHDIR", inscription)

    def change(self, place: str, before: str, after: str) -> Transition:
        """Take tokens, and put others in their place."""
        return self.take(place, before).put(place, after)

    def _arc(self, place: str, orientation: Orientation, inscription: str) -> Transition:
        self.page.arcs.append(Arc(self.name, place, orientation, inscription))
        return self


@dataclass(eq=False)
class Page:
    """A page of a net.

    Args:
        name: Unique among the pages.
        kinds: What places hold, by their names.
    """

    name: str
    kinds: Mapping[str, Kind]
    places: dict[str, Place] = field(default_factory=dict)
    transitions: dict[str, Transition] = field(default_factory=dict)
    arcs: list[Arc] = field(default_factory=list)

    def place(self, name: str, at: At, port: str = "") -> None:
        """Draw a place."""
        self.places[name] = Place(name, at, self.kinds[name], port)

    def ports(self, row: float, names: Mapping[str, float], port: str = "I/O") -> None:
        """Draw several ports in one row, each in its column."""
        for name, column in names.items():
            self.place(name, (column, row), "" if self.kinds[name].fusion else port)

    def transition(self, name: str, at: At, guard: str = "", priority: str = "") -> Transition:
        """Draw a transition; its arcs follow by its methods."""
        self.transitions[name] = Transition(name, at, self, guard, priority)
        return self.transitions[name]

    def substitute(self, name: str, at: At, subpage: Page) -> None:
        """Draw a substitution transition, and the arcs to the places that its ports are."""
        self.transitions[name] = Transition(name, at, self, subpage=subpage)
        directions: dict[str, Orientation] = {"In": "PtoT", "Out": "TtoP", "I/O": "BOTHDIR"}
        for port in subpage.places.values():
            if port.port:
                self.arcs.append(Arc(name, port.name, directions[port.port], ""))

    def below(self) -> list[Page]:
        """The pages that this one's transitions stand for, and theirs, each once."""
        found: list[Page] = []
        for transition in self.transitions.values():
            if transition.subpage is not None:
                found += [transition.subpage, *transition.subpage.below()]
        return found


@dataclass(frozen=True)
class ColourSet:
    """A declared colour set: its kind in CPN Tools, and its parts."""

    name: str
    kind: Literal["unit", "bool", "int", "intinf", "enum", "product", "list"]
    parts: tuple[str, ...] = ()
    timed: bool = False


@dataclass(frozen=True)
class Declarations:
    """The declarations of a net: colour sets, variables by colour set, and blocks of CPN ML."""

    colour_sets: list[ColourSet]
    variables: dict[str, list[str]]
    blocks: dict[str, list[str]]


@dataclass(frozen=True)
class Net:
    """A net: its declarations and its page on top."""

    declarations: Declarations
    top: Page

    def pages(self) -> list[Page]:
        """All pages, the top one first."""
        return [self.top, *self.top.below()]
