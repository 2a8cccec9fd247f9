"""The probes: each looks at one property. None means that this machine has no finding."""

from __future__ import annotations

import re
from collections.abc import Callable

from thinktime.doctor.finding import Finding
from thinktime.doctor.machine import Machine

_CONNECTIONS = 20_000
"""A test with this many connections at a time is common."""
_WAITING = 1024
"""At most this many connections come within a millisecond or two."""
_LATE_S = 1e-3
"""Users would notice a request sent this much later than scheduled."""
_KEPT_FREE = 100
"""Descriptors that are not for connections: files, libraries, timers."""


def kernel(machine: Machine) -> Finding:
    """Whether the kernel has the calls with which the generator and the server wait."""
    system, release = machine.kernel()
    version = tuple(int(number) for number in re.findall(r"\d+", release)[:2])
    enough = system == "Linux" and version >= (5, 11)
    return Finding(
        "kernel",
        f"{system} {release}",
        enough,
        "run, serve and learn work: waits are exact to the nanosecond (epoll_pwait2)"
        if enough
        else "run, serve and learn do not work: they need epoll_pwait2",
        "" if enough else "use Linux 5.11 or newer",
    )


def cores(machine: Machine) -> Finding:
    """The number of cores, and the share of them that a container may use."""
    count = machine.cores()
    quota = _quota(machine)
    found = f"{count} core{'s' if count > 1 else ''}"
    if quota is not None and quota < count:
        return Finding(
            "cores",
            f"{found}, of which a control group grants {quota:g}",
            False,
            "when that is used up all threads pause, for up to 0.1 s: such pauses are lateness",
            "run the container without a limit of CPU time (docker run without --cpus)",
        )
    if count < 2:
        return Finding(
            "cores",
            found,
            False,
            "generator and a server on this machine share it, and make each other late",
            "use a machine with 2 cores or more, or a server on another machine",
        )
    return Finding("cores", found, True, f"up to {count} event loops (run --loops {count})")


def _quota(machine: Machine) -> float | None:
    """The cores' worth of CPU time that the control group grants."""
    given = machine.numbers("sys/fs/cgroup/cpu.max")
    if len(given) == 2:
        return given[0] / given[1]
    quota = machine.numbers("sys/fs/cgroup/cpu/cpu.cfs_quota_us")
    period = machine.numbers("sys/fs/cgroup/cpu/cpu.cfs_period_us")
    return quota[0] / period[0] if quota and period and quota[0] > 0 else None


def other_work(machine: Machine) -> Finding | None:
    """Whether other programs use the cores."""
    loads = machine.numbers("proc/loadavg")
    if not loads:
        return None
    enough = loads[0] < 0.5 * machine.cores()
    return Finding(
        "other work",
        f"{loads[0]:g} threads ran or wanted to, on average over the last minute",
        enough,
        "the cores are free for measurements" if enough else "measurements wait for cores",
        "" if enough else "end other programs; `top` shows them",
    )


def descriptors(machine: Machine) -> Finding:
    """The number of connections that the limit of open files allows."""
    allowed = machine.descriptors()
    if allowed < 0:
        return Finding("descriptors", "no limit", True, "any number of connections at a time")
    connections = max(allowed - _KEPT_FREE, 0)
    enough = connections >= _CONNECTIONS
    return Finding(
        "descriptors",
        f"{allowed:,} open files and sockets",
        enough,
        f"{connections:,} connections at a time",
        ""
        if enough
        else f"ulimit -Hn {1024 * 1024} (as root), or docker run --ulimit nofile=1048576",
    )


def ports(machine: Machine) -> Finding | None:
    """The number of connections that one address can have to one target."""
    given = machine.numbers("proc/sys/net/ipv4/ip_local_port_range")
    if len(given) != 2:
        return None
    count = int(given[1] - given[0]) + 1
    enough = count >= _CONNECTIONS
    return Finding(
        "ports",
        f"{given[0]:.0f} to {given[1]:.0f}",
        enough,
        f"{count:,} connections at a time to one target from one address; more with --source",
        "" if enough else "sysctl -w net.ipv4.ip_local_port_range='15000 60999'",
    )


