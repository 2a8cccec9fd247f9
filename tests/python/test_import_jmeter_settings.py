"""Imports of test plans of JMeter: settings of samplers, kinds of thread groups."""

from __future__ import annotations

from typing import Any

import pytest
from import_results import imported, table

import thinktime as tt
from thinktime.importing import Imported


def prop(name: str, held: object, prefix: str = "HTTPSampler.") -> str:
    return f'<stringProp name="{prefix}{name}">{held}</stringProp>'


def sampler(path: str, *more: str, inside: str = "") -> str:
    held = prop("domain", "127.0.0.1") + prop("path", path) + "".join(more)
    made = f'<HTTPSamplerProxy testname="{path[1:]}">{held}</HTTPSamplerProxy>'
    return f"{made}<hashTree>{inside}</hashTree>"


def plan(*samplers: str, group: str = "", tag: str = "ThreadGroup") -> Imported:
    """The import of a plan whose group has these properties and samplers."""
    threads = "" if "num_threads" in group else prop("num_threads", 3, "ThreadGroup.")
    return imported(
        '<jmeterTestPlan><hashTree><TestPlan testname="P"/><hashTree>'
        f'<{tag} testname="T">{threads}{group}</{tag}><hashTree>{"".join(samplers)}</hashTree>'
        "</hashTree></hashTree></jmeterTestPlan>"
    )


def first(made: Imported) -> dict[str, Any]:
    return dict(table(made)["request"][0])


def argument(name: str, held: str, encodes: str | None, kind: str = "HTTPArgument") -> str:
    always = "" if encodes is None else prop("always_encode", encodes, "HTTPArgument.")
    row = f"{always}{prop('name', name, 'Argument.')}{prop('value', held, 'Argument.')}"
    return f'<elementProp name="{name}" elementType="{kind}">{row}</elementProp>'


def arguments(*rows: str) -> str:
    return (
        '<elementProp name="HTTPsampler.Arguments" elementType="Arguments"><collectionProp '
        f'name="Arguments.arguments">{"".join(rows)}</collectionProp></elementProp>'
    )


@pytest.mark.parametrize(
    ("rows", "target"),
    [
        ([argument("w", "x%2Fy+z", "false")], "/s?w=x%2Fy+z"),
        ([argument("w", "x/y z", "true")], "/s?w=x%2Fy+z"),
        ([argument("w", "x/y z", None)], "/s?w=x%2Fy+z"),
        ([argument("a", "%41", "false"), argument("b", "%41", "true")], "/s?a=%41&b=%2541"),
        ([argument("", "bare", "false")], "/s?bare"),
    ],
)
def test_a_value_is_encoded_if_its_parameter_says_so(rows: list[str], target: str) -> None:
    assert first(plan(sampler("/s", arguments(*rows))))["get"] == target


def test_a_form_that_is_encoded_already_is_sent_as_it_is() -> None:
    rows = arguments(argument("a", "1%262", "false"), argument("b", "3&amp;4", "true"))
    assert first(plan(sampler("/s", prop("method", "POST"), rows)))["form"] == {
        "a": "1&2",
        "b": "3&4",
    }


@pytest.mark.parametrize("setting", ["follow_redirects", "auto_redirects"])
def test_redirects_are_followed_if_the_sampler_says_so(setting: str) -> None:
    made = plan(sampler("/a", prop(setting, "true")), sampler("/b", prop(setting, "false")))
    assert table(made)["session"]["redirects"] == 20
    assert any("`b`" in note and "no redirects" in note for note in made.notes)
    assert "redirects" not in table(plan(sampler("/a"))).get("session", {})


def test_timeouts_are_those_of_requests() -> None:
    made = plan(sampler("/a", prop("response_timeout", 2500)), sampler("/b"))
    assert [one.get("timeout") for one in table(made)["request"]] == ["2.5s", None]


def test_connections_are_closed_if_all_samplers_close_them() -> None:
    off, on = prop("use_keepalive", "false"), prop("use_keepalive", "true")
    assert table(plan(sampler("/a", off)))["clients"]["connections"] == "per-request"
    mixed = plan(sampler("/a", off), sampler("/b", on))
    assert "connections" not in table(mixed).get("clients", {})
    assert any("`a`" in note and "Connection: close" in note for note in mixed.notes)


