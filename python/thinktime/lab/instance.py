"""A lab during its existence."""

from __future__ import annotations

import json
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from thinktime import RunError
from thinktime.lab import links, places, removal, requirements, routes
from thinktime.lab.file import Lab, Link, Server
from thinktime.lab.journal import Journal, started
from thinktime.lab.namespaces import Namespace, listens

READY_S = 30
"""The time that a server may take until it is ready."""

END_S = 5
RESULT_S = 60
"""The time that a program may take to end after a signal, and a run, which writes a result."""

THINKTIME = (sys.executable, "-c", "from thinktime.cli import main; main()")
"""The command behind the word `thinktime` at the beginning of a command."""

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Tell = Callable[[str], None]


class LabInstance:
    """Hosts, links and servers of a lab, from the beginning of a block to its end."""

    def __init__(
        self, lab: Lab, logs: Path, tell: Tell = lambda _: None, identity: str | None = None
    ) -> None:
        """Nothing is made before the block begins; the programs' output goes to files in `logs`."""
        self.lab = lab
        self.identity = identity or new_identity()
        self.logs = logs
        self.folder = places.folder(self.identity)
        self.hosts = {
            host: Namespace(self.identity, host, number) for number, host in enumerate(lab.hosts, 1)
        }
        self._tell = tell
        self._forwarders: dict[str, subprocess.Popen[bytes]] = {}
        self._servers: dict[str, subprocess.Popen[bytes]] = {}
        self._files: list[IO[bytes]] = []
        self._journal: Journal | None = None

    def __enter__(self) -> LabInstance:
        """Make it all.

        Raises:
            RunError: The machine does not meet the requirements, and nothing was made; or a program
                does not start, and everything made until then is taken away.
        """
        if (why := requirements.missing(self.lab)) is not None:
            raise RunError(why)
        try:
            self._journal = Journal(self.identity, self.lab.name)
            self.logs.mkdir(parents=True, exist_ok=True)
            self._make_hosts()
            for link in self.lab.links:
                self._make_link(link)
            self._lead()
            for server in self.lab.servers:
                self._start_server(server)
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, what: BaseException | None, at: TracebackType | None
    ) -> None:
        """Take it all away."""
        self.end()

    def _make_hosts(self) -> None:
        assert self._journal is not None
        names = [f"{one.address} {host}" for host, one in self.hosts.items()]
        (self.folder / "hosts").write_text("\n".join(["127.0.0.1 localhost", *names, ""]))
        for one in self.hosts.values():
            self._journal.note(namespace=one.name)
            one.make()
            # The other addresses of its block are unused; packets for them end here.
            one.ip(f"route add blackhole {one.block}")
            one.set("net/ipv4/tcp_congestion_control", self.lab.congestion_control)
            if sum(one.host in link.between for link in self.lab.links) > 1:
                one.set("net/ipv4/ip_forward", "1")

    def _make_link(self, link: Link) -> None:
        assert self._journal is not None
        one, other = (self.hosts[host] for host in link.between)
        self._journal.note(device=links.device(other.host), **{"in": one.name})
        self._journal.note(device=links.device(one.host), **{"in": other.name})
        if not links.is_program(link):
            links.make_veth(link, (one, other))
            return
        said = self._log(f"link-{link.name}")
        counts = self._counts(link)
        self._forwarders[link.name] = links.start_forwarder(
            link, (one, other), self.lab.seed, counts, said
        )

    def _counts(self, link: Link) -> Path:
        return self.folder / f"link-{link.name}.json"

    def _lead(self) -> None:
        between = [link.between for link in self.lab.links]
        for host, one in self.hosts.items():
            tun = {
                other
                for link in self.lab.links
                if host in link.between and links.is_program(link)
                for other in link.between
            }
            links.add_routes(one, self.hosts, routes.ways(host, between), tun)

    def _start_server(self, server: Server) -> None:
        begun = time.monotonic()
        process = self.start(server.host, server.command, server.name)
        self._servers[server.name] = process
        while server.ready is not None and not listens(process.pid, server.ready):
            if process.poll() is not None:
                raise RunError(
                    f"the server {server.name} has ended; {self.last_words(server.name)}"
                )
            if time.monotonic() - begun > READY_S:
                raise RunError(
                    f"the server {server.name} does not listen on port {server.ready} after "
                    f"{READY_S} s; {self.last_words(server.name)}"
                )
            time.sleep(0.01)
        if server.ready is not None:
            self._tell(f"{server.name} listens after {time.monotonic() - begun:.1f} s")

    def tell_names(self) -> bool:
        """Give programs of `ip netns exec` the hosts' names, too; returns whether that works."""
        assert self._journal is not None
        self._journal.note(names=str(places.NAMES))
        return places.tell_names((one.name for one in self.hosts.values()), self.folder / "hosts")

    def start(self, host: str, command: Sequence[str], name: str) -> subprocess.Popen[bytes]:
        """Start a program on a host; its output goes to the log of this name.

        `{folder}` in its words is a folder of its own, which exists as long as the lab.
        """
        own = self.folder / name
        own.mkdir(exist_ok=True)
        words = [word.replace("{folder}", str(own)) for word in command]
        if words[0] == "thinktime":
            words[:1] = THINKTIME
        output = self._log(name)
        return subprocess.Popen(
            self.hosts[host].words(words),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=self.lab.path.absolute().parent,
            # Ctrl-C is the lab's to handle: it ends its programs in their order.
            start_new_session=True,
        )

    def _log(self, name: str) -> IO[bytes]:
        self._files.append(open(self.logs / f"{name}.txt", "wb"))  # noqa: SIM115
        return self._files[-1]

    def start_outside(
        self, program: str, plan: Mapping[str, Any], name: str
    ) -> subprocess.Popen[bytes]:
        """Start a Python program where this process is, outside of any host; it ends with the lab.

        It receives the plan as JSON. The caller reads its standard output.
        """
        words = [sys.executable, "-I", "-S", program, json.dumps(plan)]
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._log(name),
            start_new_session=True,
        )
        assert self._journal is not None
        # No namespace leads to it.
        self._journal.note(process=process.pid, began=started(process.pid))
        return process

    def last_words(self, name: str) -> str:
        """The last output of a program."""
        lines = (self.logs / f"{name}.txt").read_text("utf-8", "replace").split("\n")
        said = [line for line in lines if line.strip()][-3:]
        return "it said: " + " / ".join(said) if said else "it said nothing"

    def ended(self) -> set[str]:
        """The servers, and the links that programs carry, whose programs have ended."""
        programs = self._servers | self._forwarders
        return {name for name, process in programs.items() if process.poll() is not None}

    def ended_servers(self) -> list[str]:
        """The servers that have ended, each with its last output."""
        return [
            f"the server {name} ended before the lab did; {self.last_words(name)}"
            for name, process in self._servers.items()
            if process.poll() is not None
        ]

    def end_links(self) -> dict[str, list[dict[str, int]]]:
        """End the programs that carry links; returns the counts of each, in both directions.

        `unread` are packets that the program was too slow to take. A program that had already ended
        has no counts: `lost_links` names it then.
        """
        found = {}
        for link in self.lab.links:
            if link.name in self._forwarders:
                try:
                    unread = [
                        links.unread(self.hosts[host], other)
                        for host, other in (link.between, link.between[::-1])
                    ]
                except RunError:  # its devices ended with it
                    continue
                stop(self._forwarders[link.name], signal.SIGTERM)
                counts = read_counts(self._counts(link))
                found[link.name] = [
                    one | {"unread": more} for one, more in zip(counts, unread, strict=False)
                ]
        return found

    def lost_links(self, counted: Mapping[str, object]) -> list[str]:
        """A message about each link whose program is missing from `counted`."""
        return [
            f"the program that carries the link {name} ended, or was stopped, before the end"
            for name in self._forwarders
            if not counted.get(name)
        ]

    def end(self) -> None:
        """Take all away; Ctrl-C and similar signals wait until that is done."""
        with _undisturbed():
            for process in self._servers.values():
                stop(process, signal.SIGTERM)
            if self._journal is not None:
                self._journal.close()
                removal.remove(self.identity)
            for one in (*self._servers.values(), *self._forwarders.values()):
                stop(one, signal.SIGTERM)  # it may remain of a namespace that somebody took away
            for file in self._files:
                file.close()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore the signals that end a command; threads other than the main one never get them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, signal.SIG_IGN) for one in ENDING}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def new_identity() -> str:
    """The part that all names of one lab contain, and no other lab's."""
    return secrets.token_hex(3)


def read_counts(path: Path) -> list[dict[str, int]]:
    """A link's counts; nothing if it did not write them."""
    try:
        found: list[dict[str, int]] = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    return found


def stop(process: subprocess.Popen[bytes], number: signal.Signals, within_s: float = END_S) -> None:
    """Ask a program to end, and kill it if it does not."""
    if process.poll() is None:
        process.send_signal(number)
        try:
            process.wait(within_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
