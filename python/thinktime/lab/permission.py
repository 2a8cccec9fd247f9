"""What a lab needs of the machine: root, or a user namespace in which this user is root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from thinktime import RunError

TOOLS = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "unshare": "util-linux",
         "setpriv": "util-linux"}  # fmt: skip
"""By program, the package that has it."""

MARK = "THINKTIME_LAB_INSIDE"
"""Tells the second start of the command that it is in the user namespace."""

CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21


def is_root() -> bool:
    """Whether this process may make network namespaces, devices and mounts."""
    with open("/proc/self/status", encoding="utf-8") as status:
        line = next(line for line in status if line.startswith("CapEff:"))
    held = int(line.split()[1], 16)
    return all(held >> one & 1 for one in (CAP_NET_ADMIN, CAP_SYS_ADMIN)) and os.geteuid() == 0


def is_inside() -> bool:
    """Whether this process is in a user namespace that `need` made."""
    return MARK in os.environ


def missing() -> str | None:
    """Why no lab can be made here, and what would help; None where one can."""
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            return f"`{tool}` is not installed: it is in the package {package}"
    if is_root():
        done = subprocess.run(["unshare", "--net", "true"], capture_output=True, text=True)
        return None if done.returncode == 0 else f"no network namespaces: {done.stderr.strip()}"
    done = subprocess.run([*_USER, "true"], capture_output=True, text=True)
    if done.returncode:
        return (
            "a lab needs root, or user namespaces, which are not permitted here "
            f"({' '.join(done.stderr.split())}): start it as root (sudo), or allow them "
            "(sysctl user.max_user_namespaces and, where there is one, "
            "kernel.unprivileged_userns_clone or kernel.apparmor_restrict_unprivileged_userns)"
        )
    return None


_USER = [
    "unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork",
    "--kill-child", "--mount-proc", "--",
]  # fmt: skip


def need() -> None:
    """Go on as root of a user namespace where this process is not root.

    There the whole lab is in namespaces that end with it, `/run` included.

    Raises:
        RunError: There is no lab to be had.
    """
    if (why := missing()) is not None:
        raise RunError(why)
    if is_root():
        return
    if is_inside():
        raise RunError("a lab needs root, and the user namespace does not give what it needs")
    os.environ[MARK] = "1"
    again = [sys.executable, "-c", "from thinktime.cli import main; main()", *sys.argv[1:]]
    script = 'mount -t tmpfs tmpfs /run && exec "$@"'
    os.execvp("unshare", [*_USER, "sh", "-c", script, "sh", *again])
