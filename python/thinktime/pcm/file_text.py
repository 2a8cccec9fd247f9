"""The text of the files that an import makes."""

from __future__ import annotations

import json
from collections.abc import Iterator

from thinktime.pcm.laws import Exponential, mixed, number
from thinktime.pcm.requests import Variant, written
from thinktime.pcm.steps import Step
from thinktime.pcm.translate import Request, Translation, poisson
from thinktime.pcm.usage import Scenario
from thinktime.pcm.values import Value, distribution, law_of


def quoted(text: str) -> str:
    """A text as TOML and Luau write it."""
    return json.dumps(text, ensure_ascii=False)


def _line(text: str) -> str:
    """A text that is valid in a comment: in one line, without control characters."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))


def _comment(text: str) -> str:
    return "# " + _line(text)


def _share(p: float) -> str:
    return f"{p:.12g}"


# ---- workload


def workload(made: Translation, script: str) -> str:
    """The workload file; `script` is the name of the sessions' program, if there is one."""
    first = made.scenarios[0][0]
    lines = [
        _comment(f"Made by `thinktime import-pcm` from {made.folder.resolve().name}."),
        *(_comment(f"{one.element.place[0]}: {one.element.place[1]}") for one, _ in made.scenarios),
        f"name = {quoted(first.element.name)}",
        "seed = 1",
        "",
        *_arrivals(made),
        *_session(made, first, script),
    ]
    for one, requests in made.scenarios:
        rate = _rate(one, made.unit_s) if len(made.scenarios) > 1 else 1.0
        for place, request in enumerate(requests):
            share = rate * sum(way.probability for way in one.passes if _calls(way.steps, place))
            for name, variant in zip(request.names, request.variants, strict=True):
                lines += ["", "[[request]]", _comment(": ".join(request.element.place))]
                lines.append(f"name   = {quoted(name)}")
                if not script:
                    lines.append(f"weight = {_share(share * variant.probability)}")
                lines.append(f"get    = {quoted('/' + name)}")
    return "\n".join(lines) + "\n"


def _calls(steps: tuple[Step, ...], place: int) -> bool:
    return any(step.kind == "use" and step.name == str(place) for step in steps)


def _arrivals(made: Translation) -> Iterator[str]:
    first = made.scenarios[0][0]
    work = first.workload
    yield "[arrivals]"
    if work.model == "closed":
        yield 'model   = "closed"'
        yield f"clients = {work.clients}"
        return
    yield f"model   = {quoted('open' if first.single else 'partly-open')}"
    if poisson(work.time):
        rate = sum(_rate(one, made.unit_s) for one, _ in made.scenarios)
        yield f"rate    = {quoted(number(rate) + '/s')}"
    elif len(distribution(work.time, {})) == 1 and _constant(work.time):
        yield 'process = "even"'
        yield f"rate    = {quoted(number(_rate(first, made.unit_s)) + '/s')}"
    else:
        yield f"process = {quoted(mixed(law_of(work.time, {}), made.unit_s))}"


def _constant(time: Value) -> bool:
    return isinstance(time, int | float)


def _rate(one: Scenario, unit_s: float) -> float:
    time = one.workload.time
    mean = time.scale if isinstance(time, Exponential) else time
    if not isinstance(mean, int | float) or mean <= 0:
        raise one.workload.element.error("needs a time between arrivals above 0")
    return 1.0 / (mean * unit_s)


def _session(made: Translation, first: Scenario, script: str) -> Iterator[str]:
    closed = first.workload.model == "closed"
    if not closed and not script:
        return
    yield ""
    yield "[session]"
    if closed:
        yield f"think  = {quoted(mixed(law_of(first.workload.time, {}), made.unit_s))}"
    if script:
        yield f"script = {quoted(script)}"


# ---- sessions of several calls


