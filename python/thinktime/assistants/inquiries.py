"""Tools that answer at once: the docs by question, and files checked and shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thinktime import InputError
from thinktime.assistants.answer import Answer
from thinktime.assistants.call import Call
from thinktime.assistants.search import passages
from thinktime.inputs.files import GivenSystem, GivenWorkload, system_of, workload_of


def docs(question: str) -> list[Any]:
    """Find what Thinktime's own pages say on a question.

    Args:
        question: The question, or words of it, as in "is my test open or closed?".
    """
    return passages(question)


def validate(
    workload: GivenWorkload | None = None, system: GivenSystem | None = None
) -> dict[str, Any]:
    """Check a workload, a system, or both: keys, values, and the files that they name.

    Args:
        workload: The path of a workload file, a published workload's name, or its keys.
        system: The path of a system file, or its keys.

    Raises:
        InputError: One is wrong; the message says where, and what would be right.
    """
    return _loaded(workload, system)


def show(
    workload: GivenWorkload | None = None, system: GivenSystem | None = None
) -> dict[str, Any]:
    """Show a workload, a system, or both, as they are understood: with every key.

    Args:
        workload: The path of a workload file, a published workload's name, or its keys.
        system: The path of a system file, or its keys.

    Raises:
        InputError: One is wrong; the message says where, and what would be right.
    """
    return _loaded(workload, system)


def _loaded(workload: GivenWorkload | None, system: GivenSystem | None) -> dict[str, Any]:
    if workload is None and system is None:
        raise InputError("give a `workload`, a `system`, or both")
    found: dict[str, Any] = {}
    if workload is not None:
        found["workload"] = workload_of(workload)
    if system is not None:
        found["system"] = system_of(system)
    return found


def found(call: Call) -> Answer:
    """The passages of the docs."""
    passed = call.do(docs)
    said = "no page has these words" if not passed else f"{len(passed)} passages, the nearest first"
    return Answer("done", said, figures={"passages": [one.as_dict() for one in passed]})


def validated(call: Call) -> Answer:
    """The names of valid files, and the parts of them that may surprise."""
    loaded = call.do(validate)
    names = [f"{kind} `{one.name}`" for kind, one in loaded.items()]
    workload = loaded.get("workload")
    doubts = [] if workload is None else list(workload.abandoned_steps)
    facts: Mapping[str, Any] = {} if workload is None else _facts(workload)
    return Answer("done", f"valid: {' and '.join(names)}", doubts, figures=facts)


def shown(call: Call) -> Answer:
    """Files with every key: an absent one has its schema's default, or null."""
    loaded = call.do(show)
    facts = _facts(loaded["workload"]) if "workload" in loaded else {}
    tables = {kind: one.tables for kind, one in loaded.items()}
    return Answer("done", f"{' and '.join(loaded)} with every key", figures=facts | tables)


def _facts(workload: Any) -> dict[str, Any]:
    """The arrivals of a workload, and the files that it reads."""
    return {
        "model": workload.model,
        "session_rate": workload.session_rate,
        "request_rate": workload.request_rate,
        "clients": workload.clients,
        "objectives": workload.tables["slo"],
        "files": {name: str(Path(path)) for name, path in workload.files.items()},
    }
