"""The objects and classes of a simulation of Gatling, whose members may have the same names."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from thinktime.importing.javascript.syntax import part, parts, text_of

DEFINITIONS = ("val_definition", "var_definition", "property_declaration", "variable_declarator")
FUNCTIONS = ("function_definition", "function_declaration", "method_declaration")


class Holders:
    """The objects and classes of a simulation: names that several of them have are told apart."""

    def __init__(self, root: Node) -> None:
        """Take the objects below ``root``, the whole file."""
        self.holders: dict[str, set[str]] = {}
        for node in inside(root):
            if node.type in (*DEFINITIONS, *FUNCTIONS):
                inner = [one for one in parts(node) if one.type != "modifiers"]
                name = part(node, "pattern") or part(node, "name") or next(iter(inner), None)
                around = next(_around(node), "")
                if name is not None and around:
                    self.holders.setdefault(plain(name), set()).add(around)

    def name_of(self, node: Node, holder: str = "") -> str:
        """A name, with that of its object before it if other objects have the same name."""
        name = plain(node)
        known = self.holders.get(name, set())
        if len(known) < 2:
            return name
        stated = holder.rpartition(".")[2].strip("` ")
        if holder and stated != "this":
            return f"{stated}.{name}" if stated in known else name
        own = next((one for one in _around(node) if one in known), None)
        return f"{own}.{name}" if own else name


_OBJECTS = ("object_definition", "class_definition", "trait_definition", "class_declaration",
            "object_declaration", "companion_object")  # fmt: skip


def _around(node: Node) -> Iterator[str]:
    """The names of the objects and classes around a node, the nearest first."""
    outer = node.parent
    while outer is not None:
        if outer.type in _OBJECTS:
            name = part(outer, "name")
            inner = (one for one in parts(outer) if one.type.endswith("identifier"))
            name = name if name is not None else next(inner, None)
            if name is not None:
                yield plain(name)
        outer = outer.parent


def inside(root: Node) -> Iterator[Node]:
    """A node and all below it, in their order."""
    waiting = [root]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.named_children))


def plain(name: Node) -> str:
    """The text of a name."""
    return text_of(name).partition(":")[0].strip("` ")
