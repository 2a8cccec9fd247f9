"""The help of commands: groups of options, placeholders of values, and short options, by name.

An option has the same group, placeholder and letter in every command. The first group has what a
command needs.
"""

from __future__ import annotations

from functools import partial
from typing import Any

GROUPS = {
    "Input and target": "target server listen cluster workload vary generator what again "
    "demands overlays files policy bandwidth link_class burn threads cores cpu_limit server_timing",
    "Log": "format only without user user_field timeout pages crawlers least_users follow formats "
    "demand compare fidelity",
    "Load": "scale rate clients think load seed demand_cv2",
    "Length": "duration requests warmup drain replications precision stop_on_slo runs restart",
    "Output": "output report system rows leave_rows label log json junit markdown show_errors "
    "verbose quiet",
    "While it runs": "live live_at metrics otlp",
    "Connections": "certificate key ca_file insecure sources resolve ip_version lookup unix_socket "
    "proxy link behind_proxy connections body_bytes waiting wait client connect first_byte idle",
    "Health of servers": "health health_every health_within probe retries failures closed",
    "Generators": "lateness loops on generators on_loss",
}
"""The groups of options in their order, each with the names of its options in theirs."""

_LAST = "Other"
"""The group of the options without one."""

_GROUPED_FROM = 12
"""A command with fewer options has one group."""

PLACES = {
    **dict.fromkeys(("listen", "metrics"), "HOST:PORT"),
    **dict.fromkeys(("health", "probe", "unix_socket"), "PATH"),
    **dict.fromkeys(("report", "compare"), "FILE"),
    **dict.fromkeys(("authority", "files", "leave_rows", "low_load", "output"), "DIR"),
    **dict.fromkeys(("only", "without"), "KIND=PATTERN"),
    **dict.fromkeys(("cluster", "branch", "scenario", "usagemodel", "allocation", "os"), "NAME"),
    "bandwidth": "RATE", "clients": "[NAME=]N", "commit": "COMMIT", "cores": "N,N",
    "cpu_limit": "CORES",
    "crawlers": "apart|with", "demand": "LAW", "format": "FORMAT", "label": "NAME", "link": "LINK",
    "link_class": "CLASS", "on": "CLUSTER", "on_loss": "stop|continue", "policy": "fair|srpt",
    "precision": "SHARE", "proxy": "URL", "rate": "[NAME=]RATE", "resolve": "HOST:PORT:ADDRESS",
    "rows": "all|none|1/N", "runs": "N", "sources": "ADDRESS", "target": "URL",
    "think": "[NAME=]TIME", "threads": "N", "time_unit": "UNIT", "user": "FIELD",
    "user_field": "FIELD", "vary": "KEY=VALUES", "what": "rate|clients|scale",
}  # fmt: skip
"""The placeholders of options whose declaration has none; of others that of their type."""

_VAGUE = (None, "TEXT")
"""Placeholders of declarations that say nothing."""

_PLACES_OF_TYPES = {"int": "N", "int range": "N", "float": "NUMBER", "str": "TEXT", "path": "FILE"}

_LETTERS = {
    "clients": "-c", "duration": "-d", "follow": "-f", "output": "-o", "rate": "-r",
    "requests": "-n", "target": "-t",
}  # fmt: skip
"""The letters of the commonest options; -q and -v are declared with theirs."""


def arrange(command: Any) -> None:
    """Give the parameters of a command their placeholders and letters, and its help the groups."""
    for one in command.params:
        letter = _LETTERS.get(one.name)
        if letter and one.param_type_name == "option" and letter not in one.opts:
            one.opts.append(letter)
        if one.param_type_name == "argument":
            many = "..." if one.nargs != 1 else ""
            one.metavar = one.metavar or one.name.upper().removesuffix("S" if many else "") + many
        elif not one.is_flag and one.metavar in _VAGUE:
            one.metavar = PLACES.get(one.name) or _PLACES_OF_TYPES[one.type.name]
    command.format_options = partial(_write, command)


def _write(command: Any, context: Any, formatter: Any) -> None:
    """Write the sections of arguments and options."""
    records = [(one, one.get_help_record(context)) for one in command.get_params(context)]
    shown = [(one, record) for one, record in records if record is not None]
    arguments = [record for one, record in shown if one.param_type_name == "argument"]
    options = {one.name: record for one, record in shown if one.param_type_name == "option"}
    sections = {"Arguments": arguments, **_grouped(options)}
    for title, entries in sections.items():
        if entries:
            with formatter.section(title):
                formatter.write_dl(entries)


def _grouped(options: dict[str, Any]) -> dict[str, list[Any]]:
    """The help of options by their groups."""
    if len(options) < _GROUPED_FROM:
        return {"Options": list(options.values())}
    groups = {title: names.split() for title, names in GROUPS.items()}
    known = {name for names in groups.values() for name in names}
    groups[_LAST] = [name for name in options if name not in known]
    return {
        title: [options[name] for name in names if name in options]
        for title, names in groups.items()
    }
