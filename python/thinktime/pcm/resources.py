"""Resource containers: the translation of their processors, disks and links.

Resource types are Palladio's own (`pathmap://PCM_MODELS/Palladio.resourcetype`); the exact
schedulers are those of Happe, Predicting Software Performance in Symmetric Multi-core and
Multiprocessor Environments, 2008.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from thinktime import InputError
from thinktime.pcm.evaluate import Evaluator, Frame
from thinktime.pcm.names import Names
from thinktime.pcm.notes import Notes
from thinktime.pcm.values import Value, mean
from thinktime.pcm.xmi import Element

TYPES = {
    "_oro4gG3fEdy4YaaT-RYrLQ": "CPU",
    "_BIjHoQ3KEdyouMqirZIhzQ": "HDD",
    "_nvHX4KkREdyEA_b89s7q9w": "DELAY",
    "_o3sScH2AEdyH8uerKnHYug": "LAN",
}
"""The ids of Palladio's resource types."""

SIGNATURES = {
    "_wF22kE5CEeCUKeckjJ_n-w": "CPU",
    "_ygMyEE5CEeCUKeckjJ_n-w": "HDD",
    "_zUFtIE5CEeCUKeckjJ_n-w": "HDD",
}
"""The ids of the signatures of Palladio's resource interfaces."""

SCHEDULERS = {
    "linux26o1": "linux-2.6.22",
    "linux26cfs": "linux-cfs",
    "winserver2003": "windows-server-2003",
    "winxp": "windows-xp",
    "winvista": "windows-vista",
    "win7": "windows-7",
}
"""The ends of the exact schedulers' names, and Thinktime's presets."""

SERVERS_MAX = 1_000_000


@dataclass
class Resource:
    """A machine, a station or a delay of the system file.

    Attributes:
        kind: "machine", "station" or "delay".
        name: Its name in the system file.
        servers: Cores or servers.
        how: The preset of a machine, the policy of a station.
        rate: The work that it does in a unit of time.
        comment: Its source.
        used: Whether anything uses it.
    """

    kind: str
    name: str
    servers: int
    how: str
    rate: Value
    comment: str
    used: bool = False


