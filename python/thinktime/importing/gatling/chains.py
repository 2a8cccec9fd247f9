"""The chains of a scenario of Gatling as ways through requests.

Source: https://docs.gatling.io/concepts/scenario/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thinktime.importing.gatling.requests import Protocol, Requests
from thinktime.importing.gatling.syntax import Call, Unknown
from thinktime.importing.gatling.values import Names
from thinktime.importing.journeys import Journey, joined
from thinktime.importing.session_values import column_note

TURNS_MAX = 50
"""Loops with more turns are taken once."""

STEPS_MAX = 2000
REST_MIN = 1e-9
"""Below this a rest of the shares is 0: sums of numbers with points are not exact."""

_BODIES = ("on", "then")
_ONCE = ("during", "forever", "asLongAs", "doWhile", "foreach", "asLongAsDuring", "doWhileDuring")
_FIRST = ("doIf", "doIfEquals", "doIfOrElse", "doIfEqualsOrElse", "doSwitch", "doSwitchOrElse")
_PLAIN = ("group", "exitBlockOnFail", "tryMax", "exitBlockOnFailure", "chain")
_SWITCHES = ("randomSwitch", "randomSwitchOrElse", "uniformRandomSwitch", "roundRobinSwitch")
_OF_CHAINS = ("exec", "pause", "feed", *_ONCE, *_FIRST, *_PLAIN, *_SWITCHES)
_END = ("exitHereIfFailed", "exitHere", "exitHereIf")


class Chains:
    """Follows the chains of one scenario."""

    def __init__(self, names: Names, requests: Requests, protocol: Protocol) -> None:
        self.names, self.requests, self.protocol = names, requests, protocol
        self.notes, self.values = requests.notes, requests.values
        self.journey = Journey()
        self.ends_on_error = False

    def follow(self, given: Any) -> None:
        """Follow an expression: a chain, a request, or the name of one."""
        if not isinstance(given, Call):
            line = given.line if isinstance(given, Unknown) else 0
            self.notes.add(f"line {line}", "left out: it is no chain; functions are not run")
            return
        chain = given.chain()
        if chain[0].name == "http" and chain[0].given:
            self._send(given)
            return
        if self._follow_request(chain):
            return
        at = 0
        while at < len(chain):
            one, bodies = chain[at], []
            at += 1
            while at < len(chain) and chain[at].name in (*_BODIES, "orElse", "otherwise"):
                bodies.append(chain[at])
                at += 1
            self._link(one, bodies, is_last=at == len(chain))

    def _follow_request(self, chain: list[Call]) -> bool:
        """Follow a request that has a name, with the calls behind it, as `page.check(...)`."""
        function = self.names.function(chain[0].name)
        body = function.body if function is not None and len(chain) > 1 else None
        first = body.chain()[0] if isinstance(body, Call) else None
        is_request = first is not None and first.name == "http" and bool(first.given)
        if function is None or not is_request or chain[1].name in _OF_CHAINS:
            return False
        whole: Any = body
        for one in chain[1:]:
            whole = Call(one.name, whole, one.given, one.line)
        with self.names.following(function, chain[0]) as known:
            if known:
                self._send(whole)
        return True

    def _send(self, given: Call) -> None:
        if len(self.journey.steps) >= STEPS_MAX:
            text = f"left out: a scenario has at most {STEPS_MAX} requests here"
            self.notes.add(f"line {given.line}", text)
            return
        request = self.requests.request(given, self.protocol)
        if request is not None:
            self.journey.add(request)

    def _link(self, one: Call, bodies: list[Call], *, is_last: bool) -> None:
        """Follow one call of a chain, with the calls that hold its body."""
        function, place = self.names.function(one.name), f"line {one.line}"
        if one.name in ("exec", "chain"):
            for each in one.given:
                self.follow(each)
        elif one.name == "pause":
            self._pause(one, place)
        elif one.name == "feed":
            self._feed(one, place)
        elif one.name in _SWITCHES:
            self._switch(one, bodies, place)
        elif one.name == "repeat":
            self._repeat(one, bodies, place)
        elif one.name in (*_ONCE, *_FIRST, *_PLAIN):
            self._inner(one, bodies, place)
        elif one.name in _END:
            self.ends_on_error = True
            if one.name != "exitHereIfFailed":
                self.notes.add(place, f"`{one.name}` is left out")
        elif one.name == "scenario" and one.given:
            pass
        elif function is not None:
            with self.names.following(function, one) as known:
                if known:
                    self.follow(function.body)
                else:
                    self.notes.add(place, f"`{one.name}` is left out: it calls itself")
        elif one.given or is_last:
            # Any other bare name is the object that holds the next one.
            self.notes.add(place, f"`{one.name[:60]}` is left out: it is not known")

    def _pause(self, one: Call, place: str) -> None:
        given = self.names.times_s(one.given)[:2]
        bounds = [each for each in given if each is not None]
        if not given or given[0] is None or max(bounds) >= 1e6:
            self.notes.add(place, "`pause` is left out: its time is known only in a run")
        elif not self.journey.wait(min(bounds), max(bounds)):
            self.notes.add(place, "`pause` is left out: it stands before the first request")

    def _feed(self, one: Call, place: str) -> None:
        """A feeder: a file, or values that are made in the run."""
        held: Any = one.first
        for _ in range(5):
            if not isinstance(held, Call):
                break
            first = held.chain()[0]
            function = self.names.function(first.name)
            if function is None:
                file = self.names.text(first.first)
                if file and first.name in ("csv", "ssv", "tsv", "separatedValues"):
                    self.notes.add(place, column_note(file, []))
                    return
                if file and first.name in ("jsonFile", "jsonUrl"):
                    text = f"the file `{file[:80]}` is left out: it is no table with columns"
                    self.notes.add(place, text)
                    return
                break
            held = function.body
        self.notes.add(place, "`feed` is left out: only files of values have a key, `data`")

    def _bodies(self, one: Call, bodies: list[Call]) -> list[Any]:
        """What a call holds: in `on(...)` behind it, or as its own last arguments."""
        if bodies:
            return [each for body in bodies for each in body.given]
        return [each for each in one.given if self._is_chain(each)]

    def _is_chain(self, given: Any) -> bool:
        """Whether an expression is a chain, and no time, text or number."""
        if not isinstance(given, Call):
            return False
        is_one = self.names.time_s(given) is None and self.names.value(given) is None
        return is_one and given.chain()[0].name not in ("session", "percent", "onCase")

    def _inner(self, one: Call, bodies: list[Call], place: str) -> None:
        """A block that is followed once: a loop, the first branch, or a group."""
        held = self._bodies(one, bodies)
        if one.name in _ONCE:
            self.notes.add(place, f"`{one.name}` is not followed: its content is taken once")
        elif one.name in _FIRST:
            self.notes.add(place, f"`{one.name}` is not followed: its first branch is taken")
            held = held[:1]
        elif one.name == "tryMax":
            self.notes.add(place, "`tryMax` is left out: `retry` of a request is near it")
        for each in held:
            inner = each.chain()[-1] if isinstance(each, Call) else None
            is_case = inner is not None and inner.name == "then" and inner.on is not None
            for body in inner.given if is_case and inner is not None else [each]:
                self.follow(body)

    def _repeat(self, one: Call, bodies: list[Call], place: str) -> None:
        many = self.names.number(one.first)
        counter = self.names.text(one.given[1]) if len(one.given) > 1 else None
        if many is None or many > TURNS_MAX:
            self.notes.add(place, "`repeat` is not followed: its content is taken once")
        before = dict(self.values.known)
        for turn in range(int(many) if many is not None and many <= TURNS_MAX else 1):
            if counter:
                self.values.known[counter] = turn
            for each in self._bodies(one, bodies):
                self.follow(each)
        self.values.known = before

    def _switch(self, one: Call, bodies: list[Call], place: str) -> None:
        """Branches with shares; the rest of the sessions goes past them."""
        branches = list(self._branches(one, bodies))
        if not branches:
            self.notes.add(place, f"`{one.name}` is left out: its branches are not known")
            return
        if one.name == "roundRobinSwitch":
            self.notes.add(place, "`roundRobinSwitch` is taken as a random one")
        journey, rest = self.journey, 1.0
        begin, ends = journey.ends, []
        for share, held in branches:
            if min(share, rest) < REST_MIN:
                self.notes.add(place, "left out: a branch that has no share of the sessions")
                continue
            journey.ends = [(end, each * min(share, rest)) for end, each in begin]
            for each in held:
                self.follow(each)
            ends += journey.ends
            rest -= min(share, rest)
        past = [(end, each * rest) for end, each in begin] if rest > REST_MIN else []
        journey.ends = joined(ends + past)

    def _branches(self, one: Call, bodies: list[Call]) -> Iterator[tuple[float, list[Any]]]:
        """The share of each branch, and what it holds."""
        given = bodies[0].given if bodies else one.given
        if one.name in ("uniformRandomSwitch", "roundRobinSwitch"):
            yield from ((1 / len(given), [each]) for each in given)
            return
        rest = 100.0
        for each in given:
            on = each.on if isinstance(each, Call) and each.name in ("then", "->", "to") else None
            share = on.given[0] if isinstance(on, Call) and on.given else on
            number = self.names.number(share)
            if number is not None:
                rest -= number
                yield number / 100, each.given
            else:
                line = getattr(each, "line", one.line)
                self.notes.add(f"line {line}", "left out: a branch whose share is not known")
        for body in bodies[1:]:  # orElse
            yield max(rest, 0.0) / 100, body.given
