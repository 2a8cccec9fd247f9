"""Schedulers of machines as hierarchical timed coloured Petri nets (MOSS, QEST 2010).

`export` writes the net of a choice of features, a number of cores and a small scenario as a file
of CPN Tools 4. The net follows `crates/core/src/system/machine/README.md` and shares no code with
the simulator: it is its second implementation.
"""

from __future__ import annotations

from pathlib import Path

from thinktime import _core
from thinktime.machine.cpn.declarations import declarations, kinds
from thinktime.machine.cpn.features import NetFeatures, net_features
from thinktime.machine.cpn.net import Net
from thinktime.machine.cpn.scenario import DEFAULT, Task, read
from thinktime.machine.cpn.top import overview
from thinktime.machine.cpn.xml import written

__all__ = ["DEFAULT", "NetFeatures", "Task", "export", "net_features", "net_of", "read", "write"]


def net_of(features: str, cores: int, tasks: list[Task]) -> Net:
    """Return the net of a scheduler and a scenario; arguments and errors as for `export`."""
    known = net_features(features, cores)
    return Net(declarations(known, tasks), overview(known, kinds(known, tasks)))


def export(features: str, cores: int, tasks: list[Task]) -> str:
    """Return the text of a `.cpn` file.

    Args:
        features: A scheduler's features as JSON, from `thinktime._core.scheduler_features`.
        cores: The number of cores, from 1 to 64.
        tasks: The scenario, one task at least. Tasks are numbered from 1, in its order.

    Raises:
        InputError: The net does not carry a feature, or the scheduler does not have a task's
            priority.
    """
    return written(net_of(features, cores, tasks))


def write(file: Path, features: str, cores: int, scenario: Path | None = None) -> None:
    """Write a `.cpn` file; the scenario is a TOML file, by default the built-in one.

    Raises:
        InputError: As for `export`, or the scenario cannot be read; the message names its file.
        OSError: The file cannot be written.
    """
    name = "the built-in scenario" if scenario is None else str(scenario)
    try:
        text = DEFAULT if scenario is None else scenario.read_text(encoding="utf-8")
        net = export(features, cores, read(text))
    except (OSError, UnicodeDecodeError, _core.InputError) as error:
        raise _core.InputError(f"{name}: {error}") from None
    file.write_text(net, encoding="ascii", errors="xmlcharrefreplace")