def program(made: Translation) -> str:
    """The Luau program of a session, if a pass has more than one call; otherwise empty."""
    one, requests = made.scenarios[0]
    if one.single:
        return ""
    lines = [
        "-- " + _line(f"A pass through `{one.element.name}` of {one.element.file.name}."),
        "",
        "-- Sends one of the variants of a request, each with its probability.",
        "local function call(client, variants)",
        "\tlocal left = client.random:uniform()",
        "\tlocal chosen = variants[1][2]",
        "\tfor _, variant in variants do",
        "\t\tchosen = variant[2]",
        "\t\tleft -= variant[1]",
        "\t\tif left < 0 then",
        "\t\t\tbreak",
        "\t\tend",
        "\tend",
        '\tclient:get("/" .. chosen, { name = chosen })',
        "end",
        "",
        "return function(client)",
        "\tlocal way = client.random:uniform()",
    ]
    below = 0.0
    for count, way in enumerate(one.passes, 1):
        below += way.probability
        last = count == len(one.passes)
        opening = "\tdo" if last else f"\tif way < {_share(below)} then"
        lines.append(opening)
        for step in way.steps:
            if step.kind == "delay":
                lines.append(f"\t\tclient:think({quoted(written(step, way.known, made.unit_s))})")
            else:
                lines.append(f"\t\tcall(client, {_variants(requests[int(step.name)])})")
        lines += [] if last else ["\t\treturn"]
        lines.append("\tend")
    return "\n".join([*lines, "end"]) + "\n"


def _variants(request: Request) -> str:
    pairs = zip(request.names, request.variants, strict=True)
    texts = (f"{{ {_share(variant.probability)}, {quoted(name)} }}" for name, variant in pairs)
    return "{ " + ", ".join(texts) + " }"


# ---- system


def system(made: Translation) -> str:
    """The system file; its comments list the parts that are not carried."""
    lines = [
        _comment(f"Made by `thinktime import-pcm` from {made.folder.resolve().name}."),
        _comment(f"One unit of the model's time is taken as {made.unit_s:g} s."),
    ]
    if len(made.notes):
        lines += ["#", "# Not carried, or approximated:"]
        lines += [_comment(f"- {note}") for note in made.notes]
    root = made.scenarios[0][0].element
    lines.append(f"name = {quoted(root.file.stem)}")
    for table in (_machines, _stations, _services, _pools, _behaviours):
        lines += table(made)
    return "\n".join(lines) + "\n"


def _machines(made: Translation) -> Iterator[str]:
    for one in made.resources.made.values():
        if one.kind == "machine" and one.used:
            yield from ("", _comment(one.comment), "[[machine]]")
            yield f"name  = {quoted(one.name)}"
            yield f"cores = {one.servers}"
            yield f"os    = {quoted(one.how)}"


def _stations(made: Translation) -> Iterator[str]:
    for one in made.resources.made.values():
        if one.kind == "station" and one.used:
            yield from ("", _comment(one.comment), "[[station]]")
            yield f"name    = {quoted(one.name)}"
            yield f"servers = {one.servers}"
            yield f"policy  = {quoted(one.how)}"
    if not any(one.used and one.kind != "delay" for one in made.resources.made.values()):
        yield from ("", "# All that requests do is to wait, but a system needs a station.")
        yield from ("[[station]]", 'name = "unused"')


def _services(made: Translation) -> Iterator[str]:
    for name, machine, comment in made.services.values():
        yield from ("", _comment(comment), "[[service]]")
        yield f"name    = {quoted(name)}"
        yield f"machine = {quoted(machine)}"


def _pools(made: Translation) -> Iterator[str]:
    for pool in made.pools.made.values():
        yield from ("", _comment(pool.comment), "[[pool]]")
        yield f"name = {quoted(pool.name)}"
        yield f"size = {pool.size}"


def _behaviours(made: Translation) -> Iterator[str]:
    for _, requests in made.scenarios:
        for request in requests:
            for name, variant in zip(request.names, request.variants, strict=True):
                yield from ("", "[[behaviour]]")
                yield f"request = {quoted(name)}"
                yield "steps = ["
                yield from _steps(variant, variant.steps, made.unit_s)
                yield "]"


def _steps(variant: Variant, steps: tuple[Step, ...], unit_s: float) -> Iterator[str]:
    indent = "  "
    if not steps:
        yield f'{indent}{{ delay = "0s" }},'
    source = ""
    for step in steps:
        at = _line(step.source[1])
        comment = f"  # {at}" if at and at != source else ""
        source = at
        yield f"{indent}{_inline(variant, step, unit_s)},{comment}"


def _inline(variant: Variant, step: Step, unit_s: float) -> str:
    match step.kind:
        case "use":
            law = quoted(written(step, variant.known, unit_s))
            return f"{{ use = {quoted(step.name)}, demand = {law} }}"
        case "delay":
            return f"{{ delay = {quoted(written(step, variant.known, unit_s))} }}"
        case "fork":
            parts = (
                f"[{', '.join(_inline(variant, one, unit_s) for one in part)}]"
                for part in step.parts
            )
            return f"{{ fork = [{', '.join(parts)}] }}"
    return f"{{ {step.kind} = {quoted(step.name)} }}"
