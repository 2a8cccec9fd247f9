"""An address at which nobody can listen: one status and the same words for all commands."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from socket import AF_INET, SOCK_STREAM, create_server, socket

import pytest

import thinktime as tt
from thinktime.monitor.address import bound
from thinktime.recording import Recorder

THINKTIME = Path(sys.executable).with_name("thinktime")
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n'
WORKLOAD = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "80/s"\n'

RUN = ["run", "w.toml", "--target", "http://127.0.0.1:9", "-q"]
COMMANDS = {
    "serve": ["serve", "s.toml", "--listen"],
    "serve --files": ["serve", "--files", ".", "--listen"],
    "serve --burn": ["serve", "s.toml", "--burn", "--listen"],
    "record": ["record", "--listen"],
    "run --live-at": [*RUN, "--live-at"],
    "run --metrics": [*RUN, "--metrics"],
}


@pytest.fixture
def taken() -> Iterator[str]:
    """The address of a listening socket."""
    with closing(create_server(("127.0.0.1", 0))) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_port_in_use_is_no_wrong_input_and_another_one_is_named(
    tmp_path: Path, taken: str, name: str
) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    done = subprocess.run(
        [str(THINKTIME), *COMMANDS[name], taken],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    right = "name another port, or 0 for a free one"
    assert f"cannot listen on {taken}: Address already in use: {right}" in done.stderr
    assert "os error" not in done.stderr


def test_both_halves_say_the_same(taken: str) -> None:
    foreign = "192.0.2.1:0"  # RFC 5737: an address for documents, which no machine has
    with closing(socket(AF_INET, SOCK_STREAM)) as one, pytest.raises(OSError, match="assign"):
        one.bind(("192.0.2.1", 0))
    for place in (taken, foreign):
        said = []
        with pytest.raises(tt.RunError) as failed:
            tt.serve(tt.System(SYSTEM), listen=place)
        said.append(str(failed.value))
        with pytest.raises(tt.RunError) as failed:
            bound(place, "--live-at")
        said.append(str(failed.value).removeprefix("--live-at: "))
        with pytest.raises(tt.RunError) as failed, Recorder(place):
            pass
        said.append(str(failed.value))
        assert len(set(said)) == 1, said


def test_an_unknown_host_is_a_target_that_cannot_be_reached(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    done = subprocess.run(
        [
            str(THINKTIME), "run", "w.toml", "--target", "http://shop.invalid:81",
            "--proxy", "", "-q", "--junit", "j.xml",
        ],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert "http://shop.invalid:81 cannot be reached: `shop.invalid:81` has no" in done.stderr
    assert "check the name" in done.stderr
    assert "cannot be reached" in (tmp_path / "j.xml").read_text()
