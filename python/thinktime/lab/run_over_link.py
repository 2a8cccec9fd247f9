"""A run whose connections cross a link, wherever its target is: `run --link`.

There is a lab of two hosts. The threads of the generator make their sockets in one. In the other a
`relay` listens, whose own connections to the target are made outside. So each connection of a
client, from its set-up to its end, crosses the link. The rest of the run stays in its usual place.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from thinktime import _core
from thinktime._core import InputError, RunError
from thinktime.inputs.options import options_json
from thinktime.lab import permission, places
from thinktime.lab.file import Lab
from thinktime.lab.instance import LabInstance, new_identity, stop
from thinktime.lab.link_option import CLIENTS, TARGET, RunLink, parse_link
from thinktime.lab.link_record import LinkRecord
from thinktime.lab.namespaces import within

RELAY = Path(__file__).with_name("relay.py")
NEED = "a run over a link"
"""The name of the feature that needs rights."""

_PORTS = {"http": 80, "h2c": 80, "ws": 80, "https": 443, "wss": 443, "postgresql": 5432,
    "postgres": 5432, "tcp": None,
}  # fmt: skip
"""Schemes of targets over TCP, and the default port of each."""

_ASIDE = {
    "unix_socket": "a Unix socket is no network",
    "sources": "connections come from the address of the link's own end",
    "lookup": "the host is looked up once, before the run",
}
"""Options that do not go with a link, and why."""

_Made = TypeVar("_Made")
Inside = tuple[Path, str]
"""The network namespace in which sockets are made, and the options by which the target is reached
from there."""


def check(workload: _core.Workload, given: Mapping[str, Any]) -> None:
    """Refuse a run that cannot cross a link.

    Raises:
        InputError: An option, or a part of the workload, does not go with it.
    """
    for name, why in _ASIDE.items():
        if given.get(name):
            raise InputError(f"`{name}` does not go with `link`: {why}")
    if workload.tables["shared"] is not None:
        raise InputError(
            "link: the server that keeps what scripts share (`shared`) is not behind the link"
        )
    clients = [one.table["clients"] for one in workload.populations]
    if any(one is not None and one["oauth2"] is not None for one in clients):
        raise InputError("link: the server that gives out tokens (`oauth2`) is not behind the link")


@dataclass(frozen=True)
class LinkSetup:
    """The way of a run over a link, which each of its generators makes for itself."""

    asked: RunLink
    seed: int
    workload: str
    """The name of the workload."""

    target: str
    file: str
    """The file with the link, if it was not given as text."""

    @contextmanager
    def made(self, given: Mapping[str, Any], place: int = 0) -> Iterator[tuple[Inside, LinkRecord]]:
        """The link, for the length of the block; its counts are there after it.

        `given` are the options of the run. `place` numbers the generator, whose packets are lost by
        a seed of their own. Nothing is made if rights are missing.

        Raises:
            InputError: The target is not found.
            RunError: The link cannot be made, the target cannot be reached, or nothing comes over
                the link; the message tells these apart.
        """
        found = LinkRecord(self.asked, self.seed + place, file=self.file)
        to = _authority(self.target, given.get("proxy"))
        targets = _addresses(to, given.get("resolve") or (), given.get("ip_version"))
        _need_rights()
        identity = new_identity()
        logs = places.folder(identity) / "logs"
        lab = _lab(self.asked, self.workload, found.seed)
        with LabInstance(lab, logs, identity=identity) as running:
            relay = _start_relay(running, targets, to, self.target)
            resolved = [f"{to}:{running.hosts[TARGET].address}"]
            reached = dict(given) | {"link": None, "ip_version": None, "resolve": resolved}
            try:
                try:
                    yield (running.hosts[CLIENTS].path, options_json("run", reached)), found
                finally:
                    _end(running, relay, found)
            except _core.UnreachableError:
                # The relay has reached the target, so the target is not the missing part.
                raise RunError(found.unreached(to)) from None

    def within(self, namespace: Path, make: Callable[[], _Made]) -> _Made:
        """What is made in the namespace, with the sockets of all threads that it starts."""
        return within(namespace, make)

    def together(self, records: Sequence[LinkRecord | None]) -> LinkRecord:
        """The links of several generators as one; None of one that was lost."""
        known = [one for one in records if one is not None]
        none = LinkRecord(self.asked, self.seed, file=self.file)
        return LinkRecord.together(known or [none], len(records))


def crossing_of(
    link: str, workload: _core.Workload, target: str, given: Mapping[str, Any]
) -> LinkSetup:
    """The way over a link of a run with these options. Nothing is made yet.

    Raises:
        InputError: It is not a link, or something does not go with it.
    """
    asked = parse_link(link)
    check(workload, given)
    return LinkSetup(asked, workload.seed, workload.name, target, "" if "=" in link else link)


def _end(lab: LabInstance, relay: subprocess.Popen[bytes], found: LinkRecord) -> None:
    """End the relay and the program that carries the link, and note their counts."""
    ended = relay.poll() is not None
    stop(relay, signal.SIGTERM)
    found.relay = {} if ended else _read(_counts(lab))
    counted = lab.end_links()
    found.ways, found.lost = counted.get(found.asked.link.name, []), lab.lost_links(counted)


def _need_rights() -> None:
    if (why := permission.missing(NEED)) is not None:
        raise RunError(why)
    if not permission.is_root():
        raise RunError(
            f"{NEED} needs root; `thinktime run` can do without, in a user namespace of its own"
        )


def _lab(wanted: RunLink, workload: str, seed: int) -> Lab:
    return Lab(
        path=Path("link"),
        name=f"link of a run of {workload}",
        seed=seed,
        congestion_control=wanted.congestion_control,
        hosts=(CLIENTS, TARGET),
        links=(wanted.link,),
        servers=(),
        runs=(),
        hostiles=(),
    )


def _start_relay(
    lab: LabInstance, targets: Sequence[tuple[int, Any]], place: str, target: str
) -> subprocess.Popen[bytes]:
    end = lab.hosts[TARGET]
    plan = {
        "namespace": str(end.path),
        "listen": [str(end.address), int(place.rpartition(":")[2])],
        "targets": targets,
        "counts": str(_counts(lab)),
    }
    relay = lab.start_outside(str(RELAY), plan, "relay")
    assert relay.stdout is not None
    said = relay.stdout.readline().decode("utf-8", "replace").strip()
    if said != "ready":
        relay.wait()
        raise RunError(f"{target} cannot be reached: {said or lab.last_words('relay')}")
    return relay


def _counts(lab: LabInstance) -> Path:
    return lab.folder / "relay.json"


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found


def _authority(target: str, proxy: str | None) -> str:
    """HOST:PORT of the connections' destination: the target, or the proxy before it."""
    try:
        parts = urlsplit(target)
        named = parts.port is not None
    except ValueError as error:
        raise InputError(f"`{target}`: {error}") from None
    if parts.scheme in ("udp", "h3"):
        raise InputError(
            f"link: datagrams ({parts.scheme}) do not go over it: a lab carries them "
            "(`thinktime lab`)"
        )
    if parts.scheme not in _PORTS or not parts.hostname:
        raise InputError(f"`{target}`: a target is written as http://HOST:PORT")
    if proxy:
        host = proxy.partition("://")[2] or proxy
        host = host.rstrip("/").rpartition("@")[2]
        return host if urlsplit(f"//{host}").port is not None else f"{host}:80"
    host = parts.netloc.rpartition("@")[2]
    if not named and _PORTS[parts.scheme] is None:
        raise InputError(f"`{target}`: the target names no port")
    return host if named else f"{host}:{_PORTS[parts.scheme]}"


def _addresses(place: str, resolve: Sequence[str], version: int | None) -> list[tuple[int, Any]]:
    """Families and addresses of the destination, in the order of preference."""
    host, _, port = place.rpartition(":")
    texts = [host]
    if resolve:
        texts = []
        for entry in resolve:
            if not entry.lower().startswith(f"{place}:".lower()):
                raise InputError(
                    f"resolve: `{entry}` is not about the target: write {place}:ADDRESS"
                )
            texts += entry[len(place) + 1 :].split(",")
    found: list[tuple[int, Any]] = []
    for text in texts:
        try:
            infos = socket.getaddrinfo(text.strip(" []"), int(port), type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise InputError(f"`{place}`: {text.strip()}: {error}") from None
        found += [(int(info[0]), info[4]) for info in infos]
    families = {4: {socket.AF_INET}, 6: {socket.AF_INET6}}.get(
        version or 0, {socket.AF_INET, socket.AF_INET6}
    )
    wanted = [one for one in dict.fromkeys(found) if one[0] in families]
    if not wanted:
        raise InputError(f"`{place}`: the host has no address of IPv{version}")
    return wanted
