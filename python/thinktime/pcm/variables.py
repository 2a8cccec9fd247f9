"""Variable usages: the inputs of a call, and its outputs."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.pcm.evaluate import Evaluator, Frame, Proxy
from thinktime.pcm.values import Value
from thinktime.pcm.xmi import Element


def name_of(usage: Element) -> str:
    """The name of the variable that a usage characterises, as in `request.size`."""
    parts = []
    at: Element | None = usage.one("namedReference__VariableUsage")
    while at is not None:
        part = at.attributes.get("referenceName")
        if not part:
            raise usage.error("needs a `referenceName`")
        parts.append(part)
        at = at.maybe("innerReference_NamespaceReference")
    return ".".join(parts)


def evaluated(
    usages: Sequence[Element], frame: Frame, evaluator: Evaluator
) -> dict[str, Value | Proxy]:
    """The characterisations of usages, by name as in `file.BYTESIZE`.

    Those of the items of a collection (`items.INNER`) are kept as expressions, because they are
    drawn anew for each item.
    """
    found: dict[str, Value | Proxy] = {}
    for usage in usages:
        name = name_of(usage)
        for item in usage.all("variableCharacterisation_VariableUsage"):
            text = item.specification("specification_VariableCharacterisation")
            # EMF leaves out the first of the types, which is the default.
            id_ = f"{name}.{item.attributes.get('type', 'STRUCTURE')}"
            if "INNER" in name.split("."):
                found[id_] = Proxy(text, frame, usage)
            else:
                found[id_] = evaluator.value(text, frame, usage)
    return found
