"""Imports of test plans of JMeter."""

from __future__ import annotations

import pytest
from import_results import imported, loads, requests, table

import thinktime as tt

JMETER = """<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
<TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="Plan">
  <elementProp name="TestPlan.user_defined_variables" elementType="Arguments">
    <collectionProp name="Arguments.arguments"><elementProp name="host" elementType="Argument">
      <stringProp name="Argument.name">host</stringProp>
      <stringProp name="Argument.value">shop.example</stringProp>
    </elementProp></collectionProp></elementProp>
</TestPlan><hashTree>
<HeaderManager testname="H" enabled="true"><collectionProp name="HeaderManager.headers">
  <elementProp name="" elementType="Header"><stringProp name="Header.name">Accept</stringProp>
    <stringProp name="Header.value">text/html</stringProp></elementProp></collectionProp>
</HeaderManager><hashTree/>
<ThreadGroup testname="Users" enabled="true">
  <intProp name="ThreadGroup.num_threads">25</intProp>
  <intProp name="ThreadGroup.ramp_time">10</intProp>
  <boolProp name="ThreadGroup.scheduler">true</boolProp>
  <stringProp name="ThreadGroup.duration">60</stringProp>
  <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
    <stringProp name="LoopController.loops">-1</stringProp></elementProp>
</ThreadGroup><hashTree>
  <ConstantTimer testname="c" enabled="true">
    <stringProp name="ConstantTimer.delay">300</stringProp></ConstantTimer><hashTree/>
  <HTTPSamplerProxy testname="Home" enabled="true">
    <stringProp name="HTTPSampler.domain">${host}</stringProp>
    <stringProp name="HTTPSampler.protocol">https</stringProp>
    <stringProp name="HTTPSampler.path">/</stringProp>
    <stringProp name="HTTPSampler.method">GET</stringProp></HTTPSamplerProxy><hashTree/>
  <HTTPSamplerProxy testname="Off" enabled="false"/><hashTree/>
  <HTTPSamplerProxy testname="Log in" enabled="true">
    <elementProp name="HTTPsampler.Arguments" elementType="Arguments">
      <collectionProp name="Arguments.arguments">
        <elementProp name="user" elementType="HTTPArgument">
          <stringProp name="Argument.name">user</stringProp>
          <stringProp name="Argument.value">${__P(user,ann)} &amp; co</stringProp>
        </elementProp></collectionProp></elementProp>
    <stringProp name="HTTPSampler.domain">${host}</stringProp>
    <stringProp name="HTTPSampler.protocol">https</stringProp>
    <stringProp name="HTTPSampler.path">login/${nothing}</stringProp>
    <stringProp name="HTTPSampler.method">POST</stringProp></HTTPSamplerProxy>
  <hashTree>
    <GaussianRandomTimer testname="g" enabled="true">
      <stringProp name="ConstantTimer.delay">3000</stringProp>
      <stringProp name="RandomTimer.range">500</stringProp></GaussianRandomTimer><hashTree/>
    <ResponseAssertion testname="a" enabled="true"/><hashTree/>
  </hashTree>
  <IfController testname="If" enabled="true"/><hashTree/>
</hashTree></hashTree></hashTree></jmeterTestPlan>
"""


def test_a_plan_of_jmeter_is_a_closed_loop_with_its_timers() -> None:
    made = imported(JMETER)
    whole, found = table(made), requests(made)
    assert whole["arrivals"] == {"model": "closed", "clients": 25}
    assert whole["clients"]["headers"] == {"Accept": "text/html"}
    assert "--target https://shop.example --duration 60s" in made.text
    assert list(found) == ["Home", "Log-in"]
    assert found["Log-in"]["post"] == "/login/nothing"
    assert found["Log-in"]["form"] == {"user": "ann & co"}
    thinks = [one.get("think", whole["session"]["think"]) for one in found.values()]
    law = tt.Distribution(thinks[0])
    assert thinks[1] == "0.3s", "a timer stands before its sampler"
    assert law.mean == pytest.approx(3.3, rel=1e-4)
    assert law.cv2 == pytest.approx((0.5 / 3.3) ** 2, rel=1e-3)
    for text in ("ramp-up of 10 s", "ResponseAssertion", "IfController", "`${nothing}`", "gamma"):
        assert any(text in note for note in made.notes), text


def assertion(name: str, field: str, kind: int, *wanted: str, more: str = "") -> str:
    """As JMeter writes it, the misspelt name included."""
    texts = "".join(f'<stringProp name="1">{one}</stringProp>' for one in wanted)
    return f"""<ResponseAssertion testname="{name}" enabled="true">
      <collectionProp name="Asserion.test_strings">{texts}</collectionProp>
      <stringProp name="Assertion.test_field">Assertion.{field}</stringProp>{more}
      <intProp name="Assertion.test_type">{kind}</intProp></ResponseAssertion><hashTree/>"""


def test_assertions_of_jmeter_are_checks() -> None:
    ignoring = '<boolProp name="Assertion.assume_success">true</boolProp>'
    given = [
        assertion("code", "response_code", 8, "200"),
        assertion("codes", "response_code", 40, "200", "201"),
        assertion("text", "response_data", 16, "a &lt;b&gt;"),
        assertion("pattern", "response_data", 2, "a.c"),
        '<DurationAssertion testname="fast" enabled="true"><stringProp '
        'name="DurationAssertion.duration">250</stringProp></DurationAssertion><hashTree/>',
        assertion("both", "response_data", 16, "a", "b"),
        assertion("not", "response_code", 12, "500"),
        assertion("hard", "response_data", 2, "(?&gt;a)"),
        assertion("variable", "response_data", 16, "${x}"),
        assertion("other", "response_message", 8, "OK"),
        assertion("ignoring", "response_code", 8, "404", more=ignoring),
    ]
    made = imported(
        JMETER.replace(
            '<ResponseAssertion testname="a" enabled="true"/><hashTree/>', "".join(given)
        )
    )
    home, login = requests(made).values()
    assert "checks" not in home
    assert login["checks"] == {
        "code": {"of": "status", "is": 200},
        "codes": {"of": "status", "is": [200, 201]},
        "text": {"of": "body", "contains": "a <b>"},
        "pattern": {"of": "body", "matches": "a.c"},
        "fast": {"of": "time", "most": "250ms"},
    }
    notes = "\n".join(made.notes)
    for name in ("both", "not", "hard", "variable", "other", "ignoring"):
        assert f"the check '{name}' is left out" in notes


def test_a_plan_of_jmeter_loads_whole() -> None:
    assert loads(imported(JMETER)).clients == 25