@dataclass
class Resources:
    """The resources of all containers and links, made when they are first used.

    Attributes:
        os: The preset of all processors, used instead of their scheduling policies.
        exact: Whether a processor has an exact scheduler, for which one unit of time is 1 ms.
    """

    evaluator: Evaluator
    notes: Notes
    names: Names
    os: str | None
    made: dict[Element, Resource] = field(default_factory=dict)
    exact: bool = False

    def resource(self, container: Element, kind: str, demand: Element) -> Resource:
        """The resource of a kind ("CPU") in a container, or in the one around it.

        Raises:
            InputError: The resource does not exist.
        """
        at: Element | None = container
        while at is not None:
            for specification in at.all("activeResourceSpecifications_ResourceContainer"):
                name = "activeResourceType_ActiveResourceSpecification"
                if resource_type(specification, name) == kind:
                    return self._resource(at, specification, kind)
            at = at.parent
        raise demand.error(f"needs {kind}, which the container {container.name!r} does not have")

    def _resource(self, container: Element, specification: Element, kind: str) -> Resource:
        if specification not in self.made:
            made = self._made(container, specification, kind)
            self.made[specification] = made
        return self.made[specification]

    def _made(self, container: Element, specification: Element, kind: str) -> Resource:
        text = specification.specification("processingRate_ProcessingResourceSpecification")
        rate = self.evaluator.value(text, Frame(), specification)
        if not float(mean(rate)) > 0:
            raise specification.error(f"needs a processing rate above 0, not {text}")
        if specification.maybe("readProcessingRate", "writeProcessingRate"):
            text = "rates of reading and writing are not carried, only the processing rate"
            self.notes.add(specification.place, text)
        if _number(specification, "MTTF") > 0:
            self.notes.add(specification.place, "failures (MTTF, MTTR) are left out")
        policy = (specification.link("schedulingPolicy") or "").rpartition("#")[2]
        servers = _servers(specification)
        comment = f"{container.file.name}: {container.name}, {kind}"
        how = self._how(policy, kind, specification)
        name = container.name if kind == "CPU" else f"{container.name} {kind.lower()}"
        if how[0] == "delay":
            return Resource("delay", name, servers, "", rate, comment)
        return Resource(how[0], self.names.unique(name), servers, how[1], rate, comment)

    def _how(self, policy: str, kind: str, specification: Element) -> tuple[str, str]:
        if kind == "DELAY" or policy.lower() == "delay":
            return "delay", ""
        exact = SCHEDULERS.get(policy.rpartition(".")[2].lower())
        self.exact = self.exact or exact is not None
        if kind == "CPU" and self.os is not None:
            return "machine", self.os
        if exact is not None:
            return "machine", exact
        if policy == "ProcessorSharing":
            return ("machine", "processor-sharing") if kind == "CPU" else ("station", "ps")
        if policy == "FCFS":
            return "station", "fcfs"
        known = ", ".join(["ProcessorSharing", "FCFS", "Delay", *SCHEDULERS])
        raise specification.error(f"the scheduling policy {policy!r} is unknown; known: {known}")

    def link(self, one: Element, other: Element) -> Element | None:
        """The linking resource between two containers, if there is one."""
        environment = one
        while environment.parent is not None:
            environment = environment.parent
        for link in environment.all("linkingResources__ResourceEnvironment"):
            ends = connected(link)
            if one in ends and other in ends:
                return link
        return None

    def line(self, link: Element) -> Resource:
        """The station of a link, whose demands are bytes."""
        if link not in self.made:
            specification = link.one("communicationLinkResourceSpecifications_LinkingResource")
            text = specification.specification("throughput_CommunicationLinkResourceSpecification")
            rate = self.evaluator.value(text, Frame(), specification)
            if _number(specification, "failureProbability") > 0:
                self.notes.add(link.place, "failures are left out")
            if not float(mean(rate)) > 0:
                raise specification.error(f"needs a throughput above 0, not {text}")
            name = self.names.unique(link.name if "entityName" in link.attributes else "link")
            comment = f"{link.file.name}: {link.name}"
            self.made[link] = Resource("station", name, 1, "fcfs", rate, comment)
        return self.made[link]


def connected(link: Element) -> list[Element]:
    """The containers that a linking resource connects."""
    name = "connectedResourceContainers_LinkingResource"
    links = [child.attributes["href"] for child in link.all(name) if "href" in child.attributes]
    links += link.attributes.get(name, "").split()
    return [link.models.resolve(link.file, text) for text in links]


def resource_type(element: Element, name: str) -> str:
    """The kind of resource that a reference names: "CPU", "HDD", "DELAY", or another's name."""
    link = element.link(name)
    if link is None:
        raise element.error(f"needs a reference `{name}` to a resource type")
    fragment = link.rpartition("#")[2]
    if fragment in TYPES:
        return TYPES[fragment]
    if link.startswith("pathmap:"):
        known = ", ".join(TYPES.values())
        raise element.error(f"the resource type {link!r} is unknown; known are {known}")
    return element.reference(name).name


def _number(specification: Element, name: str) -> float:
    text = specification.attributes.get(name, "0")
    try:
        return float(text)
    except ValueError:
        raise specification.error(f"{name} is {text!r}, which is no number") from None


def _servers(specification: Element) -> int:
    text = specification.attributes.get("numberOfReplicas", "1")
    if not text.isdigit() or not 1 <= int(text) <= SERVERS_MAX:
        message = f"numberOfReplicas is {text!r}; it needs a whole number of 1 or more"
        raise specification.error(message)
    return int(text)


def check_os(name: str, known: list[str]) -> None:
    """Refuse the name of an operating system that is neither a preset nor a file."""
    if name not in known and not name.endswith(".toml"):
        text = ", ".join(known)
        raise InputError(
            f"the operating system {name!r} is unknown; known are {text}, or FILE.toml"
        )
