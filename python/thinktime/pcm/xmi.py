"""XMI files of the Eclipse Modeling Framework: elements, and references between files.

Format: OMG, XML Metadata Interchange 2.0; references as in Steinberg et al., EMF: Eclipse Modeling
Framework, 2nd edition, chapter 15 (fragment paths such as `//@usageScenario_UsageModel.0`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote
from xml.parsers import expat

from thinktime import InputError

BYTES_MAX = 32 * 1024 * 1024
"""Larger files are refused."""

DEPTH_MAX = 200
"""Files with deeper nesting are refused."""

TYPE = "http://www.w3.org/2001/XMLSchema-instance}type"
XMI_ID = "http://www.omg.org/XMI}id"


@dataclass(eq=False)
class Element:
    """One element of a file; two are the same only if they are the same object."""

    models: Models
    file: Path
    line: int
    tag: str
    attributes: dict[str, str]
    parent: Element | None
    children: list[Element] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The class of the element: its `xsi:type`, or its tag, without a prefix."""
        return self.attributes.get(TYPE, self.tag).rpartition(":")[2]

    @property
    def id(self) -> str:
        """The element's `id`; empty without one."""
        return self.attributes.get("id") or self.attributes.get(XMI_ID, "")

    @property
    def name(self) -> str:
        """The `entityName`; without one, the id or the line."""
        given = self.attributes.get("entityName", "").strip()
        return given or self.id or f"line {self.line}"

    @property
    def place(self) -> tuple[str, str]:
        """The file's name; the element's kind and name."""
        return self.file.name, f"{self.kind} `{self.name}`"

    def error(self, message: str) -> InputError:
        """An error that names the file, the line and the element."""
        return InputError(f"{self.file.name}:{self.line}: {self.place[1]}: {message}")

    def all(self, tag: str) -> list[Element]:
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def one(self, *tags: str) -> Element:
        """The first child with one of these tags.

        Raises:
            InputError: There is no such child.
        """
        found = self.maybe(*tags)
        if found is None:
            raise self.error(f"needs an element `{tags[0]}`")
        return found

    def maybe(self, *tags: str) -> Element | None:
        """The first child with one of these tags, if there is one."""
        return next((child for child in self.children if child.tag in tags), None)

    def specification(self, *tags: str) -> str:
        """The stochastic expression of the child with one of these tags.

        Raises:
            InputError: There is no such child, or it has no expression.
        """
        child = self.one(*tags)
        text = child.attributes.get("specification", "").strip()
        if not text:
            raise self.error(f'`{child.tag}` needs a `specification`, as in "Exp(2.0)"')
        return text

    def link(self, name: str) -> str | None:
        """The text of the reference `name`: an id, a path, or FILE#FRAGMENT; None if absent."""
        child = self.maybe(name)
        if child is not None and "href" in child.attributes:
            return child.attributes["href"]
        return self.attributes.get(name)

    def reference(self, name: str) -> Element:
        """The element that the reference `name` leads to.

        Raises:
            InputError: The reference is absent, or leads nowhere.
        """
        link = self.link(name)
        if not link:
            raise self.error(f"needs a reference `{name}`")
        try:
            return self.models.resolve(self.file, link)
        except InputError as error:
            raise self.error(f"`{name}` refers to {link!r}: {error}") from None


@dataclass
class Models:
    """The files of one folder, each read when it is first needed.

    Attributes:
        folder: The folder of the files.
        read: The roots of the files read so far.
    """

    folder: Path
    read: dict[Path, Element] = field(default_factory=dict)
    by_id: dict[Path, dict[str, Element]] = field(default_factory=dict)
    twice: dict[Path, set[str]] = field(default_factory=dict)

    def root(self, file: Path) -> Element:
        """The root element of a file.

        Raises:
            InputError: The file is missing, too large, not XML, or has a document type.
        """
        file = file.resolve()
        if file not in self.read:
            ids: dict[str, Element] = {}
            self.read[file] = _parsed(self, file, ids)
            self.by_id[file] = ids
        return self.read[file]

    def resolve(self, base: Path, link: str) -> Element:
        """The element that a link in the file `base` leads to.

        Raises:
            InputError: It leads nowhere.
        """
        location, mark, fragment = link.rpartition("#")
        root = self.root(self._file(base, location) if mark else base)
        if fragment in ("/", ""):
            return root
        if fragment.startswith("//@"):
            return _along(root, fragment)
        if fragment in self.twice[root.file]:
            raise InputError(f"{root.file.name} has several elements with the id {fragment!r}")
        found = self.by_id[root.file].get(fragment)
        if found is None:
            raise InputError(f"{root.file.name} has no element with the id {fragment!r}")
        return found

    def _file(self, base: Path, location: str) -> Path:
        name = unquote(location)
        if not name:
            return base
        near = base.parent / name
        if ":" not in name and near.is_file():
            return near
        plain = name.rpartition("/")[2]
        found = sorted(self.folder.rglob(plain)) if plain else []
        if not found:
            raise InputError(f"the file {plain or name!r} is not in {self.folder}")
        return found[0]


def _along(root: Element, path: str) -> Element:
    at = root
    for part in path.strip("/").split("/"):
        step = re.fullmatch(r"@([^.]+)(?:\.(\d+))?", part)
        same = at.all(step[1]) if step else []
        index = int(step[2] or 0) if step else 0
        if index >= len(same):
            raise InputError(f"{root.file.name} has no element at {path!r}")
        at = same[index]
    return at


def _content(file: Path) -> bytes:
    try:
        size = file.stat().st_size
        if size > BYTES_MAX:
            raise InputError(f"{file.name}: has {size} bytes, at most {BYTES_MAX} are read")
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file.name}: {error.strerror or error}") from None


def _parsed(models: Models, file: Path, ids: dict[str, Element]) -> Element:
    data = _content(file)
    roots: list[Element] = []
    twice = models.twice.setdefault(file, set())
    open_now: list[Element] = []
    parser = expat.ParserCreate(namespace_separator="}")

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(open_now) >= DEPTH_MAX:
            raise InputError(f"{file.name}: nested deeper than {DEPTH_MAX} elements")
        parent = open_now[-1] if open_now else None
        plain = tag.rpartition("}")[2]
        line = parser.CurrentLineNumber
        element = Element(models, file, line, plain, dict(attributes), parent)
        (parent.children if parent else roots).append(element)
        open_now.append(element)
        if element.id in ids:
            twice.add(element.id)
        if element.id:
            ids.setdefault(element.id, element)

    def doctype(*_: object) -> None:
        raise InputError(f"{file.name}: has a document type (DTD); take it out")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_now.pop()
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except InputError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:
        # Python does not know the encoding, or has no table of its bytes.
        raise InputError(f"{file.name}: is no XML: {error}") from None
    return roots[0]
