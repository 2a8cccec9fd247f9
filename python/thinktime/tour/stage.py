"""The tour's real part: servers, switch, link, generators and a hostile client on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from thinktime import Result, System, Workload, run, serve, switch
from thinktime.lab import experiment, permission, requirements
from thinktime.lab.experiment import Outcome
from thinktime.lab.file import Hostile, Lab, Link, Load, Server
from thinktime.lab.link_option import parse_link

NEED = "the link of the tour"
"""The name of the feature that needs rights."""

RUN = "measured"
LOG = "access.log"
VISITORS = 2000
"""The visitors who can be told apart: more than come during a run."""

_USERS, _SITE, _HOSTILE = "visitors", "site", "mallory"
_SWITCH_PORT = 8080


def missing() -> str | None:
    """Why this process can make no link here; None if it can."""
    why = permission.missing(NEED)
    if why is None and not permission.is_root():
        why = f"{NEED} needs root; `thinktime tour` can do without, in a user namespace of its own"
    return why or requirements.missing(_lab(Path(__file__).parent, 1, 1.0, ()))


def in_lab(
    folder: Path,
    workload: Workload,
    duration: float,
    words: Sequence[str],
    tell: Callable[[str], None],
) -> Outcome:
    """The run in a lab, whose link is that of the system file; its result is in the folder.

    Raises:
        RunError: The lab could not be made or taken away.
    """
    lab = _lab(folder, workload.seed, duration, words)
    return experiment.perform(lab, folder, tell)


def in_process(folder: Path, workload: Workload, system: System, words: Sequence[str]) -> Result:
    """The run without a link and without a hostile client, in threads of this process."""
    given = dict(zip((one.removeprefix("--") for one in words[::2]), words[1::2], strict=True))
    (cluster,) = system.clusters
    with ExitStack() as up:
        servers = [
            up.enter_context(serve(system, server=number, workload=workload))
            for number in range(cluster.servers)
        ]
        urls = [one.url for one in servers]
        proxy = up.enter_context(switch(system, urls, workload=workload, log=folder / LOG))
        return run(
            workload, proxy.url, demands=system, output=folder / RUN, label=RUN,
            duration=given["duration"], warmup=given["warmup"], loops=int(given["loops"]),
        )  # fmt: skip


def _lab(folder: Path, seed: int, duration: float, words: Sequence[str]) -> Lab:
    system = folder / "system.toml"
    asked = parse_link(str(system))
    wan = Link(**{**vars(asked.link), "between": (_USERS, _SITE)})
    lan = Link(between=(_HOSTILE, _SITE), rate=None, delay=0.0, jitter=0.0, loss=0.0,
               buffer=None, by="forwarder")  # fmt: skip
    return Lab(
        path=folder / "tour",
        name="tour",
        seed=seed,
        congestion_control=asked.congestion_control,
        hosts=(_USERS, _SITE, _HOSTILE),
        links=(wan, lan),
        servers=_servers(system),
        runs=(
            Load(
                name=RUN,
                host=_USERS,
                workload="workload.toml",
                target=f"http://{_SITE}:{_SWITCH_PORT}",
                options=(*words, "--demands", "system.toml"),
                start=0.0,
            ),
        ),
        hostiles=(
            Hostile(
                name="slow-headers",
                kind="slow-headers",
                host=_HOSTILE,
                target=(_SITE, _SWITCH_PORT),
                path="/",
                rate=20.0,
                start=duration / 4,
                duration=duration / 2,
            ),
        ),
    )


def _servers(system: Path) -> tuple[Server, ...]:
    """The servers of the cluster, and the switch before them: each a command."""
    (cluster,) = System.load(system).clusters
    ports = [_SWITCH_PORT + 1 + number for number in range(cluster.servers)]
    workload = ("--workload", "workload.toml")
    servers = [
        Server(
            f"server-{number}", _SITE,
            ("thinktime", "serve", "system.toml", "--server", str(number), *workload,
             "--listen", f"127.0.0.1:{port}"), port,
        )
        for number, port in enumerate(ports)
    ]  # fmt: skip
    named = [word for port in ports for word in ("--server", f"http://127.0.0.1:{port}")]
    proxy = ("thinktime", "switch", "system.toml", *named, *workload, "--log", LOG,
             "--listen", f"0.0.0.0:{_SWITCH_PORT}")  # fmt: skip
    return (*servers, Server("switch", _SITE, proxy, _SWITCH_PORT))
