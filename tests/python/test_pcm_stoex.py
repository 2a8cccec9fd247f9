"""Stochastic expressions: grammar, arithmetic, and the laws that they become."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from thinktime import InputError
from thinktime.pcm import stoex
from thinktime.pcm.evaluate import Evaluator, Frame
from thinktime.pcm.laws import mixed, time
from thinktime.pcm.notes import Notes
from thinktime.pcm.values import Value, distribution, law_of
from thinktime.pcm.xmi import Element, Models

NOWHERE = Element(Models(Path()), Path("m.repository"), 7, "x", {"entityName": "here"}, None)


def value(text: str, notes: Notes | None = None, **variables: Value) -> Value:
    frame = Frame({f"{name}.VALUE": given for name, given in variables.items()})
    return Evaluator(Notes() if notes is None else notes).value(text, frame, NOWHERE)


def law(text: str, notes: Notes | None = None) -> tt.Distribution:
    return tt.Distribution(mixed(law_of(value(text, notes), {}), 1.0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("7 / 2", 3),  # whole numbers
        ("7.0 / 2", 3.5),
        ("-7 / 2", -3),
        ("7 % 4", 3),
        ("2 ^ 3", 8.0),
        ("-2 ^ 2", 4.0),  # the sign binds more
        ("1 < 2", True),
        ("2 <> 2", False),
        ("1 == 1 AND false OR true", True),  # OR binds more: true AND (false OR true)
        ("false AND true OR true", False),
        ("true XOR true", False),
        ("NOT true", False),
        ("1 > 2 ? 10 : 20", 20),
        ('"a" == "a"', True),
        ("Trunc(2.7) + Round(2.5) + Ceil(2.1)", 8),
        ("Min(3, 2) + Max(3, 2)", 5),
        ("Sqrt(9)", 3.0),
        ("Log(2, 8)", 3.0),
        ("/* bytes */ 1.017784E7 // and so on", 10177840.0),
        ("4\r\n", 4),
        ("x.VALUE * 2", 10),
    ],
)
def test_arithmetic(text: str, expected: object) -> None:
    found = value(text, x=5)
    assert found == expected
    assert isinstance(found, bool) == isinstance(expected, bool)


@pytest.mark.parametrize(
    ("text", "mean", "cv2"),
    [
        ("Exp(4)", 0.25, 1.0),
        ("Exp(4) * 8", 2.0, 1.0),
        ("3 + Exp(1)", 4.0, 1 / 16),
        ("UniDouble(2, 4)", 3.0, (4 / 12) / 9),
        ("UniDouble(2, 4) - 2", 1.0, 1 / 3),
        ("Gamma(2, 3)", 6.0, 0.5),
        ("GammaMoments(3000, 0.3)", 3000.0, 0.09),
        ("LognormMoments(10, 5)", 10.0, 0.25),
        ("Lognorm(1, 0.5)", math.exp(1.125), math.expm1(0.25)),
        ("Norm(10, 2)", 10.0, 0.04),
        ("Pois(3)", 3.0, 1 / 3),
        ("UniInt(1, 6)", 3.5, (35 / 12) / 12.25),
        ("Binom(10, 0.3)", 3.0, 2.1 / 9),
        ("IntPMF[(1;0.5)(3;0.5)] * 2", 4.0, 0.25),
        ("DoublePMF[ (1.5 ; 0.25) (2.5; 0.75) ]", 2.25, 0.1875 / 2.25**2),
        # Boxes from 0 to 2 and from 2 to 4: means 1 and 3, within each a variance of 1/3.
        ("DoublePDF[(2.0;0.5)(4.0;0.5)]", 2.0, (1 + 1 / 3) / 4),
        ("DoublePDF[(1.0;0.0)(3.0;1.0)] * 10", 20.0, 1 / 12),
        ("Exp(1) + Exp(0.5)", 3.0, 5 / 9),
        ("Exp(1) * Exp(0.5)", 2.0, 3.0),  # E = 2, E of the square 2 x 8 = 16
        ("IntPMF[(1;0.5)(2;0.5)] + IntPMF[(1;0.5)(2;0.5)]", 3.0, 0.5 / 9),
    ],
)
def test_laws_have_the_moments_of_the_expression(text: str, mean: float, cv2: float) -> None:
    found = law(text)
    assert found.mean == pytest.approx(mean, rel=1e-6)
    assert found.cv2 == pytest.approx(cv2, rel=1e-5)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Norm(10, 2)", "gamma law"),
        ("Exp(1) + Exp(2)", "gamma law"),
        ("Exp(1) * Exp(2)", "gamma law"),
        ("Trunc(Exp(1))", "not rounded"),
        ("Max(Exp(1), 2)", "that of its mean"),
        ("IntPMF[(1;0.5)(3;0.4)]", "scaled to 1"),
    ],
)
def test_approximations_are_noted(text: str, note: str) -> None:
    notes = Notes()
    value(text, notes)
    assert note in "\n".join(map(str, notes))
    assert "m.repository: x `here`" in "\n".join(map(str, notes))


def test_a_variable_is_drawn_once_and_a_literal_each_time() -> None:
    twice = value("IntPMF[(1;0.5)(2;0.5)]")
    assert dict(_parts(value("x.VALUE - x.VALUE", x=twice))) == {0: 1.0}
    parts = dict(_parts(value("IntPMF[(1;0.5)(2;0.5)] - IntPMF[(1;0.5)(2;0.5)]")))
    assert parts == {0: 0.5, -1: 0.25, 1: 0.25}


def _parts(given: Value) -> list[tuple[object, float]]:
    return [(one, p) for p, one in distribution(given, {})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the end, not a number"),
        ("1 +", "the end, not a number"),
        ("1 2", "`2`, not an operator"),
        ("(1", "the end, not `)`"),
        ("1 < 2 < 3", "`<`, not an operator"),
        ("x", "not `.` and one of BYTESIZE"),
        ("y.VALUE", "`y.VALUE` has no value here; known are: x.VALUE"),
        ("Nosuch(1)", "the function `Nosuch` is unknown; known are: Binom"),
        ("Exp(1, 2)", "`Exp` takes 1 arguments, not 2"),
        ("Exp(0)", "needs a rate above 0"),
        ("Norm(-1, 2)", "a demand cannot be negative"),
        ("UniDouble(3, 2)", "needs 0 <= low < high"),
        ('Exp("a")', "`Exp` needs numbers"),
        ("Exp(Exp(1))", "`Exp` needs numbers"),
        ("IntPMF[]", "`(value; probability)`"),
        ("IntPMF[(a;1)]", "not `.` and one of"),
        ("IntPMF[(true;1)]", "not a whole number before it"),
        ("BoolPMF[(1;1)]", "`true` or `false`"),
        ("IntPMF[(1;0)]", "sum to 0"),
        ("DoublePDF[(-1;1)]", "needs values of 0 or more"),
        ("1 / 0", "has no value"),
        ('"a" * 1.5', "has no value"),
        ("1 = 2", "`=`"),
        ("(" * 200 + "1" + ")" * 200, "nested deeper than 30"),
        ("1" + "+1" * 200_000, "characters, at most"),
        ("1" + "+1" * 1000, "more than 150 operators"),
    ],
)
def test_mistakes_name_file_and_element(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        value(text, x=1)
    assert message in str(caught.value)
    assert str(caught.value).startswith("m.repository:7: x `here`: ")


@given(st.text(alphabet="0123456789.+-*/%^<>=?:;,()[] \"'xVALUEandIntPMFExp", max_size=40))
@settings(max_examples=300)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        stoex.parse(text)
    except InputError:
        return


@given(st.floats(min_value=1e-9, max_value=1e7))
def test_times_are_read_back(seconds: float) -> None:
    assert tt.Distribution(time(seconds)).mean == pytest.approx(seconds, rel=1e-9)