FILE = (
    '<elementProp name="HTTPsampler.Files" elementType="HTTPFileArgs"><collectionProp '
    'name="HTTPFileArgs.files"><elementProp name="x" elementType="HTTPFileArg">'
    f"{prop('path', '${dir}/cat.png', 'File.')}{prop('paramname', 'pet', 'File.')}"
    "</elementProp></collectionProp></elementProp>"
)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (FILE, "the file `dir/cat.png` is left out: name it by `multipart = { pet ="),
        (prop("image_parser", "true"), "embedded resources"),
        (prop("connect_timeout", 900), "the timeout of the connection"),
        (prop("contentEncoding", "ISO-8859-1"), "`ISO-8859-1`"),
        (prop("proxyHost", "p.example"), "`proxyHost`"),
        (prop("ipSource", "10.0.0.1"), "`ipSource`"),
        (prop("response_timeout", "soon"), "'soon'"),
    ],
)
def test_settings_that_change_what_is_sent_are_named(settings: str, text: str) -> None:
    notes = list(plan(sampler("/a", settings)).notes)
    assert any(text in note for note in notes), notes


def test_an_assertion_about_a_variable_is_no_check() -> None:
    held = (
        '<ResponseAssertion testname="v"><collectionProp name="Asserion.test_strings">'
        f"{prop('1', 'x', '')}</collectionProp>"
        f"{prop('test_field', 'Assertion.response_data', 'Assertion.')}"
        f"{prop('test_type', 16, 'Assertion.')}SCOPE</ResponseAssertion><hashTree/>"
    )
    scope = prop("scope", "variable", "Assertion.")
    made = plan(sampler("/a", inside=held.replace("SCOPE", scope)))
    assert "checks" not in first(made)
    assert any("the check 'v' is left out" in note for note in made.notes)
    assert first(plan(sampler("/a", inside=held.replace("SCOPE", ""))))["checks"]


def test_a_thread_that_begins_anew_after_an_error_does_so() -> None:
    made = plan(sampler("/a"), group=prop("on_sample_error", "startnextloop", "ThreadGroup."))
    assert table(made)["session"]["on_error"] == "end"
    stops = plan(sampler("/a"), group=prop("on_sample_error", "stoptest", "ThreadGroup."))
    assert any("`stoptest`" in note for note in stops.notes)


def test_variables_stand_in_functions() -> None:
    made = plan(sampler("/a"), group=prop("num_threads", "${__P(n,${__P(m,12)})}", "ThreadGroup."))
    assert table(made)["arrivals"]["clients"] == 12


def schedule(text: str, *samplers: str) -> dict[str, Any]:
    made = plan(
        *(samplers or [sampler("/a")]),
        group=prop("schedule", text, "OpenModelThreadGroup."),
        tag="OpenModelThreadGroup",
    )
    return dict(table(made)["arrivals"])


@pytest.mark.parametrize(
    ("text", "rate", "more"),
    [
        ("rate(20/sec) random_arrivals(1 min)", "20/s", {}),
        ("rate(90/min) even_arrivals(30 sec)", "1.5/s", {"process": "even"}),
        (
            "rate(1/sec) random_arrivals(2 min) rate(4/sec) random_arrivals(5 min)",
            "4/s",
            {"profile": "ramp(from=0.25, to=1, over=120s)"},
        ),
        (
            "rate(5/sec) random_arrivals(10 sec) pause(4 s) random_arrivals(6 sec)",
            "5/s",
            {"profile": "steps(0s: 1, 10s: 0, 14s: 1)"},
        ),
    ],
)
def test_a_schedule_of_rates_is_a_profile(text: str, rate: str, more: dict[str, str]) -> None:
    assert schedule(text) == {"model": "open", "rate": rate, **more}


def test_a_schedule_of_sessions_is_partly_open() -> None:
    found = schedule("rate(2/s) random_arrivals(1 m)", sampler("/a"), sampler("/b"))
    assert found == {"model": "partly-open", "rate": "2/s"}


@pytest.mark.parametrize(
    ("tag", "group", "arrivals"),
    [
        ("kg.apc.jmeter.threads.SteppingThreadGroup", prop("num_threads", 40, "ThreadGroup."), 40),
        (
            "kg.apc.jmeter.threads.UltimateThreadGroup",
            '<collectionProp name="ultimatethreadgroupdata">'
            + 2 * f"<collectionProp>{prop('1', 6, '')}{prop('2', 0, '')}</collectionProp>"
            + "</collectionProp>",
            12,
        ),
        (
            "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup",
            prop("TargetLevel", 9, "") + prop("Hold", 2, ""),
            9,
        ),
        (
            "com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup",
            prop("TargetLevel", 120, "") + prop("Unit", "M", ""),
            "2/s",
        ),
    ],
)
def test_groups_of_plugins_are_read(tag: str, group: str, arrivals: object) -> None:
    found = table(plan(sampler("/a"), group=group, tag=tag))["arrivals"]
    assert found.get("clients", found.get("rate")) == arrivals


def test_a_refusal_names_what_was_left_out() -> None:
    with pytest.raises(tt.InputError, match=r"`T`: left out, with what it holds"):
        plan(sampler("/a"), tag="org.example.OwnThreadGroup")
