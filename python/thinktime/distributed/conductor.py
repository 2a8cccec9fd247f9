"""The generators of a run: their common start, their reports, their losses, and their end."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from thinktime import _core
from thinktime.distributed import clocks
from thinktime.distributed.generator import Assignment, GeneratorDescription
from thinktime.distributed.rows_on_nodes import RowsOnNodes

_LEAD_NS = 500_000_000
"""The notice before the start of a run; the time to notify each generator is added."""

_LEAD_EACH_NS = 2_000_000
"""More than the time to notify one generator (docs/studies-thousand-nodes.md)."""

_ASKED_EVERY_S = 0.5
"""The time between two questions to a generator."""

_SILENT_S = 6.0
"""A generator that does not answer for this much longer is lost. By then it has ended itself:
nobody has asked it for longer than it waits."""

_CLOCK_EVERY_S = 10.0
"""The time between two looks at the clock of another machine during the run."""

_CLOSED_S = 60.0
"""The time that a generator may take to close the file of its rows."""

_BEGUN_LATE_S = 0.1
"""A start this much after the agreed instant is reported."""

_LATE_S = 1.5
"""An answer this much later than due is reported."""


@dataclass
class Member:
    """One generator."""

    handle: Any
    """The actor."""

    name: str
    """The address of its node, and its place among all generators."""

    node: str
    """The address of its node."""

    about: GeneratorDescription
    offset: clocks.Offset
    shares: Sequence[int] = ()
    lost: bool = False
    drift_ns: int | None = None
    """The greatest drift of its clock against ours since before the run."""

    begun_late_s: float | None = None
    slowest_s: float = 0.0
    """The greatest delay of an answer beyond its due time."""

    lost_at_s: float | None = None
    taken_over_by: str | None = None
    taken_over_at_s: float | None = None
    rows: dict[str, Any] | None = None
    """The place of its rows that stay there, as in `summary.json`."""

    def described(self, of: int) -> dict[str, object]:
        """Its entry in `summary.json`."""
        return {
            "name": self.name,
            "shares": list(self.shares),
            "of": of,
            "begun_late_s": self.begun_late_s,
            "clock_offset_s": self.offset.ns * 1e-9,
            "clock_uncertainty_s": self.offset.uncertainty_ns * 1e-9,
            "clock_drift_s": None if self.drift_ns is None else self.drift_ns * 1e-9,
            "lost_at_s": self.lost_at_s,
            "taken_over_by": self.taken_over_by,
            "taken_over_at_s": self.taken_over_at_s,
            **({} if self.rows is None else {"rows": self.rows}),
        }


@dataclass(frozen=True)
class GeneratorTask:
    """One generator's task in a run: its own shares, or some that it has taken over."""

    number: int
    member: Member
    shares: Sequence[int]


