"""Viewers of a live page stop the command once, and its results so far are kept."""

from __future__ import annotations

import contextlib
import threading
import time
import urllib.request
from pathlib import Path

import pytest
from live_commands import SYSTEM, WORKLOAD, Watched

import thinktime as tt

COMMANDS = {
    "simulate": ["simulate", "w.toml", "s.toml", "--requests", "2000000000"],
    "run": ["run", "w.toml", "--target", "SERVER", "--duration", "600s"],
}
VIEWERS = 20


def stop(url: str) -> None:
    """As the button does; the page may be gone by then."""
    with contextlib.suppress(OSError):
        urllib.request.urlopen(urllib.request.Request(f"{url}stop", method="POST"), timeout=60)


@pytest.mark.parametrize("name", COMMANDS)
def test_many_who_stop_it_at_once_stop_it_once(name: str, tmp_path: Path) -> None:
    """A second Ctrl-C would come while the result is kept."""
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    with tt.serve(tt.System(SYSTEM)) as server:
        words = [server.url if word == "SERVER" else word for word in COMMANDS[name]]
        with Watched([*words, "-o", "out", "--live"], tmp_path) as watched:
            time.sleep(2)
            viewers = [threading.Thread(target=stop, args=(watched.url,)) for _ in range(VIEWERS)]
            for one in viewers:
                one.start()
            for one in viewers:
                one.join(300)
            assert watched.ended() == 3, watched.said
    assert "Traceback" not in watched.said
    done = tt.Result.load(tmp_path / "out")
    assert done.interrupted
    assert done.summary["requests"] > 0
