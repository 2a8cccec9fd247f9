"""From the files of a model to the parts of a workload and of a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from thinktime import InputError
from thinktime.pcm.composition import Allocation, Service, entry
from thinktime.pcm.evaluate import Evaluator, Proxy
from thinktime.pcm.laws import Exponential
from thinktime.pcm.names import Names, plain
from thinktime.pcm.notes import Notes
from thinktime.pcm.outcomes import Outcome
from thinktime.pcm.pools import Pools
from thinktime.pcm.requests import Variant, variants
from thinktime.pcm.resources import Resource, Resources
from thinktime.pcm.seff import Translator
from thinktime.pcm.usage import Scenario, scenario
from thinktime.pcm.values import Value
from thinktime.pcm.xmi import Element, Models

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0}
"""The units of time that a model may be in, in seconds."""


@dataclass(frozen=True)
class Choices:
    """The user's choices for things that a folder leaves open.

    Attributes:
        os: The operating system of all machines, used instead of the scheduling policies.
        usagemodel: The name of the usage model's file.
        allocation: The name of the allocation's file.
        scenario: The name of the usage scenario.
        time_unit: What one unit of the model's time is: "s", "ms", "us", "min" or "h".
        services: Whether each component is a service of its own on its machine.
    """

    os: str | None = None
    usagemodel: str | None = None
    allocation: str | None = None
    scenario: str | None = None
    time_unit: str | None = None
    services: bool = False


@dataclass(frozen=True)
class Request:
    """A call of users with its variants; each variant is a request of the workload."""

    names: list[str]
    variants: list[Variant]
    element: Element


@dataclass
class Translation:
    """The input of the files.

    Attributes:
        scenarios: The carried ones, with the requests of their calls.
        services: The services on machines: name, machine, and source.
        unit_s: One unit of the model's time, in seconds.
    """

    folder: Path
    scenarios: list[tuple[Scenario, list[Request]]]
    resources: Resources
    pools: Pools
    services: dict[tuple[Element, str], tuple[str, str, str]]
    notes: Notes
    unit_s: float


@dataclass
class _Services:
    names: Names
    wanted: bool
    made: dict[tuple[Element, str], tuple[str, str, str]] = field(default_factory=dict)

    def name(self, service: Service, resource: Resource) -> str:
        if not self.wanted or resource.kind != "machine":
            return resource.name
        key = (service.place[-1], resource.name)
        if key not in self.made:
            name = self.names.unique(service.component.name)
            comment = f"{service.component.file.name}: {service.component.name}"
            self.made[key] = (name, resource.name, comment)
        return self.made[key][0]


def translated(folder: Path, choices: Choices) -> Translation:
    """Read the model in a folder.

    Raises:
        InputError: A file is missing, broken or not the only one of its kind, a reference leads
            nowhere, or an expression makes no sense.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; give that of the PCM files")
    models, notes = Models(folder), Notes()
    evaluator, names = Evaluator(notes), Names()
    usage = models.root(_file(folder, "usagemodel", choices.usagemodel))
    allocation = Allocation.read(
        models.root(_file(folder, "allocation", choices.allocation)), notes
    )
    services = _Services(names, choices.services)
    resources = Resources(evaluator, notes, names, choices.os)
    pools = Pools(evaluator, notes, names)
    translator = Translator(evaluator, notes, resources, pools, allocation, services.name)
    if allocation.root.link("system_Allocation"):
        whole = allocation.root.reference("system_Allocation")
        if whole.maybe("qosAnnotations_System"):
            notes.add(whole.place, "QoS annotations are not carried")
    if usage.maybe("userData_UsageModel"):
        notes.add(usage.place, "user data is not carried")
    request_names = Names()
    carried = [
        (one, [_request(call, inputs, translator, request_names) for call, inputs in one.calls])
        for one in _scenarios(usage, choices, evaluator, notes)
    ]
    unit = choices.time_unit or ("ms" if resources.exact else "s")
    return Translation(folder, carried, resources, pools, services.made, notes, UNITS[unit])


def _file(folder: Path, kind: str, wanted: str | None) -> Path:
    if wanted is not None:
        return _named(folder, wanted, kind)
    found = sorted(folder.rglob(f"*.{kind}"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(f"{folder} has no file *.{kind}; a model needs one")
    names = ", ".join(str(path.relative_to(folder)) for path in found)
    raise InputError(f"{folder} has several files *.{kind}: {names}; choose one with --{kind}")


def _named(folder: Path, wanted: str, kind: str) -> Path:
    """The file that an option names: in the folder, or from here."""
    places = [folder / wanted, Path(wanted)]
    found = next((path for path in places if path.is_file()), None)
    if found is None:
        tried = " and ".join(str(path) for path in dict.fromkeys(places))
        raise InputError(f"--{kind} {wanted}: there is no such file; looked for {tried}")
    return found


def _scenarios(
    usage: Element, choices: Choices, evaluator: Evaluator, notes: Notes
) -> list[Scenario]:
    elements = usage.all("usageScenario_UsageModel")
    if not elements:
        raise usage.error("has no usage scenario")
    if choices.scenario is not None:
        known = [element.name for element in elements]
        if choices.scenario not in known:
            text = ", ".join(known)
            raise usage.error(f"has no usage scenario {choices.scenario!r}, only {text}")
        elements = [elements[known.index(choices.scenario)]]
    found = [scenario(element, evaluator, notes) for element in elements]
    if all(_joinable(one) for one in found):
        return found
    for other in found[1:]:
        text = (
            f"only the first scenario is carried; for this one: --scenario '{other.element.name}'"
        )
        notes.add(other.element.place, text)
    return found[:1]


def _joinable(one: Scenario) -> bool:
    """Whether it can be joined with others: Poisson arrivals of single calls."""
    return one.workload.model == "open" and one.single and poisson(one.workload.time)


def poisson(time: Value) -> bool:
    """Whether times between arrivals make a Poisson process."""
    return isinstance(time, Exponential) and time.least == 0


def _request(
    call: Element,
    inputs: Mapping[str, Value | Proxy],
    translator: Translator,
    names: Names,
) -> Request:
    role = call.reference("providedRole_EntryLevelSystemCall")
    signature = call.reference("operationSignature__EntryLevelSystemCall")
    outcomes = translator.run(Outcome(), entry(role, signature), inputs)
    found = variants(outcomes, translator.notes)
    given = call.attributes.get("entityName", "").strip() or signature.name
    name = names.unique(plain(given))
    return Request(_numbered(name, found), found, call)


def _numbered(name: str, found: Sequence[Variant]) -> list[str]:
    if len(found) == 1:
        return [name]
    return [f"{name}.{number}" for number in range(1, len(found) + 1)]
