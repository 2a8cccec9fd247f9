"""Two results compared: limits of changes, and what the generator's own lateness makes of them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import thinktime as tt
from thinktime.comparison import Change, Comparison, Missing, judged, limit
from thinktime.comparison.table import table
from thinktime.gate import markdown

LATE = Change("mean", 240e-6, 172e-6, -104e-6, -32e-6, -0.39, -0.15, True, late=-50e-6)


def test_what_the_generator_made_is_no_difference_of_the_server() -> None:
    found = comparison(mean=LATE)
    assert found.verdict == (
        "No difference can be told: the mean fell by 32 to 104 µs (15 to 39 %), but the generator "
        "itself was late by 50.0 µs less."
    )
    more = Change("mean", 240e-6, 372e-6, 96e-6, 168e-6, 0.4, 0.7, True, late=-50e-6)
    assert comparison(mean=more).verdict.startswith("Worse: the mean rose by ")


@pytest.mark.parametrize(
    ("text", "late", "outcome"),
    [
        ("p99 > +5%", 0.0, "broken"),
        ("p99 > +5%", 0.0005, "broken"),
        ("p99 > +5%", 0.002, "cannot tell"),
        ("p99 > +5ms", 0.002, "cannot tell"),
        ("p99 > +15%", 0.002, "held"),
        ("p99 > +15%", -0.002, "cannot tell"),
    ],
)
def test_a_limit_allows_for_the_generators_own_lateness(
    text: str, late: float, outcome: str
) -> None:
    found = judged(limit(text), comparison(p99=replace(P99, late=late)))
    assert found.outcome == outcome
    told = f"but the generator itself was late by 2.00 ms {'more' if late > 0 else 'less'}"
    assert found.words.endswith(told) == (outcome == "cannot tell")


def test_the_unit_of_a_share_takes_no_room_from_its_difference() -> None:
    rose = Change("errors", 0.01, 0.03, 0.015, 0.025, None, None, False)
    (line,) = table([comparison(errors=rose)]).lines
    assert [cell.text for cell in line.cells] == ["1.0 %", "3.0 %", "+1.5 to +2.5", ""]
    found = "| errors (difference in percentage points) | 1.0 % | 3.0 % | +1.5 to +2.5 |"
    assert found in markdown.rows(table([comparison(errors=rose)]))


# ---- limits


def comparison(**changes: Change | Missing) -> Comparison:
    subject: Any = SimpleNamespace(
        figures={}, label="x", kind="run", duration_s=60.0, untrusted=False, link=None, work="",
        path=None, replication_means_s=[],
    )  # fmt: skip
    return Comparison(subject, subject, changes)


P99 = Change("p99", 0.1, 0.11, 0.006, 0.014, 0.06, 0.14, False)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("p99 > +5%", "broken"),
        ("p99>+5 %", "broken"),
        ("p99 > +15%", "held"),
        ("p99 > +10%", "cannot tell"),
        ("p99 > +8%", "cannot tell"),
        ("p99 > +5ms", "broken"),
        ("p99 > +0.02s", "held"),
        ("p99 < +20%", "broken"),
        ("p99 < -5%", "held"),
    ],
)
def test_a_limit_is_broken_where_the_whole_interval_is_beyond(text: str, outcome: str) -> None:
    assert judged(limit(text), comparison(p99=P99)).outcome == outcome


def test_what_cannot_be_told_says_how_long_it_would_take() -> None:
    """8 % to the limit are 2 % away, 4 % the half-width: four times as long."""
    found = judged(limit("p99 > +8%"), comparison(p99=P99))
    assert found.times_as_long == pytest.approx(4.0)
    assert "4.4 times as long (4.4 min each)" in found.words
    short = judged(limit("p99 > +8%"), comparison(p99=Missing("the run is too short", 3.0)))
    assert short.outcome == "cannot tell"
    assert "3.3 times as long" in short.words
    almost = judged(limit("p99 > +8%"), comparison(p99=Missing("the run is too short", 0.9)))
    assert "1.1 times as long" in almost.words


def test_replications_become_more_and_not_longer() -> None:
    """A longer run would thin out what happens once in each."""
    once = comparison(p99=P99)
    several: Any = SimpleNamespace(**vars(once.before) | {"replication_means_s": [1.0, 2.0]})
    found = judged(limit("p99 > +8%"), replace(once, before=several, after=several))
    assert "; about 4.4 times as many replications would tell" in found.words


def test_a_result_that_alone_is_too_short_gets_its_own_length() -> None:
    """The longer result has the figure: its length is no measure of the other one's."""
    short = Missing("the run is too short (second result)", 3.0, "second")
    whole = comparison(p99=short)
    long: Any = SimpleNamespace(**vars(whole.before) | {"duration_s": 36_000.0})
    found = judged(limit("p99 > +8%"), replace(whole, before=long))
    assert "; a second run about 3.3 times as long (3.3 min) would tell" in found.words


def test_the_largest_changes_are_limits() -> None:
    for text in ("errors > +100%", "errors < -100%", "throughput < -100%", "p99 > +250%"):
        assert limit(text).text == text


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("p99 > 5%", "with the sign"),
        pytest.param("p99 > +" + "9" * 400 + "%", "too large", id="endless"),
        ("p98 > +5%", "p99.9"),
        ("p99 >= +5%", "p99 > +5%"),
        ("p99 > +5/s", "ms"),
        ("errors > +5ms", "%"),
        ("errors > -101%", "from -100% to +100%"),
        ("errors > +101%", "from -100% to +100%"),
        ("p99 < -100.5%", "nothing falls by more"),
        ("throughput < -5ms", "/s"),
        ("", "p99 > +5%"),
    ],
)
def test_a_wrong_limit_says_what_would_be_right(text: str, right: str) -> None:
    with pytest.raises(tt.InputError) as caught:
        limit(text)
    assert right in str(caught.value)
