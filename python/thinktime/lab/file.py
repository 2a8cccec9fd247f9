"""The LAB file: hosts, links, servers, runs and hostile clients."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from thinktime import InputError, workload
from thinktime.lab import options, routes, values
from thinktime.lab.hostile import kinds
from thinktime.lab.lines import Entry, Key, read

HOSTS_MAX = 64


@dataclass(frozen=True)
class Link:
    """The connection of two hosts; rates in bytes a second, times in seconds, sizes in bytes."""

    between: tuple[str, str]
    rate: float | None
    delay: float
    """One way."""

    jitter: float
    loss: float
    buffer: float | None
    by: Literal["forwarder", "netem"]

    @property
    def name(self) -> str:
        """As in `clients-server`."""
        return "-".join(self.between)

    @property
    def plain(self) -> bool:
        """Whether the link only limits the rate."""
        return not (self.delay or self.jitter or self.loss)


@dataclass(frozen=True)
class Server:
    """A program that runs on a host as long as the lab is there."""

    name: str
    host: str
    command: tuple[str, ...]
    ready: int | None
    """The port on which a ready server listens."""


@dataclass(frozen=True)
class Load:
    """A workload that runs from a host."""

    name: str
    host: str
    workload: str
    target: str
    options: tuple[str, ...]
    start: float


@dataclass(frozen=True)
class Hostile:
    """A hostile client."""

    name: str
    kind: str
    host: str
    target: tuple[str, int]
    path: str
    rate: float
    start: float
    duration: float


@dataclass(frozen=True)
class Lab:
    """The content of a LAB file."""

    path: Path
    name: str
    seed: int
    congestion_control: str
    hosts: tuple[str, ...]
    links: tuple[Link, ...]
    servers: tuple[Server, ...]
    runs: tuple[Load, ...]
    hostiles: tuple[Hostile, ...]


def _by(said: Any) -> str:
    if said not in ("forwarder", "netem"):
        raise ValueError("is forwarder or netem")
    return str(said)


def _kind(said: Any) -> str:
    if not isinstance(said, str) or said not in kinds.KINDS:
        raise ValueError(f"found {said!r}: there are {', '.join(kinds.KINDS)}")
    return str(said)


def _duration(said: Any) -> float:
    found, most = values.time(said), kinds.DURATION_MAX_S
    if not 0 < found <= most:
        raise ValueError(f"found {said!r}, wanted more than 0 and at most {most} s")
    return found


def _attack_rate(said: Any) -> float:
    found, most = values.rate(said), kinds.RATE_MAX
    if not 0 < found <= most:
        raise ValueError(f"found {said!r}, wanted more than 0 and at most {most}/s")
    return found


PLAIN = {
    "name": Key(values.text),
    "seed": Key(values.whole, 1),
    "congestion_control": Key(values.name, "reno"),
}
HOST = {"name": Key(values.name)}
LINK = {
    "between": Key(values.pair),
    "rate": Key(values.bytes_a_second, None),
    "delay": Key(values.seconds, 0.0),
    "jitter": Key(values.seconds, 0.0),
    "loss": Key(values.share, 0.0),
    "buffer": Key(values.size, None),
    "by": Key(_by, "forwarder"),
}
SERVER = {
    "name": Key(values.program),
    "host": Key(values.name),
    "command": Key(values.words),
    "ready": Key(values.port, None),
}
RUN = {
    "name": Key(values.program),
    "host": Key(values.name),
    "workload": Key(values.text),
    "target": Key(values.target),
    "options": Key(values.arguments, ()),
    "start": Key(values.seconds, 0.0),
}
HOSTILE = {
    "name": Key(values.program),
    "kind": Key(_kind),
    "host": Key(values.name),
    "target": Key(values.place),
    "path": Key(values.text, "/"),
    "rate": Key(_attack_rate),
    "start": Key(values.seconds, 0.0),
    "duration": Key(_duration),
}
TABLES: dict[str, tuple[dict[str, Key], type[Any]]] = {
    "host": (HOST, dict),
    "link": (LINK, Link),
    "server": (SERVER, Server),
    "run": (RUN, Load),
    "hostile": (HOSTILE, Hostile),
}
"""The tables of a file: their keys, and the class made from one."""

OURS = (
    "--target", "-t", "--output", "-o", "--json", "--again", "--quiet", "-q", "--report", "--on",
    "--generators", "--link", "--help",
)  # fmt: skip
"""Options of `thinktime run` that the lab sets itself, or that make no sense in one."""


def load(path: Path, read_options: options.Reader) -> Lab:
    """Read a LAB file, and the workloads that it names.

    Args:
        path: The file.
        read_options: Reads the options of its runs, as `thinktime run` does.

    Raises:
        InputError: Something in it is wrong; the message says where, and what would be right.
        OSError: It cannot be read.
    """
    plain, tables = read(path)
    for name in tables.keys() - TABLES.keys():
        raise InputError(
            f"{path}:{tables[name][0].line()}: unknown table [[{name}]]: "
            f"there are {', '.join(f'[[{one}]]' for one in TABLES)}"
        )
    said = plain.read(PLAIN)
    made = {
        name: [kind(**entry.read(keys)) for entry in tables.get(name, [])]
        for name, (keys, kind) in TABLES.items()
    }
    lab = Lab(
        path=path,
        **said,
        hosts=tuple(one["name"] for one in made["host"]),
        links=tuple(made["link"]),
        servers=tuple(made["server"]),
        runs=tuple(made["run"]),
        hostiles=tuple(made["hostile"]),
    )
    _check(lab, plain, tables, read_options)
    return lab


def _check(
    lab: Lab, plain: Entry, tables: dict[str, list[Entry]], read_options: options.Reader
) -> None:
    if not 1 <= len(lab.hosts) <= HOSTS_MAX:
        raise plain.error("", f"a lab has 1 to {HOSTS_MAX} hosts, each under [[host]]")
    _check_names(tables)
    for link, entry in zip(lab.links, tables.get("link", []), strict=True):
        _check_link(lab, link, entry)
    for one, entry in zip(lab.servers, tables.get("server", []), strict=True):
        _known(lab, one.host, entry, "host")
    for run, entry in zip(lab.runs, tables.get("run", []), strict=True):
        _known(lab, run.host, entry, "host")
        _reached(lab, run.host, str(urlsplit(run.target).hostname), entry)
        _check_run(lab, run, entry, read_options)
    for hostile, entry in zip(lab.hostiles, tables.get("hostile", []), strict=True):
        _known(lab, hostile.host, entry, "host")
        _reached(lab, hostile.host, hostile.target[0], entry)
        if kinds.KINDS[hostile.kind].needs_port and not hostile.target[1]:
            raise entry.error("target", 'needs a port, as in "server:8080"')


def _check_names(tables: dict[str, list[Entry]]) -> None:
    """Hosts have names of their own, and so have servers, runs and hostile clients together."""
    for group in (("host",), ("server", "run", "hostile")):
        seen: set[str] = set()
        for entry in (one for table in group for one in tables.get(table, [])):
            if entry.said["name"] in seen:
                raise entry.error("name", f"`{entry.said['name']}` is there twice")
            seen.add(entry.said["name"])


def _check_link(lab: Lab, link: Link, entry: Entry) -> None:
    for host in link.between:
        _known(lab, host, entry, "between")
    if sum(set(one.between) == set(link.between) for one in lab.links) > 1:
        raise entry.error("between", "there are two links between these hosts")
    if (wrong := wrong_with(link)) is not None:
        raise entry.error(*wrong)


def wrong_with(link: Link) -> tuple[str, str] | None:
    """A key whose value does not go with another one, and why; None if all is well."""
    if link.jitter > link.delay:
        return "jitter", "is larger than the delay"
    if link.buffer is not None and link.rate is None:
        return "buffer", "goes with `rate`: without one no packet waits"
    return None


def _check_run(lab: Lab, run: Load, entry: Entry, read_options: options.Reader) -> None:
    for option in run.options:
        if option.split("=")[0] in OURS:
            raise entry.error("options", f"`{option}` does not go with a run of a lab")
    file = lab.path.parent / run.workload
    try:
        found = workload.load(file if file.exists() else Path(run.workload))
    except (InputError, OSError) as error:
        raise entry.error("workload", str(error)) from None
    try:
        options.check(run.options, found, read_options)
    except InputError as error:
        raise entry.error("options", str(error)) from None


def _known(lab: Lab, host: str, entry: Entry, key: str) -> None:
    if host not in lab.hosts:
        raise entry.error(key, f"there is no host `{host}`: there are {_listed(lab.hosts)}")


def _reached(lab: Lab, host: str, other: str, entry: Entry) -> None:
    _known(lab, other, entry, "target")
    if host != other and other not in routes.ways(host, [one.between for one in lab.links]):
        raise entry.error("target", f"no link leads from `{host}` to `{other}`")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{one}`" for one in names)
