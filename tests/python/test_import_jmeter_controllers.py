"""Controllers, pauses and files of values of plans of JMeter."""

from __future__ import annotations

import pytest
from import_results import imported, table

from thinktime.importing import Imported

SAMPLER = """<HTTPSamplerProxy testname="{0}"><stringProp name="HTTPSampler.path">/{0}</stringProp>
</HTTPSamplerProxy><hashTree/>"""
GROUP = """<jmeterTestPlan><hashTree><TestPlan testname="p"/><hashTree>
<ThreadGroup testname="g"><stringProp name="ThreadGroup.num_threads">3</stringProp></ThreadGroup>
<hashTree>%s</hashTree></hashTree></hashTree></jmeterTestPlan>"""


def plan(*parts: str) -> Imported:
    return imported(GROUP % "\n".join(parts), kind="jmeter")


def sampler(name: str) -> str:
    return SAMPLER.format(name)


def holder(tag: str, *parts: str) -> str:
    return f'<{tag} testname="t"/><hashTree>{"".join(parts)}</hashTree>'


def targets(made: Imported) -> list[str]:
    return [one["get"] for one in table(made)["request"]]


def notes_of(made: Imported, tag: str) -> list[str]:
    return [one for one in made.notes if f"{tag} `t`" in one]


@pytest.mark.parametrize(
    ("tag", "word"),
    [
        ("IfController", "its condition is not read"),
        ("WhileController", "sent once in each turn"),
        ("ForeachController", "sent once in each turn"),
        ("RunTime", "sent once in each turn"),
        ("CriticalSectionController", "its lock is left out"),
        ("RandomOrderController", "in the order of the plan"),
        ("com.blazemeter.jmeter.controller.ParallelSampler", "one after the other"),
    ],
)
def test_the_content_of_a_controller_is_carried(tag: str, word: str) -> None:
    made = plan(sampler("a"), holder(tag, sampler("b"), holder("LoopController", sampler("c"))))
    assert targets(made) == ["/a", "/b", "/c"]
    assert [word in one for one in notes_of(made, tag)] == [True]


@pytest.mark.parametrize("tag", ["RandomController", "InterleaveControl", "SwitchController"])
def test_the_requests_of_other_controllers_are_counted(tag: str) -> None:
    inner = holder("GenericController", sampler("c"))
    made = plan(sampler("a"), holder(tag, sampler("b"), inner))
    assert targets(made) == ["/a"]
    assert [one.endswith("left out, with what it holds (2 requests)")
            for one in notes_of(made, tag)] == [True]  # fmt: skip


def pause(delay: str, *timers: str, action: int = 1) -> str:
    return (
        f'<TestAction testname="t"><intProp name="ActionProcessor.action">{action}</intProp>'
        f'<stringProp name="ActionProcessor.duration">{delay}</stringProp></TestAction>'
        f"<hashTree>{''.join(timers)}</hashTree>"
    )


def timer(delay: int, spread: int) -> str:
    return (
        f'<UniformRandomTimer><stringProp name="ConstantTimer.delay">{delay}</stringProp>'
        f'<stringProp name="RandomTimer.range">{spread}</stringProp>'
        "</UniformRandomTimer><hashTree/>"
    )


def test_a_pause_is_the_think_time_before_the_next_request() -> None:
    made = plan(sampler("a"), pause("1500"), sampler("b"), pause("0", timer(1000, 2000)))
    first, second = table(made)["request"]
    usual = table(made)["session"]["think"]
    assert first.get("think", usual) == "1.5s"
    assert second.get("think", usual) == "uniform(1s, 3s)", "the last pause precedes the next turn"
    assert not made.notes


def test_other_actions_are_named() -> None:
    made = plan(sampler("a"), pause("0", action=0))
    assert notes_of(made, "TestAction")


def test_a_file_of_values_is_named_with_its_columns() -> None:
    data = (
        '<CSVDataSet testname="t"><stringProp name="filename">users.csv</stringProp>'
        '<stringProp name="variableNames">user, id</stringProp></CSVDataSet><hashTree/>'
    )
    made = plan(data, sampler("a"))
    (note,) = notes_of(made, "CSVDataSet")
    assert 'put `data = ["users.csv"]`' in note
    assert "`{user}`, `{id}`" in note


@pytest.mark.parametrize(
    ("tag", "why"),
    [
        ("RegexExtractor", "values of answers are not taken"),
        ("JSONPostProcessor", "values of answers are not taken"),
        ("JSR223PreProcessor", "scripts are not run"),
        ("XPathAssertion", "answers are not checked"),
    ],
)
def test_a_part_of_a_sampler_is_left_out_for_its_own_reason(tag: str, why: str) -> None:
    inner = f'<hashTree><{tag} testname="t"/><hashTree/></hashTree>'
    made = plan(sampler("a").replace("<hashTree/>", inner))
    assert [why in one for one in notes_of(made, tag)] == [True]
