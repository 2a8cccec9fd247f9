"""The composition of components: from a call to the component that carries it out.

A place is the chain of assembly contexts that leads to a component, the outermost first; the same
component type at two places is two components.
"""

from __future__ import annotations

from dataclasses import dataclass

from thinktime import InputError
from thinktime.pcm.notes import Notes
from thinktime.pcm.xmi import Element

Place = tuple[Element, ...]

COMPOSED = ("CompositeComponent", "SubSystem", "System")


@dataclass(frozen=True)
class Service:
    """The target of a call: a SEFF of a basic component at a place."""

    place: Place
    component: Element
    seff: Element


def component_of(assembly: Element) -> Element:
    """The component type that an assembly context holds."""
    return assembly.reference("encapsulatedComponent__AssemblyContext")


def entry(role: Element, signature: Element) -> Service:
    """The service behind a role that the system provides.

    Raises:
        InputError: Nothing is connected to the role, or a component has no SEFF for the signature.
    """
    if role.parent is None or role.parent.kind not in COMPOSED:
        raise role.error("is no role that a system provides")
    return _provided((), role.parent, role, signature)


def called(place: Place, role: Element, signature: Element) -> Service | None:
    """The service that the component at `place` reaches through a role that it requires.

    None if the system itself requires the role.

    Raises:
        InputError: Nothing is connected to the role.
    """
    if not place:
        return None
    assembly, outer = place[-1], place[:-1]
    structure = assembly.parent
    for connector in structure.all("connectors__ComposedStructure") if structure else []:
        if (
            connector.kind == "AssemblyConnector"
            and connector.reference("requiringAssemblyContext_AssemblyConnector") is assembly
            and connector.reference("requiredRole_AssemblyConnector") is role
        ):
            provider = connector.reference("providingAssemblyContext_AssemblyConnector")
            inner = connector.reference("providedRole_AssemblyConnector")
            return _provided((*outer, provider), component_of(provider), inner, signature)
        if (
            connector.kind == "RequiredDelegationConnector"
            and connector.reference("assemblyContext_RequiredDelegationConnector") is assembly
            and connector.reference("innerRequiredRole_RequiredDelegationConnector") is role
        ):
            further = connector.reference("outerRequiredRole_RequiredDelegationConnector")
            return called(outer, further, signature)
    raise assembly.error(
        f"requires {role.name!r}, to which nothing is connected; "
        f"{structure.name if structure else 'the system'} needs an AssemblyConnector for it"
    )


def _provided(place: Place, component: Element, role: Element, signature: Element) -> Service:
    if component.kind in COMPOSED:
        for connector in component.all("connectors__ComposedStructure"):
            if (
                connector.kind == "ProvidedDelegationConnector"
                and connector.reference("outerProvidedRole_ProvidedDelegationConnector") is role
            ):
                assembly = connector.reference("assemblyContext_ProvidedDelegationConnector")
                inner = connector.reference("innerProvidedRole_ProvidedDelegationConnector")
                return _provided((*place, assembly), component_of(assembly), inner, signature)
        raise component.error(
            f"provides {role.name!r}, but nothing inside carries it out; "
            "it needs a ProvidedDelegationConnector"
        )
    for seff in component.all("serviceEffectSpecifications__BasicComponent"):
        if (
            seff.kind == "ResourceDemandingSEFF"
            and seff.reference("describedService__SEFF") is signature
        ):
            return Service(place, component, seff)
    raise component.error(f"has no ResourceDemandingSEFF for {signature.name!r}")


@dataclass(frozen=True)
class Allocation:
    """The resource container of each assembly context."""

    root: Element
    containers: dict[Element, Element]

    @staticmethod
    def read(root: Element, notes: Notes) -> Allocation:
        """The allocation that a file's root holds, without its event channels."""
        containers = {}
        for context in root.all("allocationContexts_Allocation"):
            assembly = "assemblyContext_AllocationContext"
            if not context.link(assembly) and context.link("eventChannel__AllocationContext"):
                notes.add(context.place, "event channels are left out")
                continue
            container = context.reference("resourceContainer_AllocationContext")
            containers[context.reference(assembly)] = container
        return Allocation(root, containers)

    def container(self, place: Place) -> Element:
        """The container of the component at a place: its own, or that of an enclosing one.

        Raises:
            InputError: None of them is allocated.
        """
        for assembly in reversed(place):
            if assembly in self.containers:
                return self.containers[assembly]
        raise InputError(
            f"{self.root.file.name}: the assembly context {place[-1].name!r} is not allocated; "
            "it needs an AllocationContext"
        )
