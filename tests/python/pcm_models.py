"""Small models of the Palladio Component Model, written out as its files."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

TYPES = "pathmap://PCM_MODELS/Palladio.resourcetype#"
CPU, HDD, DELAY = "_oro4gG3fEdy4YaaT-RYrLQ", "_BIjHoQ3KEdyouMqirZIhzQ", "_nvHX4KkREdyEA_b89s7q9w"
SCHEDULERS = "pathmap://PCM_EXACT_SCHEDULER_MODELS/ExactSchedulers.resourcetype#"
EXACT = SCHEDULERS + "edu.kit.ipd.sdq.pcm.simulation.scheduler.exact."
PALLADIO = "http://palladiosimulator.org/PalladioComponentModel"

Action = Callable[[str, str, str], str]
"""Writes an action, given its id and the ids before and behind it."""

numbers = itertools.count(1)


def head(tag: str, prefix: str, what: str) -> str:
    """The opening of a root element."""
    names = {
        "repository": "Repository",
        "seff": "SEFF",
        "system": "System",
        "composition": "Core/Composition",
        "usagemodel": "UsageModel",
        "allocation": "Allocation",
        "resourceenvironment": "ResourceEnvironment",
    }
    spaces = " ".join(f'xmlns:{name}="{PALLADIO}/{path}/5.2"' for name, path in names.items())
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{prefix}:{tag} xmi:version="2.0" '
        'xmlns:xmi="http://www.omg.org/XMI" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xmlns:stoex="http://sdq.ipd.uka.de/StochasticExpressions/2.2" {spaces} '
        f'id="_{what}" entityName="{what}">\n'
    )


# ---- services


def behaviour(tag: str, actions: Sequence[Action], attributes: str = "") -> str:
    """A behaviour of a service, from its start to its stop."""
    ids = [f"_a{next(numbers)}" for _ in range(len(actions) + 2)]
    texts = [f'<steps_Behaviour xsi:type="seff:StartAction" id="{ids[0]}" '
             f'successor_AbstractAction="{ids[1]}"/>\n']  # fmt: skip
    for at, action in enumerate(actions, 1):
        texts.append(action(ids[at], ids[at - 1], ids[at + 1]))
    texts.append(f'<steps_Behaviour xsi:type="seff:StopAction" id="{ids[-1]}"/>\n')
    return f"<{tag} {attributes}>\n{''.join(texts)}</{tag}>\n"


def action(kind: str, inner: str = "", attributes: str = "") -> Action:
    """An action of a service."""

    def text(own: str, before: str, behind: str) -> str:
        return (
            f'<steps_Behaviour xsi:type="seff:{kind}" id="{own}" entityName="{kind}{own}" '
            f'predecessor_AbstractAction="{before}" successor_AbstractAction="{behind}" '
            f"{attributes}>\n{inner}</steps_Behaviour>\n"
        )

    return text


def spec(tag: str, expression: str) -> str:
    """An element that holds an expression."""
    return f"<{tag} specification={quoteattr(expression)}/>\n"


def internal(*demands: tuple[str, str]) -> Action:
    """An internal action with demands: each a resource type and an expression."""
    texts = (
        "<resourceDemand_Action>\n"
        + spec("specification_ParametericResourceDemand", expression)
        + f'<requiredResource_ParametricResourceDemand href="{TYPES}{kind}"/>\n'
        + "</resourceDemand_Action>\n"
        for kind, expression in demands
    )
    return action("InternalAction", "".join(texts))


def cpu(expression: str) -> Action:
    """A demand on the processor."""
    return internal((CPU, expression))


def branch(*ways: tuple[float | str, Sequence[Action]]) -> Action:
    """A branch: by probabilities, or by guards."""
    texts = []
    for way, actions in ways:
        guarded = isinstance(way, str)
        kind = "Guarded" if guarded else "Probabilistic"
        share = "" if guarded else f'branchProbability="{way}"'
        texts.append(
            f'<branches_Branch xsi:type="seff:{kind}BranchTransition" id="_b{next(numbers)}" '
            f"{share}>\n"
            + behaviour("branchBehaviour_BranchTransition", actions)
            + (spec("branchCondition_GuardedBranchTransition", str(way)) if guarded else "")
            + "</branches_Branch>\n"
        )
    return action("BranchAction", "".join(texts))


def loop(count: str, *actions: Action) -> Action:
    """A loop."""
    body = behaviour("bodyBehaviour_Loop", actions)
    return action("LoopAction", body + spec("iterationCount_LoopAction", count))


def each(*actions: Action) -> Action:
    """A loop over the items of the parameter `items`."""
    body = behaviour("bodyBehaviour_Loop", actions)
    attributes = 'parameter_CollectionIteratorAction="//@interfaces__Repository.0/'
    attributes += '@signatures__OperationInterface.0/@parameters__OperationSignature.0"'
    return action("CollectionIteratorAction", body, attributes)


def fork(parts: Sequence[Sequence[Action]], free: Sequence[Sequence[Action]] = ()) -> Action:
    """A fork: parts that are waited for, and others."""
    inner = "".join(behaviour("asynchronousForkedBehaviours_ForkAction", part) for part in free)
    if parts:
        tag = "synchronousForkedBehaviours_SynchronisationPoint"
        texts = "".join(behaviour(tag, part) for part in parts)
        inner += f"<synchronisingBehaviours_ForkAction>\n{texts}"
        inner += "</synchronisingBehaviours_ForkAction>\n"
    return action("ForkAction", inner)


def acquire(pool: str) -> Action:
    """Take a place."""
    return action("AcquireAction", "", f'passiveresource_AcquireAction="_{pool}"')


def release(pool: str) -> Action:
    """Give a place back."""
    return action("ReleaseAction", "", f'passiveResource_ReleaseAction="_{pool}"')


def usage(tag: str, values: dict[str, str]) -> str:
    """Variable usages, as in {"size.VALUE": "3"}."""
    texts = []
    for name, expression in values.items():
        path, _, kind = name.rpartition(".")
        first, _, inner = path.partition(".")
        if inner:
            reference = (
                f'<namedReference__VariableUsage xsi:type="stoex:NamespaceReference" '
                f'referenceName="{first}"><innerReference_NamespaceReference '
                f'xsi:type="stoex:VariableReference" referenceName="{inner}"/>'
                "</namedReference__VariableUsage>\n"
            )
        else:
            reference = (
                '<namedReference__VariableUsage xsi:type="stoex:VariableReference" '
                f'referenceName="{first}"/>\n'
            )
        texts.append(
            f'<{tag}>\n<variableCharacterisation_VariableUsage type="{kind}">\n'
            + spec("specification_VariableCharacterisation", expression)
            + f"</variableCharacterisation_VariableUsage>\n{reference}</{tag}>\n"
        )
    return "".join(texts)


def call(inputs: dict[str, str] | None = None, returns: dict[str, str] | None = None) -> Action:
    """A call of the service `back` of the other component."""
    inner = usage("inputVariableUsages__CallAction", inputs or {})
    inner += usage("returnVariableUsage__CallReturnAction", returns or {})
    attributes = 'calledService_ExternalService="_back" role_ExternalService="_front-requires"'
    return action("ExternalCallAction", inner, attributes)


def returning(values: dict[str, str]) -> Action:
    """The return values of a service, as in {"RETURN.VALUE": "3"}."""
    return action("SetVariableAction", usage("localVariableUsages_SetVariableAction", values))


# ---- files


def repository(front: Sequence[Action], back: Sequence[Action] = (), more: str = "") -> str:
    """Two components: `Front`, which users call, and `Back`, which it calls.

    `more` is the further content of `Front`: pools, parameters.
    """
    tag = "serviceEffectSpecifications__BasicComponent"
    kind = 'xsi:type="seff:ResourceDemandingSEFF" id="_seff-{0}" describedService__SEFF="_{0}"'
    role = (
        '<{0} xsi:type="repository:Operation{1}Role" id="_{2}" entityName="{2}" '
        '{3}Interface__Operation{1}Role="_i{4}"/>\n'
    )
    provided, required = (
        "providedRoles_InterfaceProvidingEntity",
        "requiredRoles_InterfaceRequiringEntity",
    )
    return (
        head("Repository", "repository", "types")
        + '<components__Repository xsi:type="repository:BasicComponent" id="_frontend" '
        + 'entityName="Front">\n'
        + role.format(provided, "Provided", "front-provides", "provided", "front")
        + role.format(required, "Required", "front-requires", "required", "back")
        + more
        + behaviour(tag, front, kind.format("front"))
        + "</components__Repository>\n"
        + '<components__Repository xsi:type="repository:BasicComponent" id="_backend" '
        + 'entityName="Back">\n'
        + role.format(provided, "Provided", "back-provides", "provided", "back")
        + behaviour(tag, back, kind.format("back"))
        + "</components__Repository>\n"
        + "".join(
            '<interfaces__Repository xsi:type="repository:OperationInterface" '
            f'id="_i{name}" entityName="I{name}">\n'
            f'<signatures__OperationInterface id="_{name}" entityName="{name}">\n'
            '<parameters__OperationSignature parameterName="items"/>\n'
            "</signatures__OperationInterface>\n</interfaces__Repository>\n"
            for name in ("front", "back")
        )
        + "</repository:Repository>\n"
    )


def pool(name: str, size: str) -> str:
    """A passive resource."""
    return (
        f'<passiveResource_BasicComponent id="_{name}" entityName="{name}">\n'
        + spec("capacity_PassiveResource", size)
        + "</passiveResource_BasicComponent>\n"
    )


def system() -> str:
    """The two components put together."""
    tag = "connectors__ComposedStructure"
    return (
        head("System", "system", "system")
        + "".join(
            f'<assemblyContexts__ComposedStructure id="_{name}-at" entityName="{name}">\n'
            '<encapsulatedComponent__AssemblyContext xsi:type="repository:BasicComponent" '
            f'href="m.repository#_{kind}"/>\n</assemblyContexts__ComposedStructure>\n'
            for name, kind in (("front", "frontend"), ("back", "backend"))
        )
        + f'<{tag} xsi:type="composition:ProvidedDelegationConnector" id="_c1" '
        + 'outerProvidedRole_ProvidedDelegationConnector="_users" '
        + 'assemblyContext_ProvidedDelegationConnector="_front-at">\n'
        + '<innerProvidedRole_ProvidedDelegationConnector href="m.repository#_front-provides"/>\n'
        + f'</{tag}>\n<{tag} xsi:type="composition:AssemblyConnector" id="_c2" '
        + 'requiringAssemblyContext_AssemblyConnector="_front-at" '
        + 'providingAssemblyContext_AssemblyConnector="_back-at">\n'
        + '<providedRole_AssemblyConnector href="m.repository#_back-provides"/>\n'
        + '<requiredRole_AssemblyConnector href="m.repository#_front-requires"/>\n'
        + f"</{tag}>\n"
        + '<providedRoles_InterfaceProvidingEntity xsi:type="repository:OperationProvidedRole" '
        + 'id="_users" entityName="users">\n'
        + '<providedInterface__OperationProvidedRole href="m.repository#_ifront"/>\n'
        + "</providedRoles_InterfaceProvidingEntity>\n</system:System>\n"
    )


def resource(kind: str, policy: str, rate: str = "1", servers: int = 1) -> str:
    """A resource of a container."""
    link = policy if ":" in policy else TYPES + policy
    return (
        f'<activeResourceSpecifications_ResourceContainer id="_r{next(numbers)}" '
        f'numberOfReplicas="{servers}">\n<schedulingPolicy href="{link}"/>\n'
        f'<activeResourceType_ActiveResourceSpecification href="{TYPES}{kind}"/>\n'
        + spec("processingRate_ProcessingResourceSpecification", rate)
        + "</activeResourceSpecifications_ResourceContainer>\n"
    )


ONE = resource(CPU, "ProcessorSharing")


def environment(one: str = ONE, two: str = ONE, link: str = "") -> str:
    """Two containers, `one` and `two`, with their resources."""
    tag = "resourceContainer_ResourceEnvironment"
    return (
        head("ResourceEnvironment", "resourceenvironment", "environment")
        + link
        + f'<{tag} id="_one" entityName="one">\n{one}</{tag}>\n'
        + f'<{tag} id="_two" entityName="two">\n{two}</{tag}>\n'
        + "</resourceenvironment:ResourceEnvironment>\n"
    )


def allocation(front: str = "one", back: str = "one") -> str:
    """Which container each component runs on."""
    return (
        head("Allocation", "allocation", "allocation")
        + "".join(
            f'<allocationContexts_Allocation id="_on-{name}">\n'
            f'<resourceContainer_AllocationContext href="m.resourceenvironment#_{at}"/>\n'
            f'<assemblyContext_AllocationContext href="m.system#_{name}-at"/>\n'
            "</allocationContexts_Allocation>\n"
            for name, at in (("front", front), ("back", back))
        )
        + "</allocation:Allocation>\n"
    )


def users(body: str, workload: str, name: str = "users") -> str:
    """A usage scenario."""
    return (
        f'<usageScenario_UsageModel id="_s-{name}" entityName="{name}">\n{body}{workload}'
        "</usageScenario_UsageModel>\n"
    )


def opened(time: str) -> str:
    """An open workload."""
    return (
        '<workload_UsageScenario xsi:type="usagemodel:OpenWorkload">\n'
        + spec("interArrivalTime_OpenWorkload", time)
        + "</workload_UsageScenario>\n"
    )


def closed(clients: int, think: str) -> str:
    """A closed workload."""
    return (
        f'<workload_UsageScenario xsi:type="usagemodel:ClosedWorkload" population="{clients}">\n'
        + spec("thinkTime_ClosedWorkload", think)
        + "</workload_UsageScenario>\n"
    )


def walk(actions: Sequence[Action], tag: str = "scenarioBehaviour_UsageScenario") -> str:
    """The behaviour of users, from start to stop."""
    ids = [f"_u{next(numbers)}" for _ in range(len(actions) + 2)]
    start = f'<actions_ScenarioBehaviour xsi:type="usagemodel:Start" id="{ids[0]}" '
    texts = [start + f'successor="{ids[1]}"/>\n']
    for at, one in enumerate(actions, 1):
        texts.append(one(ids[at], ids[at - 1], ids[at + 1]))
    texts.append(f'<actions_ScenarioBehaviour xsi:type="usagemodel:Stop" id="{ids[-1]}"/>\n')
    return f'<{tag} id="_w{next(numbers)}">\n{"".join(texts)}</{tag}>\n'


def act(kind: str, inner: str = "", name: str = "") -> Action:
    """An action of users."""

    def text(own: str, before: str, behind: str) -> str:
        return (
            f'<actions_ScenarioBehaviour xsi:type="usagemodel:{kind}" id="{own}" '
            f'entityName="{name or kind + own}" predecessor="{before}" successor="{behind}">\n'
            f"{inner}</actions_ScenarioBehaviour>\n"
        )

    return text


def enter(inputs: dict[str, str] | None = None, name: str = "order") -> Action:
    """A call of the system."""
    inner = (
        '<providedRole_EntryLevelSystemCall href="m.system#_users"/>\n'
        '<operationSignature__EntryLevelSystemCall href="m.repository#_front"/>\n'
    )
    inner += usage("inputParameterUsages_EntryLevelSystemCall", inputs or {})
    return act("EntryLevelSystemCall", inner, name)


def usagemodel(*scenarios: str) -> str:
    """A usage model; by default one call a second."""
    given = scenarios or (users(walk([enter()]), opened("Exp(1.0)")),)
    return head("UsageModel", "usagemodel", "usage") + "".join(given) + "</usagemodel:UsageModel>\n"


def write(folder: Path, front: Sequence[Action], **files: str) -> Path:
    """Write a model; files by their kind, as in `system=...`, replace the usual ones."""
    texts = {
        "repository": "",
        "system": system(),
        "resourceenvironment": environment(),
        "allocation": allocation(),
        "usagemodel": usagemodel(),
        **files,
    }
    texts["repository"] = texts["repository"] or repository(front)
    for kind, text in texts.items():
        (folder / f"m.{kind}").write_text(text, encoding="utf-8")
    return folder


def on_stations(system: str) -> str:
    """A system whose machines are stations, for formulas about stations."""
    system = system.replace("[[machine]]", "[[station]]").replace("cores = ", "servers = ")
    return re.sub(r"os +=.*", 'policy = "ps"', system)
