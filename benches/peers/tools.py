"""Installation and run of each tool: a private Python environment, and SSJ by Maven and Java."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers.models import MODELS, Model

SCRIPTS = Path(__file__).parent
FOLDER = SCRIPTS.parent.parent / "target" / "peers"
PACKAGES = ["ciw==3.2.7", "line-solver==3.0.8.0", "simpy==4.1.2"]
SSJ = "ca.umontreal.iro.simul:ssj:3.3.2"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
RUN_LIMIT_S = 900


class UnavailableError(Exception):
    """A tool is not available, or does not run, on this machine."""


@dataclass(frozen=True)
class Tool:
    """A simulator, and the number of requests for a run of some seconds."""

    name: str
    note: str
    prepare: Callable[[], list[str]]
    """Installs the tool, and returns the command before the arguments."""
    arguments: Callable[[Model, int, int], list[str]]
    requests: int
    special: dict[str, int]
    """Requests of the models that are much slower or faster than the others."""

    def report(self, command: list[str], model: str, requests: int | None, runs: int) -> Any:
        """Run one model in a fresh process, and return its output."""
        count = requests or self.special.get(model, self.requests)
        environment = os.environ | {"PYTHONPATH": str(SCRIPTS.parent)}
        text = call([*command, *self.arguments(MODELS[model], count, runs)], environment)
        lines = [line for line in text.splitlines() if line.startswith("{")]
        if not lines:
            raise UnavailableError(f"{self.name} printed no result for {model}")
        return json.loads(lines[-1])


def call(command: list[str], environment: dict[str, str] | None = None) -> str:
    """Run a command, and return its output; fails with the last line of its error."""
    try:
        done = subprocess.run(
            command, env=environment, text=True, capture_output=True, timeout=RUN_LIMIT_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(str(error)) from None
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise UnavailableError(f"{Path(command[0]).name}: {said}")
    return done.stdout


def own_python() -> list[str]:
    """The Python of this process, with Thinktime."""
    return [sys.executable]


def peers_python() -> list[str]:
    """A Python with the peers, made at the first call and whenever the versions change."""
    home, mark = FOLDER / "venv", FOLDER / "packages.txt"
    python = home / "bin" / "python"
    if not mark.exists() or mark.read_text().split() != PACKAGES:
        call([sys.executable, "-m", "venv", "--clear", str(home)])
        call([str(python), "-m", "pip", "install", "--quiet", *PACKAGES])
        mark.write_text("\n".join(PACKAGES))
    return [str(python)]


def ssj_java() -> list[str]:
    """Java with SSJ and our model written on it, compiled at each call."""
    missing = [tool for tool in ("java", "javac", "mvn") if shutil.which(tool) is None]
    if missing:
        raise UnavailableError(f"{', '.join(missing)} not found; a JDK and Maven are needed")
    _, name, version = SSJ.split(":")
    jar, classes = FOLDER / f"{name}-{version}.jar", FOLDER / "classes"
    classes.mkdir(parents=True, exist_ok=True)
    if not jar.exists():
        call(["mvn", "-q", "-B", COPY, f"-Dartifact={SSJ}", f"-DoutputDirectory={FOLDER}"])
    sources = sorted(str(path) for path in SCRIPTS.glob("Ssj*.java"))
    call(["javac", "-cp", str(jar), "-d", str(classes), *sources])
    return ["java", "-cp", f"{jar}{os.pathsep}{classes}", "SsjPeer"]


def python_arguments(script: str) -> Callable[[Model, int, int], list[str]]:
    """The arguments of one of the scripts here."""
    return lambda model, requests, runs: [
        "-m",
        f"peers.{script}",
        model.name,
        str(requests),
        str(runs),
    ]


def ssj_arguments(model: Model, requests: int, runs: int) -> list[str]:
    """The arguments of `SsjPeer`."""
    closed = model.population == "closed"
    (share, mean), (_, mean2) = [*model.phases, (0.0, 0.0)][:2]
    values = {
        "policy": model.policy,
        "population": model.population,
        "rate": 0.0 if closed else model.rate / model.session_length,
        "clients": model.clients,
        "think": model.think,
        "last": 0.0 if closed else 1.0 / model.session_length,
        "share": share,
        "mean": mean,
        "mean2": mean2,
        "requests": requests,
        "runs": runs,
        "version": SSJ.split(":")[2],
    }
    return [f"{key}={value}" for key, value in values.items()]


TOOLS = [
    Tool(
        "Thinktime",
        "one replication, rows='none'",
        own_python,
        python_arguments("thinktime_peer"),
        15_000_000,
        {},
    ),
    Tool(
        "SSJ",
        "Java; the queue written by hand on its simulator and event lists",
        ssj_java,
        ssj_arguments,
        15_000_000,
        {"closed": 6_000_000, "partly": 6_000_000},
    ),
    Tool(
        "LINE",
        "its discrete-event engine LDES, compiled C++",
        peers_python,
        python_arguments("line_peer"),
        4_000_000,
        {"ps": 500_000},
    ),
    Tool("SimPy", "Python processes", peers_python, python_arguments("simpy_peer"), 200_000, {}),
    Tool(
        "Ciw",
        "Python network of nodes",
        peers_python,
        python_arguments("ciw_peer"),
        100_000,
        {"closed": 20_000},
    ),
]
