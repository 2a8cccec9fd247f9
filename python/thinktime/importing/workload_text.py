"""The text of the workload file that an import makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from thinktime.importing import keys
from thinktime.importing.draft import Draft, Population, Request, all_of, named
from thinktime.importing.toml import comment, key, line, quoted, value

NOTES_MAX = 200
"""At most this many notes stand in the file; standard error shows all of them."""


def workload(draft: Draft) -> str:
    """The file, with comments on the origin of its parts and on the omitted ones."""
    lines = [*_head(draft), f"name = {quoted(draft.name)}", ""]
    several = len(draft.populations) > 1
    for population in draft.populations:
        if several:
            lines += ["[[population]]", f"name = {quoted(population.name)}", ""]
        lines += _population(population, "population." if several else "")
    if draft.slo:
        lines += ["[slo]", *aligned((name, value(one)) for name, one in draft.slo.items())]
    return "\n".join(lines).rstrip() + "\n"


def _head(draft: Draft) -> Iterator[str]:
    yield from comment(f"Made by thinktime from {draft.source}.")
    target = line(draft.origin) or "http://127.0.0.1:8080"
    options = f" {draft.options}" if draft.options else ""
    # A command is not broken into lines.
    yield f"# Run it: thinktime run THIS_FILE --target {target}{options}"
    notes = list(draft.notes)
    if notes:
        yield from ("#", "# Not carried over:")
        for note in notes[:NOTES_MAX]:
            yield from comment(f"- {note}", "  ")
        if len(notes) > NOTES_MAX:
            yield f"# - and {len(notes) - NOTES_MAX} more, which the import has named"


def _population(population: Population, head: str) -> Iterator[str]:
    requests = all_of(population)
    named(requests)
    think = _usual([one.think for one in population.requests])
    yield f"[{head}arrivals]"
    yield from comment(population.why)
    yield from aligned((name, value(given)) for name, given in population.arrivals.items())
    yield ""
    session = list(_session(population, think))
    if session:
        yield from (f"[{head}session]", *aligned(session), "")
    common = _common(requests)
    names = any(one.take for one in requests)  # sessions take values from their responses
    if common or population.hints or population.connections:
        yield f"[{head}clients]"
        if population.connections:
            yield f"connections = {value(population.connections)}"
        draws = {mark: law for one in requests for mark, law in one.draws.items()}
        written = keys.headers(common, names=names)
        yield from aligned((name, _meant(text, draws)) for name, text in written)
        yield from (f"# {hint}" for hint in population.hints)
        yield ""
    for request in requests:
        yield f"[[{head}request]]"
        yield from comment(request.about) if request.about else ()
        yield from aligned(_request(request, population, think, common, names=names))
        if request.checks:
            yield f"[{head}request.checks]"
            yield from aligned((key(name), value(one)) for name, one in request.checks.items())
        yield ""


def _session(population: Population, think: str | None) -> Iterator[tuple[str, str]]:
    for name, given in population.session.items():
        yield name, value(given)
    if population.first:
        yield "first", _shares(population.first)
    if population.arrivals["model"] != "open":
        yield "think", quoted(think or "0s")


def _request(
    request: Request,
    population: Population,
    think: str | None,
    common: dict[str, str],
    *,
    names: bool,
) -> Iterator[tuple[str, str]]:
    yield "name", quoted(request.name)
    if request in population.weights:
        yield "weight", f"{population.weights[request]:.12g}"
    own = {k: v for k, v in request.headers.items() if k not in common}
    for name, text in [*keys.request_keys(request, names=names), *keys.headers(own, names=names)]:
        yield name, _meant(text, request.draws)
    if request.stream:
        yield "stream", quoted(request.stream)
    if request.tokens:
        yield "tokens", value(request.tokens)
    if request.take:
        yield "take", value(request.take)
    if request.timeout:
        yield "timeout", quoted(request.timeout)
    if request.next:
        yield "next", _shares(request.next)
    open_now = population.arrivals["model"] == "open"
    if request.think is not None and request.think != think and not open_now:
        yield "think", quoted(request.think)
    if request.objects:
        counts = Counter(one.name for one in request.objects)
        of = ", ".join(f"{key(name)} = {count}" for name, count in counts.items())
        yield "objects", f'{{ count = "{len(request.objects)}", of = {{ {of} }} }}'


def _meant(text: str, draws: Mapping[str, str]) -> str:
    """A text with what its marks stand for, in braces."""
    for mark, meaning in draws.items():
        text = text.replace(mark, f"{{{meaning}}}")
    return text


def _shares(shares: Iterable[tuple[Request | None, float]]) -> str:
    pairs = ((one.name if one else "end", share) for one, share in shares)
    return "{ " + ", ".join(f"{key(name)} = {share:.12g}" for name, share in pairs) + " }"


def _usual(thinks: Sequence[str | None]) -> str | None:
    """The most common think time."""
    found = Counter(one for one in thinks if one is not None).most_common(1)
    return found[0][0] if found else None


def _common(requests: Sequence[Request]) -> dict[str, str]:
    """The header fields that all requests send, if there are several, or of a WebSocket."""
    if len(requests) < 2 and not any("send" in one.exchange for one in requests):
        return {}
    first, *others = (request.headers for request in requests)
    return {k: v for k, v in first.items() if all(one.get(k) == v for one in others)}


def aligned(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Lines of a table, with their values below one another."""
    written = list(pairs)
    width = max((len(name) for name, _ in written), default=0)
    return (f"{name:<{width}} = {given}" for name, given in written)
