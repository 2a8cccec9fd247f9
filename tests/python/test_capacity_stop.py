"""A search for the capacity that Ctrl-C ends early."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import thinktime as tt
from thinktime.capacity_search.probe import Probe

WORKLOAD = """
name = "w"
[arrivals]
model = "open"
rate = "800/s"
[slo]
mean = "2ms"
"""
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(1ms)"\n'

# Ctrl-C comes in the search, the first time that numpy is loaded there.
LOADING = f"""
import sys
import thinktime as tt
from thinktime.capacity_search.search import Search


class CtrlC:
    def find_spec(self, name, *_):
        if name == "numpy":
            raise KeyboardInterrupt


def run(self, *given, run=Search.run):
    sys.meta_path.insert(0, CtrlC())
    run(self, *given)


Search.run = run
print(tt.capacity(tt.Workload('''{WORKLOAD}'''), tt.System('''{SYSTEM}'''), probes_max=1).verdict)
"""


def test_no_search_begins_before_numpy_is_loaded_whole(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADING], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_after_ctrl_c_nothing_is_said_of_rates_that_were_not_tried() -> None:
    def interrupt(_: Probe) -> None:
        raise KeyboardInterrupt

    # A mean of 2 ms is that of M/M/1 at 500/s, so the first rate misses it and lower ones do not.
    with pytest.raises(tt.CapacityStopped) as stopped:
        tt.capacity(tt.Workload(WORKLOAD), tt.System(SYSTEM), progress=interrupt)
    words = stopped.value.capacity.words
    assert words.startswith("below 800/s, by 1 probe, as none met the SLO yet: mean is ")
