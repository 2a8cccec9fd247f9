"""Imports of curl: several commands on a line, patterns of URLs, redirects, and what is lost."""

from __future__ import annotations

from typing import Any

import pytest
from import_results import imported, loads, requests, table

from thinktime.importing import Imported
from thinktime.importing.curl.globs import expanded


def sent(made: Imported) -> list[str]:
    """The targets, in their order."""
    loads(made)
    keys = ("get", "post", "put", "head", "delete", "target")
    return [next(one[key] for key in keys if key in one) for one in table(made)["request"]]


def lines(*commands: str) -> Imported:
    """The import of lines; `H` is the host."""
    return imported("\n".join(commands).replace("H/", "http://shop.example/"), kind="curl")


@pytest.mark.parametrize(
    ("line", "targets"),
    [
        ("curl H/a; curl H/b;curl H/c", ["/a", "/b", "/c"]),
        ("curl H/a && curl -s H/b | grep x | wc -l && curl H/c", ["/a", "/b", "/c"]),
        ("curl H/a & curl H/b &", ["/a", "/b"]),
        ("curl 'H/a;v=1?x=1&y=|' ; curl H/b", ["/a;v=1?x=1&y=|", "/b"]),
        ("curl H/a?x=1&y=2 -s", ["/a?x=1&y=2"]),
        ("X=1 Y=2 time curl H/a # and don't; curl H/b", ["/a"]),
        ("curl H/a#part \\\n  ; curl H/b 2>&1 > out.txt", ["/a", "/b"]),
        ("if curl -f H/a; then curl H/b; else curl H/c; fi", ["/a", "/b", "/c"]),
        ("curl H/a --next H/b; curl H/c", ["/a", "/b", "/c"]),
        ("cat x | curl H/a", ["/a"]),
    ],
)
def test_a_line_has_the_commands_that_a_shell_runs(line: str, targets: list[str]) -> None:
    assert sent(lines(line)) == targets


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("curl H/a; wget H/b", "`wget` is no curl command"),
        ("curl H/a || curl H/b", "left out: it stands behind `||`"),
        ("curl H/a & curl H/b", "`&` is left out"),
        ("curl H/a; for i in 1 2; do curl H/b/$i; done", "`for` is not followed"),
        ("curl H/a; for i in 1 2; do curl H/b/$i; done", "`$i` of the shell has no value here"),
        ('curl H/a -d "a=${KEY}"', "`${KEY}` of the shell"),
        ("sleep 5; curl H/a", "`sleep` is left out: it stands before the first request"),
        ("curl H/a; sleep $N", "`sleep` is left out: its time is no number"),
        ("curl H/a -d @-", "`-d @-` left out"),
        ("curl H/a --data-urlencode text@file.txt", "text@file.txt` left out: files"),
        ("curl H/a -F 'f=x;type=image/png'", "the type of the part `f` is left out"),
        ("curl H/a -H @fields.txt", "`-H @fields.txt` left out"),
        ("curl -Z H/a H/b", "option `-Z` left out: requests are sent one after the other"),
        ("curl H/a; curl -L H/b", "line 1: follows no redirects; all requests follow 50 here"),
        ("curl 'H/[1-5000]'", "stands for 5000 URLs: the first 100 are taken"),
    ],
)
def test_what_a_line_loses_is_named(line: str, note: str) -> None:
    made = lines(line)
    assert any(note in one for one in made.notes), list(made.notes)


def test_waits_between_commands_add_up() -> None:
    made = lines("curl H/a; sleep 1m 0.5; sleep 2 && curl H/b", "sleep 3", "curl H/c")
    usual = table(made)["session"]["think"]
    assert [one.get("think", usual) for one in requests(made).values()] == ["62.5s", "3s", "0s"]


def test_a_wait_after_a_command_that_is_left_out_stays() -> None:
    made = lines("curl H/a; curl H/b; sleep 1", "curl http://other.example/; sleep 4; curl H/c")
    usual = table(made)["session"]["think"]
    assert [one.get("think", usual) for one in requests(made).values()] == ["0s", "5s", "0s"]


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("/h/{red,green}", ["/h/red", "/h/green"]),
        ("/[8-10]", ["/8", "/9", "/10"]),
        ("/[008-012:2]/{a,b}", [f"/{n}/{x}" for n in ("008", "010", "012") for x in "ab"]),
        ("/[x-z].png", ["/x.png", "/y.png", "/z.png"]),
        ("/\\{a,b\\}", ["/{a,b}"]),
        ("/[z-x]/[5-1]/{}", ["/[z-x]/[5-1]/{}"]),
        ("http://[::1]:80/", ["http://[::1]:80/"]),
    ],
)
def test_a_pattern_stands_for_the_urls_that_curl_asks(url: str, found: list[str]) -> None:
    assert expanded(url) == (found, len(found))
    assert expanded("[1-999999999]" * 30)[0][:2] == ["1" * 30, "1" * 29 + "2"]


def test_patterns_are_texts_if_curl_is_asked_so() -> None:
    assert sent(lines("curl -g 'H/{a,b}/[1-3]'", "curl H/{a,b}")) == [
        "/%7Ba,b%7D/[1-3]", "/a", "/b",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "redirects"),
    [("", None), ("-L", 50), ("--location --max-redirs 4", 4), ("--max-redirs 4", None),
     ("-L --max-redirs -1", 50), ("-sL --max-redirs 900", 50)],
)  # fmt: skip
def test_redirects_are_followed_as_curl_follows_them(options: str, redirects: Any) -> None:
    made = lines(f"curl {options} H/a", f"curl {options} H/b")
    assert table(made)["session"].get("redirects") == redirects
    assert not list(made.notes)


def test_a_field_without_a_value_is_sent_or_taken_away() -> None:
    (one,) = requests(lines("curl H/a -H 'X-Empty;' -H 'Accept:' -H 'X-A: b'")).values()
    assert one["headers"] == {"X-Empty": "", "X-A": "b"}


@pytest.mark.parametrize(
    ("url", "many"),
    [("/" + "[0-9]" * 8, "100000000"), ("/" + "[0-9]" * 5000, "more than 1,000,000,000"),
     ("/[1-" + "9" * 18 + "]", "more than 1,000,000,000")],
)  # fmt: skip
def test_a_pattern_may_stand_for_any_number_of_urls(url: str, many: str) -> None:
    made = lines(f"curl -g H/a\ncurl 'H{url}'")
    assert len(table(made)["request"]) == 101
    assert list(made.notes) == [f"line 2: stands for {many} URLs: the first 100 are taken"]


@pytest.mark.parametrize("bound", ["1-" + "9" * 4400, "9" * 19 + "-1", "1" * 30])
def test_a_range_beyond_64_bits_is_refused_as_curl_refuses_it(bound: str) -> None:
    made = lines("curl H/a", f"curl 'H/[{bound}]'")
    assert len(table(made)["request"]) == 1
    assert list(made.notes) == [
        "line 2: left out: a range in its URL has a number of more than 18 digits"
    ]


@pytest.mark.parametrize("line", ["TOKEN=s3cret PIN=s3cret", "-uann:s3cret", "'s3cret=' x"])
def test_a_line_that_is_no_command_is_named_without_what_it_holds(line: str) -> None:
    made = lines("curl H/a", line)
    assert "s3cret" not in made.text.replace("`s3cret=`", "")
    assert [note.partition(":")[0] for note in made.notes] == ["line 2"]
