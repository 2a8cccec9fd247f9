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


def choice(tag: str, *parts: str, **given: str) -> str:
    held = "".join(f'<stringProp name="{name}">{text}</stringProp>' for name, text in given.items())
    held = held.replace("__", ".")
    return f'<{tag} testname="t">{held}</{tag}><hashTree>{"".join(parts)}</hashTree>'


def ways(made: Imported) -> dict[str, dict[str, float]]:
    return {one["name"]: one["next"] for one in table(made)["request"]}


@pytest.mark.parametrize("tag", ["RandomController", "InterleaveControl"])
def test_a_turn_sends_one_part_of_a_choice(tag: str) -> None:
    """By hand: b, or c and d, with equal shares; then e."""
    inner = holder("GenericController", sampler("c"), sampler("d"))
    made = plan(sampler("a"), choice(tag, sampler("b"), inner), sampler("e"))
    assert ways(made) == {
        "a": {"b": 0.5, "c": 0.5},
        "b": {"e": 1},
        "c": {"d": 1},
        "d": {"e": 1},
        "e": {"end": 1},
    }
    said = ["one after the other" in one for one in notes_of(made, tag)]
    assert said == ([True] if tag == "InterleaveControl" else [])


def test_choices_stand_in_one_another_and_at_the_begin_of_a_turn() -> None:
    """By hand: b, or one of c and d, at first and after the last."""
    inner = choice("RandomController", sampler("c"), sampler("d"))
    made = plan(choice("RandomController", inner, sampler("b")), sampler("e"))
    assert table(made)["session"]["first"] == {"b": 0.5, "c": 0.25, "d": 0.25}
    assert ways(made) == {name: {"e": 1} for name in "cdb"} | {"e": {"end": 1}}


def test_the_pause_after_a_part_is_that_before_what_follows_the_choice() -> None:
    made = plan(choice("RandomController", sampler("b"), sampler("c")), pause("3000"), sampler("e"))
    usual = table(made)["session"]["think"]
    thinks = [one.get("think", usual) for one in table(made)["request"]]
    assert thinks == ["3s", "3s", "0s"]


@pytest.mark.parametrize(
    ("value", "sent"),
    [("1", "c"), ("", "b"), ("7", "b"), ("c", "c"), ("none", "default"), ("${n}", None)],
)
def test_a_switch_sends_the_part_that_its_value_names(value: str, sent: str | None) -> None:
    parts = [sampler(name) for name in ("b", "c", "default")]
    made = plan(sampler("a"), choice("SwitchController", *parts, SwitchController__value=value))
    assert targets(made) == ["/a", *([f"/{sent}"] if sent else [])]
    said = [one.endswith("left out, with what it holds (3 requests)")
            for one in notes_of(made, "SwitchController")]  # fmt: skip
    assert said == ([] if sent else [True])


def test_a_choice_that_sends_one_request_of_a_part_is_named() -> None:
    inner = holder("GenericController", sampler("c"), sampler("d"))
    made = plan(sampler("a"), choice("RandomController", sampler("b"), inner,
                                     InterleaveControl__style="1"))  # fmt: skip
    assert targets(made) == ["/a"]
    assert [one.endswith("left out, with what it holds (3 requests)")
            for one in notes_of(made, "RandomController")] == [True]  # fmt: skip


def test_cookies_that_threads_keep_from_turn_to_turn_are_named() -> None:
    for clears, named in (("true", False), ("false", True)):
        manager = f"""<CookieManager testname="t"><boolProp name="CookieManager.clearEachIteration"
        >{clears}</boolProp></CookieManager><hashTree/>"""
        made = plan(manager, sampler("a"), sampler("b"))
        assert table(made)["session"]["cookies"] is True
        assert any("keep their cookies" in one for one in notes_of(made, "CookieManager")) is named


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


def test_elements_that_are_not_read_are_named_by_their_kinds() -> None:
    """One that changes the load does not hide behind another."""
    others = [holder(kind) for kind in ("JDBCSampler", "ConstantThroughputTimer", "JDBCSampler")]
    made = plan(sampler("a"), *others)
    left_out = [one for one in made.notes if "left out, as all" in one]
    assert [one.rpartition(" ")[2] for one in left_out] == [
        "`JDBCSampler`", "`ConstantThroughputTimer`",
    ]  # fmt: skip
    assert "and 1 more" in left_out[0]
