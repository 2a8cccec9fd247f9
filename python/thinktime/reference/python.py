"""The reference of the Python package, made of its signatures and docstrings.

`python -m thinktime.reference.python FILE` writes it; `make site` puts it on the site.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import thinktime

_HEAD = """# Python reference

Everything that `import thinktime as tt` offers, made of signatures and docstrings by
`python -m thinktime.reference.python`. [In Python and in notebooks](python.md) shows how it goes
together.
"""
_SECTION = re.compile(r"^(Args|Raises|Returns|Yields):\n", re.MULTILINE)
_ENTRY = re.compile(r"^ {4}(\**[\w.]+): +", re.MULTILINE)
_TITLES = {"Args": "Takes", "Raises": "Raises", "Returns": "Gives", "Yields": "Gives"}


def text() -> str:
    """The whole page in Markdown."""
    names = [name for name in thinktime.__all__ if not name.startswith("_")]
    found = {name: getattr(thinktime, name) for name in names}
    kinds = {
        "Functions": [name for name in names if not inspect.isclass(found[name])],
        "Classes": [name for name in names if _is_class(found[name])],
        "Exceptions": [name for name in names if _is_exception(found[name])],
    }
    # A name in small letters is used as a function, even if it is a class.
    small = [name for name in kinds["Classes"] if name.islower()]
    kinds["Functions"] = sorted([*kinds["Functions"], *small])
    kinds["Classes"] = [name for name in kinds["Classes"] if name not in small]
    parts = [_HEAD]
    for title, members in kinds.items():
        parts.append(f"## {title}\n")
        for name in members:
            parts += _described(name, found[name])
    return "\n".join(parts).rstrip() + "\n"


def _is_exception(one: object) -> bool:
    return inspect.isclass(one) and issubclass(one, BaseException)


def _is_class(one: object) -> bool:
    return inspect.isclass(one) and not _is_exception(one)


def _described(name: str, one: Any) -> Iterator[str]:
    yield f"### `{name}`\n"
    if inspect.isclass(one) and not _is_exception(one) and not name.islower():
        yield from _doc(one)
        yield from _members(one)
        return
    if not _is_exception(one):
        yield textwrap.indent(f"{name}{_signature(one, name)}\n", "    ")
    yield from _doc(one, one.__init__ if name.islower() and inspect.isclass(one) else None)


def _doc(one: Any, maker: Any = None) -> Iterator[str]:
    """A docstring in Markdown, and below it that of the maker, if any."""
    for source in (one, maker):
        documented = inspect.getdoc(source) if source is not None else None
        if not documented:
            continue
        first, *sections = _SECTION.split(documented)
        if first.strip():
            yield _plain(first)
        for title, body in zip(sections[::2], sections[1::2], strict=True):
            yield f"{_TITLES[title]}:\n"
            yield _entries(body)


def _entries(body: str) -> str:
    """The entries of a section as a list."""
    first, *parts = _ENTRY.split(body)
    if not parts:
        return _plain(inspect.cleandoc(first))
    entries = zip(parts[::2], parts[1::2], strict=True)
    return "\n".join(f"- `{name}`: {' '.join(words.split())}" for name, words in entries) + "\n"


def _plain(words: str) -> str:
    """Text unchanged, except for signs that have a meaning in Markdown."""
    return words.strip().replace("<", "&lt;") + "\n"


def _members(one: type) -> Iterator[str]:
    lines = [f"- `{shown}`" + (f": {words}" if words else "") for shown, words in _public(one)]
    if lines:
        yield "\n".join(lines) + "\n"


def _public(one: type) -> Iterator[tuple[str, str]]:
    """Fields, properties and methods of a class, each with the first lines of its docstring."""
    fields = {name: field for base in one.__mro__[:-1] for name, field in _fields(base).items()}
    for name, (annotation, words) in fields.items():
        yield f"{name}: {annotation}", words
    stub = _stubs().get(one.__name__, {})
    order = {name: place for place, name in enumerate(stub)}
    # Compiled classes have no order of their members.
    ours = [base for base in one.__mro__ if base is one or base.__module__.startswith("thinktime")]
    members = {name: member for base in reversed(ours) for name, member in vars(base).items()}
    for name, member in sorted(members.items(), key=lambda item: order.get(item[0], 0)):
        if name.startswith("_") or name in fields:
            continue
        # A static method that was added later has only its function's docstring.
        source = getattr(one, name) if isinstance(member, staticmethod) else member
        words = " ".join((inspect.getdoc(source) or "").split("\n\n")[0].split())
        yield stub.get(name) or _member(name, member, getattr(one, name)), words


def _member(name: str, member: Any, bound: Any) -> str:
    """A method with its signature, a property with its type."""
    if callable(bound):
        return f"{name}{_signature(bound, name)}"
    getter = getattr(member, "fget", None) or getattr(member, "func", None)
    gives = getattr(getter, "__annotations__", {}).get("return", "")
    return f"{name}: {gives}".replace("_core.", "")


def _signature(one: Any, name: str) -> str:
    stub = _stubs().get("", {}).get(name)
    if stub is not None:
        return stub.removeprefix(name)
    signature = inspect.signature(one)
    kept = [
        each.replace(annotation=_Annotation(each.annotation))
        for each in signature.parameters.values()
        if each.name not in ("self", "cls")
    ]
    gives = signature.empty if inspect.isclass(one) else _Annotation(signature.return_annotation)
    shown = str(signature.replace(parameters=kept, return_annotation=gives))
    return shown if len(shown) < _WIDTH else _folded(shown)


class _Annotation:
    """An annotation as written."""

    def __init__(self, written: object) -> None:
        self._written = str(written).replace("_core.", "")

    def __repr__(self) -> str:
        return self._written


_WIDTH = 84


def _folded(shown: str) -> str:
    """A long signature with a parameter a line."""
    depth, lines, line = 0, [], ""
    end = shown.rindex(") ->") if ") ->" in shown else len(shown) - 1
    for letter in shown[1:end]:
        depth += (letter in "[(") - (letter in ")]")
        if letter == "," and depth == 0:
            lines.append(f"    {line.strip()},")
            line = ""
        else:
            line += letter
    lines.append(f"    {line.strip()},")
    return "(\n" + "\n".join(lines) + "\n" + shown[end:]


def _fields(one: type) -> dict[str, tuple[str, str]]:
    """The annotated attributes of a class with the text below each."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(one)))
    except (OSError, TypeError):
        return {}  # compiled: the stubs list its members
    (cls,) = tree.body
    assert isinstance(cls, ast.ClassDef)
    found = {}
    for node, below in zip(cls.body, [*cls.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            documented = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            words = str(below.value.value) if documented else ""  # type: ignore[union-attr]
            if not node.target.id.startswith("_"):
                annotation = ast.unparse(node.annotation).replace("_core.", "")
                found[node.target.id] = (annotation, " ".join(words.split("\n\n")[0].split()))
    return found


@cache
def _stubs() -> dict[str, dict[str, str]]:
    """Signatures of compiled items, by class and name; functions are of the class ''."""
    path = Path(thinktime.__file__).with_name("_core.pyi")
    found: dict[str, dict[str, str]] = {"": {}}
    for node in ast.parse(path.read_text("utf-8")).body:
        compiled = inspect.isbuiltin(getattr(thinktime, getattr(node, "name", ""), None))
        if isinstance(node, ast.FunctionDef) and compiled:
            found[""][node.name] = _stub(node)
        if isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            found[node.name] = {one.name: _stub(one) for one in methods}
    return found


def _stub(node: ast.FunctionDef) -> str:
    decorators = [ast.unparse(one) for one in node.decorator_list]
    gives = "" if node.returns is None else ast.unparse(node.returns)
    if "property" in decorators:
        return f"{node.name}: {gives}"
    node.args.args = [one for one in node.args.args if one.arg not in ("self", "cls")]
    return f"{node.name}({ast.unparse(node.args)}) -> {gives}"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), "utf-8")
