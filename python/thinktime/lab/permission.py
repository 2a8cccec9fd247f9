"""The rights that a lab needs: root, or a user namespace in which this user is root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from thinktime import RunError

TOOLS = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "unshare": "util-linux",
         "setpriv": "util-linux"}  # fmt: skip
"""By program, the package that contains it."""

MARK = "THINKTIME_LAB_INSIDE"
"""Marks the second start of the command as being in the user namespace."""

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


def missing(what: str = "a lab") -> str | None:
    """Why a lab cannot be made here, and a remedy; None if it can.

    `what` names the feature that needs the rights.
    """
    # Ordinary users of some systems do not search their folders.
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    more = [one for one in ("/usr/sbin", "/sbin") if one not in places]
    os.environ["PATH"] = os.pathsep.join([*places, *more])
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            return f"`{tool}` is not installed: it is in the package {package}"
    if is_root():
        done = subprocess.run(["unshare", "--net", "true"], capture_output=True, text=True)
        return None if done.returncode == 0 else f"no network namespaces: {done.stderr.strip()}"
    done = subprocess.run([*_USER, "--net", "--", "true"], capture_output=True, text=True)
    if done.returncode:
        return (
            f"{what} needs root, or user namespaces, which are not permitted here "
            f"({' '.join(done.stderr.split())}): start it as root (sudo), or allow them (sysctl "
            "user.max_user_namespaces and, if it exists, kernel.unprivileged_userns_clone or "
            "kernel.apparmor_restrict_unprivileged_userns)"
        )
    return None


_USER = [
    "unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child",
    "--mount-proc",
]  # fmt: skip
"""Begins a user namespace in which this user is root."""

_RUN_OWN = 'mount -t tmpfs tmpfs /run && exec "$@"'
"""A folder `/run` of its own."""

_RUN_OVER = """mount --rbind /run /tmp && mount -t tmpfs tmpfs /run && mkdir /run/.below &&
  mount --move /tmp /run/.below && cd /run/.below || exit
for one in *; do
  case $one in netns | thinktime-labs) ;; *) ln -s "/run/.below/$one" "/run/$one" ;; esac
done
cd "$0" && exec "$@"
"""
"""The same, with links to the usual contents, such as the path to a name server."""


def need(what: str = "a lab", reaching_out: bool = False) -> None:
    """Continue as root of a user namespace if this process is not root.

    There the whole lab is in namespaces that end with it, `/run` included. With `reaching_out` the
    command keeps the network namespace in which this process was started, with everything that it
    reaches.

    Raises:
        RunError: The rights for `what` are not available here.
    """
    if (why := missing(what)) is not None:
        raise RunError(why)
    if is_root():
        return
    if is_inside():
        raise RunError(f"{what} needs root, and the user namespace does not give what it needs")
    os.environ[MARK] = "1"
    again = [sys.executable, "-c", "from thinktime.cli import main; main()", *sys.argv[1:]]
    words = [*_USER, *([] if reaching_out else ["--net"]), "--", "sh", "-c"]
    script = [_RUN_OVER, os.getcwd()] if reaching_out else [_RUN_OWN, "sh"]
    os.execvp("unshare", [*words, *script, *again])
