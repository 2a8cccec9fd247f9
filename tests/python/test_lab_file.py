"""LAB files: errors are reported with file, line and key. Nothing is made for them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.cli.lab import run_options
from thinktime.lab import file, links, places, routes
from thinktime.lab.hostile import kinds

ROOT = Path(__file__).resolve().parents[2]

GOOD = """name = "wan"
seed = 7

[[host]]
name = "clients"

[[host]]
name = "server"

[[link]]
between = ["clients", "server"]
rate = "10Mbit/s"
delay = "25ms"
jitter = "2ms"
loss = "1%"
buffer = "64kB"

[[server]]
name = "web"
host = "server"
command = "thinktime serve server.toml"
ready = 8080

[[run]]
name = "visitors"
host = "clients"
workload = "w.toml"
target = "http://server:8080"
options = ["--duration", "3s"]
start = "1s"

[[hostile]]
name = "flood"
kind = "syn-flood"
host = "clients"
target = "server:8080"
rate = "100/s"
duration = "2s"
"""


def loaded(folder: Path, text: str) -> file.Lab:
    (folder / "w.toml").write_text('name = "w"\n[arrivals]\nmodel = "open"\nrate = "5/s"\n')
    (folder / "lab.toml").write_text(text)
    return file.load(folder / "lab.toml", run_options)


def test_a_file_says_what_it_says(tmp_path: Path) -> None:
    lab = loaded(tmp_path, GOOD)
    assert lab.hosts == ("clients", "server")
    assert lab.links == (
        file.Link(
            between=("clients", "server"),
            rate=1.25e6,
            delay=0.025,
            jitter=0.002,
            loss=0.01,
            buffer=64e3,
            by="forwarder",
        ),
    )
    assert lab.servers[0].command == ("thinktime", "serve", "server.toml")
    assert lab.runs[0].options == ("--duration", "3s")
    assert lab.runs[0].start == 1.0
    assert lab.hostiles[0].target == ("server", 8080)
    assert lab.hostiles[0].rate == 100.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("delay", "dleay"), ":13: unknown key `dleay`: did you mean `delay`?"),
        (('"25ms"', '"25 parsecs"'), ":13: link.delay: found '25 parsecs', wanted a time"),
        (('"25ms"', "true"), ":13: link.delay: found True"),
        (('"25ms"', '"-25ms"'), ":13: link.delay"),
        (('"25ms"', '"nan"'), ":13: link.delay"),
        (('"25ms"', '"1..2ms"'), ":13: link.delay"),
        (('"25ms"', '"2h"'), ":13: link.delay: is longer than an hour"),
        (('"25ms"', '"1ms"'), ":14: link.jitter: is larger than the delay"),
        (('"10Mbit/s"', '"10 knots"'), ":12: link.rate: give a rate, as in 10Mbit/s"),
        (('"10Mbit/s"', '"1.1.1Mbit/s"'), ":12: link.rate"),
        (('"10Mbit/s"', '"0Mbit/s"'), ":12: link.rate"),
        (('rate = "10Mbit/s"\n', ""), ":15: link.buffer: goes with `rate`"),
        (('"1%"', '"100%"'), ":15: link.loss: a share is less than 100 %"),
        (('"64kB"', '"10B"'), ":16: link.buffer: a buffer has 1500 B"),
        (('["clients", "server"]', '["clients", "clients"]'), ":11: link.between: give the names"),
        (('["clients", "server"]', '["clients", "sever"]'), "no host `sever`: there are `clients`"),
        (('name = "server"\n\n[[link', 'name = "Sérver"\n\n[[link'), ":8: host.name: a name has"),
        (('name = "server"\n\n[[link', 'name = "clients"\n\n[[link'), "`clients` is there twice"),
        (("[[link]]", "[[lnk]]"), ":10: unknown table [[lnk]]: there are [[host]], [[link]]"),
        (("[[link]]", "[link]"), ": unknown key `link`"),
        (('name = "flood"', 'name = "web"'), ":33: hostile.name: `web` is there twice"),
        (('command = "thinktime serve server.toml"', "command = []"), ":21: server.command"),
        (('host = "server"\n', ""), ":18: server: `host` is missing"),
        (("8080\n", "80800\n"), ":22: server.ready: give a port, 1 to 65535"),
        (('"w.toml"', '"v.toml"'), ":27: run.workload:"),
        (("http://server", "http://other"), ":28: run.target: there is no host `other`"),
        (('"--duration", "3s"', '"--json"'), ":29: run.options: `--json` does not go with"),
        (('"--duration", "3s"', '"--help"'), ":29: run.options: `--help` does not go with"),
        (('"--duration"', '"--durations"'), ":29: run.options: No such option: --durations"),
        (('"3s"', '"3s", "more"'), ":29: run.options: Got unexpected extra argument"),
        (('"3s"', '"3 parsecs"'), ":29: run.options: duration: unknown unit `parsecs`"),
        (('"--duration", "3s"', '"--drain", "soon"'), ":29: run.options: drain: `soon` is no"),
        (('"--duration", "3s"', '"--clients", "5"'), ":29: run.options: clients = 5: does not go"),
        (('"--duration", "3s"', '"--requests", "x"'), ":29: run.options: Invalid value for"),
        (('"syn-flood"', '"sin-flood"'), ":34: hostile.kind: found 'sin-flood': there are"),
        (('"syn-flood"', '["syn-flood"]'), ":34: hostile.kind: found ['syn-flood']: there"),
        (('"server:8080"\nrate', '"server"\nrate'), ":36: hostile.target: needs a port"),
        (('"server:8080"\nrate', '"198.18.2.1:8080"\nrate'), ":36: hostile.target: give a host"),
        (('"100/s"', '"100000/s"'), ":37: hostile.rate: found '100000/s', wanted more than 0"),
        (('"100/s"', '"100"'), ":37: hostile.rate: found '100', wanted a rate such as 100/s"),
        (('"2s"\n', '"0s"\n'), ":38: hostile.duration: found '0s', wanted more than 0 and at most"),
        (('"2s"\n', '"2h"\n'), "duration: found '2h', wanted more than 0 and at most 600 s"),
        (('name = "wan"', 'name = "wan'), ":1: "),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    change: tuple[str, str], message: str, tmp_path: Path
) -> None:
    old, new = change
    assert old in GOOD
    with pytest.raises(tt.InputError) as caught:
        loaded(tmp_path, GOOD.replace(old, new, 1))
    said = str(caught.value)
    assert re.match(rf"{tmp_path}/lab\.toml(:\d+)?: ", said), said
    assert message in said


def test_hosts_without_a_way_between_them_are_refused(tmp_path: Path) -> None:
    text = GOOD.replace('["clients", "server"]', '["clients", "third"]')
    with pytest.raises(tt.InputError, match="no link leads from `clients` to `server`"):
        loaded(tmp_path, text.replace("[[link]]", '[[host]]\nname = "third"\n[[link]]'))


@pytest.mark.parametrize("text", ["\0", "[[host]]\n" * 70, "a = " + "[" * 100_000, "name = 5"])
def test_no_file_is_too_strange(text: str, tmp_path: Path) -> None:
    with pytest.raises(tt.InputError):
        loaded(tmp_path, text)


def test_the_command_says_it_too_and_makes_nothing(tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(GOOD.replace("seed", "sede"))
    done = CliRunner().invoke(app, ["lab", str(tmp_path / "lab.toml")])
    assert done.exit_code == 2
    assert "unknown key `sede`: did you mean `seed`?" in done.output
    done = CliRunner().invoke(app, ["lab", str(tmp_path / "none.toml")])
    assert done.exit_code == 2
    assert "none.toml" in done.output


def test_packets_go_by_the_fewest_links() -> None:
    """A ring of five with a chord: checked by hand."""
    ring = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "a"), ("b", "d"), ("x", "y")]
    over = routes.ways("a", ring)
    assert over.pop("d") in ("b", "e")  # two ways of two links
    assert over == {"b": "b", "c": "b", "e": "e"}
    assert routes.ways("c", ring) == {"b": "b", "d": "d", "a": "b", "e": "d"}
    assert routes.ways("x", ring) == {"y": "y"}


def test_addresses_are_those_for_measurements_and_no_host_has_anothers() -> None:
    blocks = [places.block(number) for number in range(1, file.HOSTS_MAX + 1)]
    assert all(one.subnet_of(places.RANGE) for one in blocks)
    assert len({int(one.network_address) for one in blocks}) == len(blocks)
    assert all(places.address(n) in places.block(n) for n in range(1, file.HOSTS_MAX + 1))


def test_names_of_devices_are_short_enough_for_the_kernel() -> None:
    """IFNAMSIZ is 16, including the final zero."""
    longest = "a" * 12
    assert len(links.device(longest)) <= 15


def test_the_page_and_the_example_have_every_key() -> None:
    page = (ROOT / "docs/lab.md").read_text("utf-8")
    for table, (keys, _) in file.TABLES.items():
        assert f"[[{table}]]" in page
        assert not [key for key in keys if f"`{key}`" not in page], table
    assert not [key for key in file.PLAIN if f"`{key}`" not in page]
    assert not [kind for kind in kinds.KINDS if f"`{kind}`" not in page]
    assert file.load(ROOT / "examples/lab.toml", run_options).runs


def test_the_longest_default_buffer_is_a_tenth_of_a_second() -> None:
    link = file.Link(("a", "b"), 1.25e6, 0.0, 0.0, 0.0, None, "forwarder")
    assert links.buffer_of(link) == 125_000.0
    assert json.dumps(links.qdiscs(link)).count("10000000bit") == 1
