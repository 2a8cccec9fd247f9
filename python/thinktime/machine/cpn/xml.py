"""Nets as files of CPN Tools 4, which CPN IDE opens too.

Source: the document type http://cpntools.org/DTD/6/cpn.dtd, and files that CPN Tools wrote.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import count

from thinktime.machine.cpn.net import Arc, ColourSet, Net, Page, Place, Transition

COLUMN, ROW = 330.0, 230.0
"""The size of a column and of a row of a drawing, in CPN Tools' units."""
ELLIPSE, BOX = (110.0, 46.0), (120.0, 46.0)
DOCTYPE = (
    '<!DOCTYPE workspaceElements PUBLIC "-//CPN//DTD CPNXML 1.0//EN" '
    '"http://cpntools.org/DTD/6/cpn.dtd">'
)


def written(net: Net) -> str:
    """Return a net as the text of a `.cpn` file."""
    return _Writer(net).text()


class _Writer:
    """Writes one net; every element gets an id of its own."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.numbers = count(1000001)
        self.page_ids = {page.name: self.new_id() for page in net.pages()}
        self.place_ids = {
            (page.name, name): self.new_id() for page in net.pages() for name in page.places
        }
        self.trans_ids = {
            (page.name, name): self.new_id() for page in net.pages() for name in page.transitions
        }

    def new_id(self) -> str:
        return f"ID{next(self.numbers)}"

    def text(self) -> str:
        root = ET.Element("workspaceElements")
        ET.SubElement(root, "generator", tool="CPN Tools", version="4.0.1", format="6")
        cpnet = ET.SubElement(root, "cpnet")
        self.declarations(ET.SubElement(cpnet, "globbox"))
        for page in self.net.pages():
            self.page(cpnet, page)
        self.fusion_sets(cpnet)
        instances = ET.SubElement(cpnet, "instances")
        top = {"id": self.new_id(), "page": self.page_ids[self.net.top.name]}
        self.instances(ET.SubElement(instances, "instance", top), self.net.top)
        options = ET.SubElement(cpnet, "options")
        option = ET.SubElement(options, "option", name="realtimestamp")
        ET.SubElement(ET.SubElement(option, "value"), "boolean").text = "false"
        ET.SubElement(cpnet, "monitorblock", name="Monitors")
        ET.SubElement(cpnet, "IndexNode", expanded="true")
        ET.indent(root)
        body = ET.tostring(root, encoding="unicode")
        return f'<?xml version="1.0" encoding="iso-8859-1"?>\n{DOCTYPE}\n\n{body}\n'

    # ---- declarations

    def declarations(self, globbox: ET.Element) -> None:
        declared = self.net.declarations
        block = self.block(globbox, "Colour sets")
        for colour_set in declared.colour_sets:
            self.colour_set(block, colour_set)
        block = self.block(globbox, "Variables")
        for colours, names in declared.variables.items():
            var = ET.SubElement(block, "var", id=self.new_id())
            ET.SubElement(ET.SubElement(var, "type"), "id").text = colours
            for name in names:
                ET.SubElement(var, "id").text = name
            ET.SubElement(var, "layout").text = f"var {', '.join(names)}: {colours};"
        for title, texts in declared.blocks.items():
            block = self.block(globbox, title)
            for text in texts:
                ml = ET.SubElement(block, "ml", id=self.new_id())
                ml.text = text
                ET.SubElement(ml, "layout").text = text

    def block(self, globbox: ET.Element, title: str) -> ET.Element:
        block = ET.SubElement(globbox, "block", id=self.new_id())
        ET.SubElement(block, "id").text = title
        return block

    def colour_set(self, block: ET.Element, colour_set: ColourSet) -> None:
        color = ET.SubElement(block, "color", id=self.new_id())
        ET.SubElement(color, "id").text = colour_set.name
        if colour_set.timed:
            ET.SubElement(color, "timed")
        body = ET.SubElement(color, colour_set.kind)
        for part in colour_set.parts:
            ET.SubElement(body, "id").text = part
        joints = {"product": "product " + " * ".join(colour_set.parts)}
        joints["list"] = "list " + "".join(colour_set.parts)
        joints["enum"] = "with " + " | ".join(colour_set.parts)
        definition = joints.get(colour_set.kind, colour_set.kind)
        timed = " timed" if colour_set.timed else ""
        layout = f"colset {colour_set.name} = {definition}{timed};"
        ET.SubElement(color, "layout").text = layout

    # ---- pages

    def page(self, cpnet: ET.Element, page: Page) -> None:
        element = ET.SubElement(cpnet, "page", id=self.page_ids[page.name])
        ET.SubElement(element, "pageattr", name=page.name)
        for place in page.places.values():
            self.place(element, page, place)
        for transition in page.transitions.values():
            self.transition(element, page, transition)
        for number, arc in enumerate(page.arcs):
            self.arc(element, page, arc, number)
        ET.SubElement(element, "constraints")

    def place(self, page_element: ET.Element, page: Page, place: Place) -> None:
        x, y = place.at[0] * COLUMN, -place.at[1] * ROW
        element = ET.SubElement(page_element, "place", id=self.place_ids[page.name, place.name])
        look(element, x, y, thick="1")
        ET.SubElement(element, "text").text = place.name
        ET.SubElement(element, "ellipse", w=str(ELLIPSE[0]), h=str(ELLIPSE[1]))
        ET.SubElement(element, "token", x="-10.0", y="0.0")
        marking = ET.SubElement(element, "marking", x="0.0", y="0.0", hidden="false")
        snap = {"snap_id": "0", "anchor.horizontal": "0", "anchor.vertical": "0"}
        ET.SubElement(marking, "snap", snap)
        if place.kind.fusion:
            info = {"id": self.new_id(), "name": place.name}
            look(ET.SubElement(element, "fusioninfo", info), x - 40, y - 30)
        if place.port:
            info = {"id": self.new_id(), "type": place.port}
            port = ET.SubElement(element, "port", info)
            look(port, x - 40, y - 30)
            ET.SubElement(port, "text").text = place.port
        self.inscription(element, "type", (x + 75, y - 30), place.kind.colours)
        initial = "" if place.port else place.kind.initial
        self.inscription(element, "initmark", (x + 75, y + 30), initial)

    def transition(self, page_element: ET.Element, page: Page, transition: Transition) -> None:
        x, y = transition.at[0] * COLUMN, -transition.at[1] * ROW
        ids = {"id": self.trans_ids[page.name, transition.name], "explicit": "false"}
        element = ET.SubElement(page_element, "trans", ids)
        look(element, x, y, thick="1" if transition.subpage is None else "3")
        ET.SubElement(element, "text").text = transition.name
        ET.SubElement(element, "box", w=str(BOX[0]), h=str(BOX[1]))
        if transition.subpage is not None:
            self.substitution(element, page, transition.subpage, (x, y - 32))
        ET.SubElement(element, "binding", x="7.2", y="-3.0")
        guard = f"[{transition.guard}]" if transition.guard else ""
        self.inscription(element, "cond", (x - 20, y + 34), guard)
        self.inscription(element, "time", (x + 80, y + 34), "")
        self.inscription(element, "code", (x + 80, y - 50), "")
        self.inscription(element, "priority", (x - 70, y - 34), transition.priority)

    def substitution(self, element: ET.Element, page: Page, below: Page, at: At) -> None:
        pairs = "".join(
            f"({self.place_ids[below.name, port.name]},{self.place_ids[page.name, port.name]})"
            for port in below.places.values()
            if port.port
        )
        ids = {"subpage": self.page_ids[below.name], "portsock": pairs}
        subst = ET.SubElement(element, "subst", ids)
        info = ET.SubElement(subst, "subpageinfo", id=self.new_id(), name=below.name)
        look(info, *at)

    def arc(self, page_element: ET.Element, page: Page, arc: Arc, number: int) -> None:
        ids = {"id": self.new_id(), "orientation": arc.orientation, "order": "1"}
        element = ET.SubElement(page_element, "arc", ids)
        look(element, 0.0, 0.0, thick="1")
        ET.SubElement(element, "arrowattr", headsize="1.2", currentcyckle="2")
        trans_id = self.trans_ids[page.name, arc.transition]
        ET.SubElement(element, "transend", idref=trans_id)
        ET.SubElement(element, "placeend", idref=self.place_ids[page.name, arc.place])
        ends = (page.transitions[arc.transition].at, page.places[arc.place].at)
        # Inscriptions of two arcs between the same ends, and of neighbours, stand apart.
        share = (0.3 if arc.orientation == "TtoP" else 0.56) + 0.06 * (number % 3)
        x, y = (ends[0][n] * (1 - share) + ends[1][n] * share for n in (0, 1))
        above = -12 if arc.orientation == "TtoP" else 12
        self.inscription(element, "annot", (x * COLUMN, above - y * ROW), arc.inscription)

    def inscription(self, element: ET.Element, tag: str, at: At, text: str) -> None:
        inner = ET.SubElement(element, tag, id=self.new_id())
        look(inner, *at)
        ET.SubElement(inner, "text", tool="CPN Tools", version="4.0.1").text = text

    # ---- what joins pages

    def fusion_sets(self, cpnet: ET.Element) -> None:
        members: dict[str, list[str]] = {}
        for page in self.net.pages():
            for place in page.places.values():
                if place.kind.fusion:
                    members.setdefault(place.name, []).append(self.place_ids[page.name, place.name])
        for name, ids in members.items():
            fusion = ET.SubElement(cpnet, "fusion", id=self.new_id(), name=name)
            for one in ids:
                ET.SubElement(fusion, "fusion_elm", idref=one)

    def instances(self, element: ET.Element, page: Page) -> None:
        for transition in page.transitions.values():
            if transition.subpage is not None:
                ids = {"id": self.new_id(), "trans": self.trans_ids[page.name, transition.name]}
                self.instances(ET.SubElement(element, "instance", ids), transition.subpage)


At = tuple[float, float]


def look(element: ET.Element, x: float, y: float, thick: str = "0") -> None:
    """Give an element its place, and the colours that CPN Tools writes everywhere."""
    ET.SubElement(element, "posattr", x=f"{x:.6f}", y=f"{y:.6f}")
    pattern = "Solid" if thick == "0" else ""
    ET.SubElement(element, "fillattr", colour="White", pattern=pattern, filled="false")
    ET.SubElement(element, "lineattr", colour="Black", thick=thick, type="Solid")
    ET.SubElement(element, "textattr", colour="Black", bold="false")