def waiting_connections(machine: Machine) -> Finding | None:
    """The number of new connections that a server may leave waiting."""
    most = machine.numbers("proc/sys/net/core/somaxconn")
    if not most:
        return None
    enough = most[0] >= _WAITING
    return Finding(
        "waiting connections",
        f"{most[0]:.0f} (somaxconn)",
        enough,
        "a server takes bursts of new connections"
        if enough
        else "of a burst of new connections some are late by a second or more",
        "" if enough else "sysctl -w net.core.somaxconn=4096",
    )


def clock(machine: Machine) -> Finding | None:
    """The cost of reading the clock."""
    source = machine.read("sys/devices/system/clocksource/clocksource0/current_clocksource")
    if not source:
        return None
    enough = source in ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")
    return Finding(
        "clock",
        source,
        enough,
        "reading it costs some 30 ns" if enough else "reading it costs a microsecond or more",
        ""
        if enough
        else f"echo tsc > {_CLOCKS}/current_clocksource, if {_CLOCKS}/available_clocksource has it",
    )


_CLOCKS = "/sys/devices/system/clocksource/clocksource0"


def frequency(machine: Machine) -> Finding | None:
    """Whether cores change their speed."""
    governor = machine.read("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if not governor:
        return None
    enough = governor == "performance"
    return Finding(
        "frequency",
        f"governor {governor}",
        enough,
        "cores keep their speed"
        if enough
        else "cores slow down when they have little work: low loads look slower than they are",
        "" if enough else "cpupower frequency-set -g performance",
    )


def timers(machine: Machine) -> Finding:
    """The delay with which this machine wakes a sleeping thread."""
    late = machine.lateness_s()
    median, p99 = late[len(late) // 2], late[min(int(0.99 * len(late)), len(late) - 1)]
    enough = p99 < _LATE_S
    # Python's sleeps have the usual slack of 50 µs; the generator sets its own to 1 ns.
    return Finding(
        "timers",
        f"sleeps end {median * 1e6:.0f} µs late, 1 % of them {p99 * 1e6:.0f} µs or more",
        enough,
        "requests are sent in time: the generator sets its timer slack to 1 ns, which takes some "
        "50 µs off"
        if enough
        else "requests are sent late: a result says so (lateness)",
        "" if enough else "end other programs, or use a machine without other guests",
    )


def stolen_time(machine: Machine) -> Finding | None:
    """Whether a host takes cores away."""
    times = machine.numbers_of("proc/stat", "cpu")
    if len(times) < 8 or sum(times[:8]) == 0:
        return None
    share = times[7] / sum(times[:8])
    enough = share < 0.01
    return Finding(
        "stolen time",
        f"{100 * share:.1f} % since the start of the machine",
        enough,
        "the host leaves the cores alone"
        if enough
        else "the host runs other guests on these cores: such pauses are lateness",
        "" if enough else "use a machine with cores of its own",
    )


def threads(machine: Machine) -> Finding:
    """The number of threads that `serve --burn --threads per-request` may start."""
    bounds = [machine.threads(), *machine.numbers("sys/fs/cgroup/pids.max")]
    least = min((int(bound) for bound in bounds if bound >= 0), default=None)
    if least is None:
        return Finding("threads", "no limit", True, "serve --burn with a thread for each request")
    enough = least >= 10_500
    return Finding(
        "threads",
        f"{least:,}",
        enough,
        "serve --burn with a thread for each request, up to 10,000 at a time"
        if enough
        else "serve --burn refuses requests beyond that",
        "" if enough else "ulimit -u 20000, or docker run --pids-limit 20000",
    )


def memory(machine: Machine) -> Finding | None:
    """The amount of free memory."""
    text = machine.read("proc/meminfo") or ""
    match = re.search(r"MemAvailable:\s+(\d+) kB", text)
    if not match:
        return None
    available = int(match[1]) * 1024
    # A connection costs at most some 40 kB, most of it buffers of the kernel.
    connections = available // 40_000
    enough = connections >= _CONNECTIONS
    return Finding(
        "memory",
        f"{available / 2**30:.1f} GiB available",
        enough,
        f"some {connections:,} connections at a time",
        "" if enough else "end other programs, or use a machine with more memory",
    )


PROBES: tuple[Callable[[Machine], Finding | None], ...] = (
    kernel, cores, other_work, stolen_time, frequency, clock, timers, descriptors, ports,
    waiting_connections, threads, memory,
)  # fmt: skip
"""All probes, in the order in which their findings are shown."""
