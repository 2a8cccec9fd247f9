"""`serve --files --link-class`: packets go by the class of their file's remaining size.

A lab has a link of eight classes (studies/static-server/shape.sh); the kernel counts the packets of
each.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest
from labs import TWO_HOSTS, WAIT_S, inside, running

from thinktime.lab.instance import LabInstance
from thinktime.lab.namespaces import listens

SHAPE = Path(__file__).resolve().parents[2] / "studies" / "static-server" / "shape.sh"
BOUNDS = (0, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
"""A larger remaining size than each belongs to one class more (docs/files.md)."""

SMALL, LARGE = 1_000, 400_000
FETCH = """
import sys, urllib.request
with urllib.request.urlopen("http://other:8080/" + sys.argv[1]) as answer:
    print(len(answer.read()))
"""


def sent(lab: LabInstance) -> list[int]:
    """The bytes that each class has sent, from the first to the last."""
    said = inside(lab, "other", "tc", "-s", "class", "show", "dev", "to-one")
    found = re.findall(r"^class htb 1:1([0-7]) .*\n Sent (\d+) bytes", said, re.MULTILINE)
    assert len(found) == 8, said
    return [int(count) for _, count in sorted(found)]


def fetched(lab: LabInstance, name: str, size: int) -> list[int]:
    """The further bytes of each class during a download."""
    before = sent(lab)
    assert inside(lab, "one", sys.executable, "-c", FETCH, name) == f"{size}\n"
    return [after - old for after, old in zip(sent(lab), before, strict=True)]


def shaped(lab: LabInstance) -> None:
    """The classes; skips the test if the kernel has none."""
    script = 'sh "$0" to-one || echo failed'
    said = inside(lab, "other", "sh", "-c", script, str(SHAPE))
    if "kind is unknown" in said:
        pytest.skip("the kernel has no htb")
    assert "failed" not in said, said


def test_the_kernel_sends_by_what_is_left(tmp_path: Path) -> None:
    """A small file is of the first class alone; a large one goes through all of them.

    Each class gets the bytes between two bounds, except for those that the socket had taken when
    its class changed (4 kB are unsent at most, and a packet or two wait in the queue), and 66 bytes
    of headers with 1448 of the file.
    """
    site = tmp_path / "site"
    site.mkdir()
    (site / "small").write_bytes(bytes(SMALL))
    (site / "large").write_bytes(bytes(LARGE))
    with running(tmp_path, TWO_HOSTS) as lab:
        shaped(lab)
        serve = ["serve", "--files", str(site), "--policy", "srpt", "--link-class", "1:10"]
        process = lab.start("other", ["thinktime", *serve, "--listen", "0.0.0.0:8080"], "web")
        end = time.monotonic() + WAIT_S
        while not listens(process.pid, 8080):
            assert process.poll() is None, lab.last_words("web")
            assert time.monotonic() < end
            time.sleep(0.05)
        small = fetched(lab, "small", SMALL)
        large = fetched(lab, "large", LARGE)
        again = fetched(lab, "small", SMALL)
    for first, *others in (small, again):
        assert SMALL < first < SMALL + 1500  # its head, a handshake and an end
        assert others == [0] * 7
    assert LARGE < sum(large) < 1.06 * LARGE + 1500
    slack = 6_000
    for number in range(3, 8):
        above = LARGE if number == 7 else BOUNDS[number + 1]
        share = above - BOUNDS[number]
        assert share - slack < large[number] < 1.06 * share + slack, (number, large)
    # The sizes of pieces decide the shares of the first three.
    assert BOUNDS[3] - slack < sum(large[:3]) < 1.06 * BOUNDS[3] + slack
