"""Values that sessions take from responses: their names, and where they stand in a response."""

from __future__ import annotations

import json
from collections.abc import Iterable

from thinktime import InputError, _core
from thinktime.importing import toml
from thinktime.importing.draft import Body, Request, plain
from thinktime.importing.notes import Notes

_TAKING = """name = "a"
arrivals = {{ model = "open", rate = "1/s" }}
[[request]]
name = "a"
take = {{ a = {} }}
"""


def is_part(source: str) -> bool:
    """Whether a text names a part of a response, as `json:$.id`, in the notation of `take`."""
    try:
        _core.Workload(_TAKING.format(toml.quoted(source)))
    except InputError:
        return False
    return True


def own_name(name: str) -> str:
    """The name of a value as workload files have it: a letter, then letters, digits and `-`."""
    found = plain(name).replace("_", "-").strip("-")
    return found if found[:1].isalpha() else f"value-{found}"


def settle(kept: Iterable[Request], notes: Notes) -> None:
    """Write the names of values that no request of a population takes as they stand."""
    kept = list(kept)
    there = {name for one in kept for name in one.take}
    for request in kept:
        for mark, name in list(request.draws.items()):
            if "(" not in name and name not in there:  # no distribution
                _write(request, mark, name, notes)


def _write(request: Request, mark: str, name: str, notes: Notes) -> None:
    text = f"the value `{name}` is taken by no request here: its name stands in its place"
    notes.add(request.place, text)
    del request.draws[mark]
    request.target = request.target.replace(mark, name)
    request.headers = json.loads(json.dumps(request.headers).replace(mark, name))
    request.exchange = json.loads(json.dumps(request.exchange).replace(mark, name))
    if request.body is not None:
        held = json.loads(json.dumps(request.body.value).replace(mark, name))
        request.body = Body(request.body.kind, held)
