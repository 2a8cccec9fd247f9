"""The cells: two servers under each hostile client."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent

BEFORE_S, ATTACK_S, AFTER_S = 5, 8, 7
"""The time of the good users before, during and after an attack."""

RATES = {
    "half-open": 500,
    "syn-flood": 5000,
    "connection-flood": 500,
    "slow-headers": 500,
    "slow-reading": 100,
    "slow-bodies": 500,
    "udp-flood": 5000,
    "icmp-flood": 5000,
    "garbage": 300,
    "rapid-reset": 2000,
    "continuation-flood": 1000,
}
"""Events a second of each hostile client."""

PATHS = {"slow-reading": "/large"}
HTTP2 = ("rapid-reset", "continuation-flood")

LAB = """name = "{server} under {kind}"

[[host]]
name = "users"
[[host]]
name = "mallory"
[[host]]
name = "router"
[[host]]
name = "site"

[[link]]
between = ["users", "router"]
[[link]]
between = ["mallory", "router"]
[[link]]
between = ["router", "site"]
rate = "50Mbit/s"

[[server]]
name = "web"
host = "site"
command = {command}
ready = 8080

[[run]]
name = "good-users"
host = "users"
workload = "{here}/workload.toml"
target = "http://site:8080"
options = "--duration {duration}s --warmup 0"

[[hostile]]
name = "{kind}"
kind = "{kind}"
host = "mallory"
target = "site:{port}"
path = "{path}"
rate = "{rate}/s"
start = "{before}s"
duration = "{attack}s"
"""

NGINX = ["sh", "-c", "cp {here}/nginx.conf . && mkdir files && head -c 1000 /dev/zero >files/page"
         " && head -c 200000 /dev/zero >files/large && exec nginx -p . -c nginx.conf"]  # fmt: skip
SERVE = ["thinktime", "serve", "{here}/system.toml", "--workload", "{here}/sizes.toml",
         "--listen", "0.0.0.0:8080"]  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One server under one hostile client; times in seconds."""

    server: str
    kind: str
    before: float
    attack: float
    after: float

    @property
    def name(self) -> str:
        """A file name."""
        return f"{self.server.split()[-1]}-{self.kind}"

    def lab(self) -> str:
        """Its LAB file."""
        words = NGINX if self.server == "nginx" else SERVE
        words = [word.replace("{here}", str(HERE)) for word in words]
        if self.server == "nginx":
            words[-1] = "cd {folder} && " + words[-1]
        return LAB.format(
            server=self.server,
            kind=self.kind,
            here=HERE,
            command=str(words).replace("'", '"'),
            # `thinktime serve` speaks HTTP/1.1 alone, and gets HTTP/2 on the one port that it has.
            port=8081 if self.kind in HTTP2 and self.server == "nginx" else 8080,
            path=PATHS.get(self.kind, "/page"),
            rate=RATES[self.kind],
            before=self.before,
            attack=self.attack,
            duration=self.before + self.attack + self.after,
        )


def all_cells(small: bool = False) -> Iterator[Cell]:
    """All of them; of the small study two, of eleven seconds each."""
    times = (6.0, 3.0, 2.0) if small else (BEFORE_S, ATTACK_S, AFTER_S)
    for server in ("nginx", "thinktime serve"):
        for kind in RATES:
            if not small or kind == "slow-headers":
                yield Cell(server, kind, *times)
