"""The syntax trees of JavaScript and TypeScript, made by tree-sitter. Nothing is run.

Source: https://tree-sitter.github.io/tree-sitter/ and its grammar of TypeScript, which holds
JavaScript.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

__all__ = ["Node", "inside", "line_of", "name_of", "parse", "part", "parts", "text_of"]

FUNCTIONS = ("arrow_function", "function_expression", "function_declaration", "method_definition",
             "generator_function", "generator_function_declaration")  # fmt: skip


@cache
def _language() -> Language:
    return Language(tree_sitter_typescript.language_typescript())


def parse(script: str) -> Node:
    """The root of a script; parts that are no JavaScript are nodes of the type `ERROR`."""
    return Parser(_language()).parse(script.encode("utf-8", "replace")).root_node


def text_of(node: Node | None) -> str:
    """The text of a node; empty for none."""
    found = node.text if node is not None else None
    return found.decode("utf-8", "replace") if found else ""


def name_of(node: Node) -> str:
    """What a call calls, or an assignment assigns to, without values that may be secret."""
    return text_of(part(node, "function") or part(node, "left"))[:60]


def line_of(node: Node) -> int:
    """The line that a node begins in, from 1."""
    return int(node.start_point[0]) + 1


def parts(node: Node | None) -> list[Node]:
    """The named parts of a node, without comments."""
    found = node.named_children if node is not None else []
    return [one for one in found if one.type != "comment"]


def part(node: Node | None, name: str) -> Node | None:
    """The part of a node that the grammar gives this name."""
    return node.child_by_field_name(name) if node is not None else None


def inside(node: Node, *, kinds: tuple[str, ...]) -> Iterator[Node]:
    """The nodes of some types within a node, in the order of the text."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type in kinds:
            yield one
        waiting.extend(reversed(one.children))
