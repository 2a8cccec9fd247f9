"""The inputs of `run --link`: texts and files, and their errors. Nothing is made."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cases
import pytest

import thinktime as tt
from thinktime.lab import links, run_over_link
from thinktime.lab.link_difference import differ
from thinktime.lab.link_option import parse_link
from thinktime.lab.link_record import LinkRecord
from thinktime.results.link import text_of, words_of
from thinktime.validity import DOUBTFUL, FINE, SPOILT
from thinktime.validity.evidence import Evidence
from thinktime.validity.link import check as check_link

W = cases.closed_model(1, "1ms")
TARGET = "http://127.0.0.1:1"


def test_a_text_has_the_keys_of_a_link() -> None:
    found = parse_link("delay=50ms,  jitter = '2ms', loss = 1%, rate = 10Mbit/s, buffer = 64kB")
    link = found.link
    assert (link.delay, link.jitter, link.loss) == (0.05, 0.002, 0.01)
    assert (link.rate, link.buffer, link.by) == (1.25e6, 64000, "forwarder")
    assert found.congestion_control == "reno"
    assert found.text == "delay = 50ms, jitter = 2ms, loss = 1%, rate = 10Mbit/s, buffer = 64kB"
    assert parse_link(found.text) == found
    assert parse_link("congestion_control = cubic, by = netem").congestion_control == "cubic"
    assert parse_link("rate = 1.25MB/s").link.rate == 1.25e6
    assert not links.is_program(parse_link("rate = 10Mbit/s").link)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("delay = far", "link: delay: found 'far', wanted a time such as 250ms or 1.5s"),
        ("delay = 2h", "link: delay: is longer than an hour"),
        ("delay = 50", "link: delay: `50` has no unit, as 50ms has"),
        ("loss = 100%", "link: loss: a share is less than 100 %"),
        ("loss = -1%", "link: loss: found '-1%'"),
        ("rate = 10", "link: rate: give a rate, as in 10Mbit/s"),
        ("rate = 10Mbit/s, buffer = 1kB", "link: buffer: a buffer has 1500 B"),
        ("buffer = 64kB", "link: buffer: goes with `rate`"),
        ("delay = 1ms, jitter = 2ms", "link: jitter: is larger than the delay"),
        ("by = magic", "link: by: is forwarder or netem"),
        ("lag = 5ms", "link: unknown key `lag`: there are rate, delay"),
        ("dealy = 5ms", "link: unknown key `dealy`: did you mean `delay`?"),
        ("between = a", "link: unknown key `between`"),
        ("delay = 1ms, delay = 2ms", "link: delay: is there twice"),
        ("delay = 1ms, loss", "link: `loss`: give keys and values"),
        ("delay =", "link: `delay =`: give keys and values"),
        ("", "link: ``: give keys and values"),
        ("no-such.toml", "link: give it as in"),
    ],
)
def test_what_is_wrong_is_said_with_the_key(text: str, message: str) -> None:
    with pytest.raises(tt.InputError) as error:
        parse_link(text)
    assert str(error.value).startswith(message)


LAB = '[[host]]\nname = "a"\n[[host]]\nname = "b"\n[[link]]\nbetween = ["a", "b"]\n'
SYSTEM = '[[station]]\nname = "cpu"\ndemand = "exp(1ms)"\n[[link]]\nname = "wan"\n'


@pytest.mark.parametrize("begin", [LAB, SYSTEM, "[[link]]\n"])
def test_a_file_has_one_link(begin: str, tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(f'name = "x"\n{begin}delay = "50ms"\nloss = 0.01\n')
    found = parse_link(str(tmp_path / "w.toml"))
    assert found.text == "delay = 50ms, loss = 0.01"
    assert parse_link(found.text) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a run crosses one link, and the file has 0 [[link]]"),
        (f'{SYSTEM}[[link]]\nname = "lan"\n', "and the file has 2 [[link]]"),
        (f'{SYSTEM}delay = "far"\n', ":6: link.delay: found 'far'"),
        (f'{SYSTEM}\nlag = "1ms"\n', ":7: unknown key `lag`"),
        (f'{SYSTEM}connections = "keep"\n', ":6: link.connections: only a model takes it"),
        (f"{SYSTEM}initial_window = 4\n", ":6: link.initial_window: only a model takes it"),
        ("[[link", "Expected"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_line(
    text: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "w.toml").write_text(text)
    with pytest.raises(tt.InputError, match=re.escape(message)) as error:
        parse_link(str(tmp_path / "w.toml"))
    assert str(error.value).startswith(str(tmp_path / "w.toml"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"unix_socket": "/run/x"}, "`unix_socket` does not go with `link`"),
        ({"sources": ["127.0.0.2"]}, "`sources` does not go with `link`"),
        ({"lookup": "1s"}, "`lookup` does not go with `link`"),
        ({"resolve": ["other:1:127.0.0.1"]}, "is not about the target: write 127.0.0.1:1:ADDRESS"),
        ({"ip_version": 6}, "the host has no address of IPv6"),
        ({"link": "delay = far"}, "link: delay"),
    ],
)
def test_what_does_not_go_with_a_link(given: dict[str, Any], message: str) -> None:
    with pytest.raises(tt.InputError, match=re.escape(message)):
        tt.run(W, TARGET, **({"link": "delay = 1ms"} | given))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("udp://127.0.0.1:1", "datagrams (udp) do not go over it"),
        ("h3://127.0.0.1:1", "datagrams (h3) do not go over it"),
        ("ftp://127.0.0.1", "a target is written as"),
        ("http://", "a target is written as"),
        ("tcp://127.0.0.1", "names no port"),
        ("http://127.0.0.1:99999", "out of range"),
        ("http://no-such-host.invalid", "no-such-host.invalid"),
    ],
)
def test_targets_that_a_link_does_not_lead_to(target: str, message: str) -> None:
    with pytest.raises(tt.InputError, match=re.escape(message)):
        tt.run(W, target, link="delay = 1ms")


OAUTH2 = (
    W.to_toml()
    + '\n[clients]\noauth2 = { url = "http://i/t", client = "file:a", secret = "file:a" }\n'
)
SHARED = """name = "w"
shared = "redis://127.0.0.1:6379"
[arrivals]
model = "closed"
clients = 1
[session]
script = "w.luau"
"""


@pytest.mark.parametrize(("text", "message"), [(SHARED, "`shared`"), (OAUTH2, "`oauth2`")])
def test_servers_beside_the_target_are_not_behind_the_link(
    text: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("word")
    (tmp_path / "w.luau").write_text('function session(client)\n  client:get("/")\nend\n')
    (tmp_path / "w.toml").write_text(text)
    with pytest.raises(tt.InputError, match=re.escape(message)):
        run_over_link.check(tt.Workload.load(tmp_path / "w.toml"), {})


@pytest.mark.parametrize(
    ("target", "proxy", "place"),
    [
        ("http://shop.test/x", None, "shop.test:80"),
        ("https://shop.test", None, "shop.test:443"),
        ("https://[::1]:8443/a", None, "[::1]:8443"),
        ("postgresql://u@db/orders", None, "db:5432"),
        ("tcp://db:7", None, "db:7"),
        ("https://shop.test", "http://a:b@proxy:3128/", "proxy:3128"),
        ("https://shop.test", "proxy", "proxy:80"),
    ],
)
def test_where_connections_go(target: str, proxy: str | None, place: str) -> None:
    assert run_over_link._authority(target, proxy) == place


def test_what_became_of_the_link_is_in_the_summary() -> None:
    way = {"came": 1200, "lost": 12, "overflowed": 0, "passed": 1188, "unread": 0}
    found = LinkRecord(parse_link("loss = 1%"), 7, [way, way | {"unread": 3}])
    found.relay = {"accepted": 9, "refused": 2, "reset": 0, "why": "Connection refused"}
    summary: dict[str, Any] = {"notes": ["before"], "warnings": []}
    found.note(summary)
    assert summary["link"]["to_target"] == way
    assert "spoilt" not in summary["link"]
    assert (summary["link"]["asked"], summary["link"]["seed"]) == ("loss = 1%", 7)
    assert summary["notes"][0] == "before"
    assert "packets to the target: 1,200 came, 12 lost" in summary["notes"][1]
    assert "too slow for 3 packets" in summary["warnings"][0]
    assert (
        "2 connections were not taken by the target (Connection refused)"
        in (summary["warnings"][1])
    )
    found.relay = {}
    found.note(summary)
    assert "the relay behind the link ended" in summary["warnings"][-2]
    assert summary["link"]["spoilt"] == summary["warnings"][-2]


WAY = {"came": 3, "lost": 3, "overflowed": 0, "passed": 0, "under_way": 0, "unread": 0}
RELAY = {"accepted": 0, "refused": 0, "reset": 0, "why": ""}


@pytest.mark.parametrize(
    ("ways", "relay", "message"),
    [
        ([WAY, WAY], RELAY, "nothing comes over the link (loss = 99%; reno); packets to the target:"
         " 3 came, 3 lost, 0 overflowed, 0 passed, 0 under way, 0 unread; packets from"),
        ([WAY | {"passed": 1}, WAY], RELAY, "nothing comes back over the link (loss"),
        ([WAY | {"passed": 1}] * 2, RELAY, "no connection can be made in time over the link"),
        ([], RELAY, "no connection can be made over the link (loss = 99%; reno). The target is"),
        ([WAY, WAY], {}, "nothing comes over the link (loss = 99%; reno): the relay behind the"),
    ],
)  # fmt: skip
def test_a_link_that_nothing_comes_over_is_named_and_not_the_target(
    ways: list[dict[str, int]], relay: dict[str, Any], message: str
) -> None:
    found = LinkRecord(parse_link("loss = 99%"), 7, ways=ways, relay=relay).unreached(
        "shop.test:80"
    )
    assert found.startswith(message)
    assert ("without the link shop.test:80 takes connections" in found) == bool(relay)
    given = LinkRecord(parse_link("loss = 99%"), 7, ways, relay=relay, file="wan.toml")
    assert "the link of wan.toml (loss = 99%; reno)" in given.unreached("shop.test:80")


def test_a_program_that_did_not_last_is_why_nothing_comes() -> None:
    found = LinkRecord(parse_link("loss = 1%"), 7, relay=RELAY)
    found.lost = ["the program that carries the link clients-target ended, or was stopped"]
    assert found.unreached("a:1") == (
        "nothing comes over the link (loss = 1%; reno): the program that carries the link "
        "clients-target ended, or was stopped"
    )


def test_a_link_that_did_not_last_spoils_its_result() -> None:
    way = WAY | {"lost": 0, "passed": 3}
    found = LinkRecord(parse_link("delay = 1ms"), 7, [way, way], relay=RELAY)

    def judged(kind: str = "run") -> tuple[str, str]:
        summary: dict[str, Any] = {"requests": 3}
        found.note(summary)
        one = check_link(Evidence(kind, summary, W))
        assert one is not None
        return one.verdict, one.found

    assert judged() == (FINE, "a program carried its packets until the run ended")
    found.ways = []
    assert judged() == (FINE, "the kernel carried its packets until the run ended")
    found.ways = [way, way | {"unread": 5}]
    assert judged() == (DOUBTFUL, "its program was too slow for 5 packets, which were lost")
    found.relay = {}
    assert judged()[0] == SPOILT
    assert "the relay behind the link ended" in judged()[1]
    assert check_link(Evidence("run", {"requests": 3}, W)) is None


def test_links_differ_by_what_is_asked_and_not_by_how() -> None:
    one = {"link": {"asked": "delay = 50ms, loss = 1%", "congestion_control": "reno"}}
    cubic = {"asked": "delay = 50ms, congestion_control = cubic", "congestion_control": "cubic"}
    assert words_of(one) == "delay = 50ms, loss = 1%; reno"
    assert text_of(one) == "delay = 50ms, loss = 1%, congestion_control = reno"
    assert text_of({"link": cubic}) == cubic["asked"]
    assert parse_link(text_of(one)).link == parse_link("delay = 50ms, loss = 1%").link
    assert words_of({}) == text_of({}) == ""
    assert not differ("", "")
    assert not differ(text_of(one), "loss = 0.01, delay = 0.05s")
    assert differ(text_of(one), "loss = 0.02, delay = 50ms")
    assert differ(text_of(one), text_of({"link": cubic}))
    assert differ(text_of(one), "")
    assert differ("", "delay = 50ms")
    assert differ("of another version", text_of(one))
