"""Hosts, files and values that only an environment or a run knows, in plans and collections."""

from __future__ import annotations

import json
from typing import Any

import pytest
from import_results import imported, table

from thinktime.importing import Imported, workload_text

PLAN = """<jmeterTestPlan><hashTree><TestPlan testname="p"/><hashTree>
<ThreadGroup testname="g"><stringProp name="ThreadGroup.num_threads">3</stringProp></ThreadGroup>
<hashTree><HTTPSamplerProxy testname="a"><stringProp name="HTTPSampler.path">/a</stringProp>
%s</HTTPSamplerProxy><hashTree/></hashTree></hashTree></hashTree></jmeterTestPlan>"""


def plan(**settings: str) -> Imported:
    rows = [f'<stringProp name="HTTPSampler.{k}">{v}</stringProp>' for k, v in settings.items()]
    return imported(PLAN % "".join(rows), kind="jmeter")


@pytest.mark.parametrize(
    ("settings", "origin", "word"),
    [
        ({"domain": "${server}"}, "", "`${server}` has no value here: say the host"),
        ({"domain": "${server}", "port": "${port}"}, "", "say the host as `--target`"),
        ({"domain": "a.${zone}", "protocol": "https"}, "", "`a.${zone}` has no value here"),
        ({"domain": "a.test", "port": "${port}"}, "http://a.test", "say the port"),
        ({"domain": "${__property(host,,a.test)}"}, "http://a.test", ""),
        ({"domain": "${__P(host,a.test)}", "port": "${__P(n,81)}"}, "http://a.test:81", ""),
    ],
)
def test_a_host_of_jmeter_without_a_value_is_left_open(
    settings: dict[str, str], origin: str, word: str
) -> None:
    made = plan(**settings)
    assert made.origin == origin
    assert table(made)["request"][0]["get"] == "/a"
    assert any(word in note for note in made.notes) if word else not made.notes


def collection(request: dict[str, Any], variables: dict[str, str] | None = None) -> Imported:
    rows = [{"key": k, "value": v} for k, v in (variables or {}).items()]
    whole = {"info": {"name": "c"}, "item": [{"name": "a", "request": request}], "variable": rows}
    return imported(json.dumps(whole), kind="postman")


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("{{base}}/a", "/a"),
        ("{{base}}:8080/a", "/a"),
        ("https://{{host}}/a", "/a"),
        ("http://{{host}}:{{port}}/a?b=1", "/a?b=1"),
        ("https://{{stage}}.shop.example/a", "/a"),
        ("{{base}}{{path}}/a", "/v1/a"),
    ],
)
def test_a_host_of_an_environment_of_postman_is_left_open(url: str, target: str) -> None:
    made = collection({"method": "GET", "url": {"raw": url}}, {"path": "/v1"})
    assert made.origin == ""
    assert table(made)["request"][0]["get"] == target
    assert any("say the host as `--target`" in note for note in made.notes)


def test_a_known_host_of_postman_stays() -> None:
    made = collection({"method": "GET", "url": "https://{{h}}/a"}, {"h": "a.test"})
    assert made.origin == "https://a.test"


def test_a_variable_of_postman_that_scripts_fill_is_named() -> None:
    body = {"mode": "raw", "raw": '{"id": "{{id}}"}'}
    made = collection({"method": "POST", "url": "http://a.test/", "body": body}, {"id": ""})
    assert any("the variable `id` is empty here" in note for note in made.notes)


def test_files_of_forms_are_named() -> None:
    rows = [{"key": "f", "type": "file", "src": "a.jpg"}, {"key": "g", "type": "file",
            "src": ["b.jpg", "c.jpg"]}]  # fmt: skip
    body = {"mode": "formdata", "formdata": rows}
    made = collection({"method": "POST", "url": "http://a.test/", "body": body})
    assert any("files are not read: `a.jpg`, `b.jpg`, `c.jpg`" in note for note in made.notes)
    body = {"mode": "file", "file": {"src": "d.bin"}}
    made = collection({"method": "POST", "url": "http://a.test/", "body": body})
    assert any("the file `d.bin` is not read" in note for note in made.notes)
    made = imported("curl -F 'a=@e.jpg;type=image/jpeg' -F b=1 http://a.test/", kind="curl")
    assert any("files are not read: `e.jpg`" in note for note in made.notes)


HERE = """#!/bin/sh
curl http://a.test/one -d @- << EOF
{"name": "$NAME",
 "quote": "it's"}
EOF
cat <<'END' > usage.txt
curl http://a.test/usage
END
curl -s http://a.test/two --data-binary @- <<-"X" > out.txt
\tline 1
\tline $2
\tX
echo $((1 << n))
curl http://a.test/three --json @- <<< '{"b": 1}'
"""


def test_a_here_document_is_the_body_of_its_command() -> None:
    made = imported(HERE, kind="curl")
    one, two, three = table(made)["request"]
    assert one["post"] == "/one"
    assert one["body"] == '{"name": "$NAME", "quote": "it\'s"}', "-d takes no ends of lines"
    assert two["body"] == "line 1\nline $2\n"
    assert three["json"] == {"b": 1}
    assert made.text.count("# Line 9.") == 1, "lines keep their numbers"
    assert any("line 2: `$NAME` of the shell" in note for note in made.notes)
    assert any("line 6: left out: `cat` is no curl command" in note for note in made.notes)
    assert not any("usage" in one["post"] for one in table(made)["request"])


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("$HOST/a", "/a"),
        ('"${HOST}/a?b=1"', "/a?b=1"),
        ("http://$HOST:$PORT/a", "/a"),
        ("https://a.$ZONE/a", "/a"),
        ('"http://$(hostname):8080/a"', "/a"),
        ("$URL", "/"),
    ],
)
def test_a_host_of_the_shell_is_left_open(url: str, target: str) -> None:
    made = imported(f"curl {url}", kind="curl")
    assert made.origin == ""
    assert table(made)["request"][0]["get"] == target
    assert any("has no value here: say the host as `--target`" in note for note in made.notes)


def test_the_text_of_a_workload_asks_each_request_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []
    first = workload_text.all_of
    monkeypatch.setattr(workload_text, "all_of", lambda one: calls.append(1) or first(one))
    imported("\n".join(f"curl http://a.test/{n}" for n in range(50)), kind="curl")
    assert len(calls) == 1, "once for the population, and not again for each of its requests"
