"""The workloads, the link as a model, and the lab in which both are real."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import files

sys.path.insert(0, str(Path(__file__).parents[1]))

from user_models import users

HERE = Path(__file__).parent
LINK = "link"
RATE = 10e6 / 8
"""Of the link, in bytes a second, headers of Ethernet, IP and TCP included."""

PAYLOAD = 1448 / 1514
"""The part of a full packet that is the file's."""

HEADER = 210
"""Bytes of a response's header, nearly alike from nginx and from `thinktime serve`."""

OTHER_PACKETS = 2 * 66
"""Bytes of a response's other packets: the acknowledgement of its request, and half-empty ones."""

SERVERS = ("nginx, fair", "fair", "SRPT")
USERS = 50
"""Of the closed model."""


@dataclass(frozen=True)
class Cell:
    """One run: the users, the server, and the load of the link."""

    model: str
    server: str
    load: float


def workload(model: str, site: Sequence[files.File]) -> dict[str, Any]:
    """The workload of a model; its rate or think time is still to be set by a load."""
    made = {"name": f"static files, {model}"} | users(model, USERS)
    made["request"] = [
        {"name": one.name, "get": f"/{one.name}", "weight": one.share, "size": f"{one.size}B"}
        for one in site
    ]
    return made


def system(which: str) -> dict[str, Any]:
    """The link as a station, shared evenly or for the least remaining size."""
    policy = "srpt" if which == "SRPT" else "ps"
    besides_s = (HEADER + OTHER_PACKETS) / RATE
    demand = f"{besides_s}s + size / {RATE * PAYLOAD}B/s"
    return {
        "name": f"a link of 10 Mbit/s, {policy}",
        "station": [{"name": LINK, "policy": policy, "demand": demand}],
    }


LAB = """name = "static server"

[[host]]
name = "users"
[[host]]
name = "site"

[[link]]
between = ["users", "site"]

[[server]]
name = "web"
host = "site"
command = {command}
ready = 8080

[[run]]
name = "users"
host = "users"
workload = "workload.toml"
target = "http://site:8080"
options = "--duration {duration}s --warmup {warmup}s"
"""


def lab(which: str, python: str, duration_s: float, warmup_s: float) -> str:
    """The LAB file; it expects `workload.toml` and the folder `files` beside it."""
    shape = f"sh {HERE}/shape.sh to-users"
    if which == "nginx, fair":
        # It writes into the lab's folder, and its files are beside the LAB file.
        start = f"ln -s $PWD/files {{folder}}/files && cd {{folder}} && exec nginx -p . -c {HERE}"
        start += "/nginx.conf"
    else:
        how = "--policy srpt --link-class 1:10" if which == "SRPT" else "--policy fair"
        program = f"{python} -c 'from thinktime.cli import main; main()'"
        start = f"exec {program} serve --listen 0.0.0.0:8080 --files files {how}"
    command = json.dumps(["sh", "-c", f"{shape} && {start}"])
    return LAB.format(command=command, duration=duration_s, warmup=warmup_s)