@dataclass
class Conductor:
    """Hears all generators of a run, each in a thread, and passes on their reports."""

    members: Sequence[Member]
    assignment: Assignment
    gathering: _core.Gathering
    continues: bool
    """Whether others take over the sessions of a lost generator."""

    _at_ns: int = 0
    _stints: list[GeneratorTask] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _ending: threading.Event = field(default_factory=threading.Event)

    def prepare(self) -> None:
        """Let all prepare, each with as many shares as it has event loops.

        Raises the error of a generator that cannot.
        """
        import ray

        loops = self.assignment.of // len(self.members)
        for place, member in enumerate(self.members):
            member.shares = range(place * loops, (place + 1) * loops)
            self._stints.append(GeneratorTask(place, member, member.shares))
        ray.get([self._ready(stint, 0.0, 0) for stint in self._stints])

    def _ready(self, stint: GeneratorTask, from_s: float, begun: int) -> Any:
        prepare = stint.member.handle.prepare
        return prepare.remote(stint.number, self.assignment, stint.shares, from_s, begun)

    def begin(self) -> None:
        """Let all begin at one instant, and hear them."""
        self._at_ns = time.monotonic_ns() + _LEAD_NS + len(self._stints) * _LEAD_EACH_NS
        for stint in tuple(self._stints):
            self._begin(stint)
        threading.Thread(target=self._wait, name="end of the generators", daemon=True).start()

    def _begin(self, stint: GeneratorTask) -> None:
        member = stint.member
        member.handle.begin.remote(stint.number, self._at_ns + member.offset.ns)
        thread = threading.Thread(target=self._hear, args=(stint,), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _wait(self) -> None:
        """Wait until the last has ended, including those that begin meanwhile."""
        heard = 0
        while heard < len(self._threads):
            self._threads[heard].join()
            heard += 1
        for member in self.members:
            if member.slowest_s > _LATE_S and not member.lost:
                self.gathering.warn(f"the generator {member.name} was slow: it answered up to "
                                    f"{member.slowest_s:.1f} s late")  # fmt: skip
            if (member.begun_late_s or 0.0) > _BEGUN_LATE_S:
                self.gathering.warn(f"the generator {member.name} began {member.begun_late_s:.1g} "
                                    "s late")  # fmt: skip
        if self.assignment.leaving is not None:
            self._ask_for_rows(self.assignment.leaving)
        described = [member.described(self.assignment.of) for member in self.members]
        self.gathering.describe(json.dumps(described))
        self.gathering.end()

    def _ask_for_rows(self, leaving: RowsOnNodes) -> None:
        """Ask all for the rows that they still hold."""
        calls = {place: member.handle.left.remote() for place, member in enumerate(self.members)
                 if not member.lost}  # fmt: skip
        for place, member in enumerate(self.members):
            path = leaving.of(place)
            found = _left(calls[place]) if place in calls else _lost_rows(member, path)
            unknown = dict.fromkeys(("rows", "sessions", "bytes", "missing"))
            member.rows = {"node": member.node, "path": path} | unknown | found
            if member.rows["missing"] is not None:
                self.gathering.warn(f"rows of the generator {member.name} that were to stay in "
                                    f"{path} are missing: {member.rows['missing']}")  # fmt: skip

    def _hear(self, stint: GeneratorTask) -> None:
        import ray

        member, is_reported, looked_s = stint.member, False, time.monotonic()
        try:
            while True:
                if (self.gathering.stopped or self._ending.is_set()) and not is_reported:
                    member.handle.stop.remote()
                    is_reported = True
                asked_s = time.monotonic()
                call = member.handle.take.remote(stint.number, _ASKED_EVERY_S)
                content, ended, late_s = ray.get(call, timeout=_ASKED_EVERY_S + _SILENT_S)
                late = time.monotonic() - asked_s - _ASKED_EVERY_S
                member.slowest_s = max(member.slowest_s, late)
                if stint.shares is member.shares:
                    member.begun_late_s = late_s
                self.gathering.take(content)
                if ended or time.monotonic() > looked_s + _CLOCK_EVERY_S:
                    looked_s = time.monotonic()
                    self._look_at_clock(member)
                if ended:
                    return
        except Exception as error:  # whatever the error, no more reports come from it
            self._lost(stint, error)

    def _look_at_clock(self, member: Member) -> None:
        """Look at its clock once more, and keep the greatest drift."""
        import ray

        def ask() -> int:
            found: int = ray.get(member.handle.clock_ns.remote(), timeout=_SILENT_S)
            return found

        try:
            moved = clocks.offset(ask, member.about.boot).ns - member.offset.ns
        except Exception:  # if it is lost, the next question to it shows that
            return
        member.drift_ns = max(moved, member.drift_ns or 0, key=abs)

    def _lost(self, stint: GeneratorTask, error: Exception) -> None:
        """A generator is lost: another takes over its task, or the run ends."""
        import ray

        member = stint.member
        with self._lock:
            member.lost = True
            ray.kill(member.handle)
            seen = [self.gathering.lose(share) for share in stint.shares]
        if self._ending.is_set() or self.gathering.stopped:
            self.gathering.warn(f"the generator {member.name} was lost while the run ended: its "
                                "last seconds are missing")  # fmt: skip
            return
        at_s = min(up_to_s for up_to_s, _, _ in seen)
        member.lost_at_s = at_s if member.lost_at_s is None else min(at_s, member.lost_at_s)
        missing = (
            f"the generator {member.name} was lost ({_words(error)}): its sessions are missing "
            f"from {at_s:.1f} s on, and {sum(left for _, _, left in seen)} requests that were on "
            "their way"
        )
        why = self._taken_over(stint, max(begun for _, begun, _ in seen), missing)
        if why is not None:
            self.gathering.spoil(f"{missing}; {why}, so the run was ended")
            self._ending.set()

    def _taken_over(self, lost: GeneratorTask, begun: int, missing: str) -> str | None:
        """Let another generator take over the sessions from now on, if permitted.

        Returns the reason if none does.
        """
        import ray

        with self._lock:
            others = [one for one in self.members if not one.lost]
            if not self.continues:
                return "no other generator may take them over (--on-loss continue)"
            if not others:
                return "there is no other generator"
            load = [stint.member.name for stint in self._stints]
            other = min(others, key=lambda one: load.count(one.name))
            stint = GeneratorTask(len(self._stints), other, tuple(lost.shares))
            self._stints.append(stint)
        from_s = (time.monotonic_ns() - self._at_ns) * 1e-9 + 2 * _ASKED_EVERY_S
        try:
            ray.get(self._ready(stint, from_s, begun), timeout=_SILENT_S)
        except Exception as error:  # it is lost as well, or cannot reach the target
            return f"{other.name} could not take them over ({_words(error)})"
        lost.member.taken_over_by, lost.member.taken_over_at_s = other.name, from_s
        self._begin(stint)
        self.gathering.warn(f"{missing}, until {other.name} took them over at {from_s:.1f} s")
        return None


def _left(call: Any) -> dict[str, Any]:
    """A generator's account of the rows that it still holds."""
    import ray

    try:
        found: dict[str, Any] = ray.get(call, timeout=_CLOSED_S)
    except Exception as error:  # whatever the error, the run has its figures
        return {"missing": _words(error, _CLOSED_S)}
    return found


def _lost_rows(member: Member, path: str) -> dict[str, Any]:
    """The known facts about the rows of a lost generator."""
    until = "" if member.lost_at_s is None else f" at {member.lost_at_s:.1f} s"
    return {
        "missing": f"it was lost{until}; its rows until then are in {path}.partial, if that disk "
        f"is available: `thinktime recover {path}` on that node makes a result of it"
    }


def _words(error: Exception, waited_s: float = _SILENT_S) -> str:
    """The events of a generator, in a few words."""
    kind = type(error).__name__
    if "Timeout" in kind:
        return f"no answer for {waited_s:g} s"
    if "Died" in kind or "Unavailable" in kind:
        return "its process or node is gone"
    lines = str(getattr(error, "cause", None) or error).strip().splitlines()
    return lines[-1][:200] if lines else kind
