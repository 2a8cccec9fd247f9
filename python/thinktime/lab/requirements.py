"""A lab's requirements of the machine's kernel, checked before anything is made."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

from thinktime.lab.file import Lab
from thinktime.lab.links import TUN, is_program

CONTROL = "/proc/sys/net/ipv4/tcp_congestion_control"

QUEUES = {
    "tbf": (["tbf", "rate", "1mbit", "burst", "3200", "limit", "6400"], "which limits rates"),
    "netem": (["netem", "delay", "1ms"], 'as `by = "netem"` asks for: leave that out'),
}
"""By kind of queue, the `tc` command that makes one, and its purpose."""


def missing(lab: Lab) -> str | None:
    """Why this lab cannot be made here; None if it can.

    Queues and congestion control are tried in a network namespace without a name, which ends with
    the command that tries them. The caller needs the rights that `permission.need` gives.
    """
    if any(is_program(link) for link in lab.links):
        try:
            os.close(os.open(TUN, os.O_RDWR | os.O_NONBLOCK))
        except OSError:
            return (
                f"{TUN} is missing or not open to this user: links with a delay, jitter or loss "
                "need it"
            )
    for kind in _queues(lab):
        words, purpose = QUEUES[kind]
        if "kind is unknown" in _complaint(["tc", "qdisc", "add", "dev", "lo", "root", *words]):
            return f"this kernel has no {kind}, {purpose}"
    if _complaint(["sh", "-c", f'echo "$1" >{CONTROL}', "sh", lab.congestion_control]):
        return (
            f"congestion control by `{lab.congestion_control}` is not permitted in a namespace of "
            "this machine: `reno` is everywhere"
        )
    return None


def _queues(lab: Lab) -> Iterator[str]:
    """The kinds of kernel queues that links consist of."""
    by_kernel = [link for link in lab.links if not is_program(link)]
    if any(link.rate is not None for link in by_kernel):
        yield "tbf"
    if any(not link.plain for link in by_kernel):
        yield "netem"


def _complaint(words: list[str]) -> str:
    """A command's complaint, in a network namespace of its own; empty if it succeeds."""
    done = subprocess.run(["unshare", "--net", "--", *words], capture_output=True, text=True)
    return (done.stderr.strip() or f"status {done.returncode}") if done.returncode else ""
