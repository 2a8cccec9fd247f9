"""TCP over a lossy link, written a second time: segment by segment, where the model has counts.

It follows crates/core/src/system/link/README.md for links without a rate and without jitter, under
Reno. Times are in seconds.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass
class Sender:
    """One direction of one exchange."""

    draw: random.Random
    round_trip: float
    loss: float
    window: float = 10.0
    threshold: float = float("inf")
    smoothed: float | None = None
    variation: float = 0.0
    floor: float = 0.2
    doubled: int = 0
    now: float = 0.0
    arrived: set[int] = field(default_factory=set)
    last: float = 0.0
    """When the last segment so far has arrived, counted at the sender's clock."""

    epoch: int = 0
    """Counts reductions of the window; each segment remembers in which it was first sent."""

    def heard(self, sample: float) -> None:
        """A round trip was measured."""
        self.doubled = 0
        if self.smoothed is None:
            self.smoothed, self.variation = sample, 2 * sample
        else:
            self.variation = 0.75 * self.variation + abs(self.smoothed - sample)
            self.smoothed = 0.875 * self.smoothed + 0.125 * sample

    def timeout(self) -> float:
        """The retransmission timeout."""
        assert self.smoothed is not None
        once = self.smoothed + max(self.variation, self.floor)
        return min(120.0, once * 2**self.doubled)

    def flies(self, segment: int) -> bool:
        """Whether a segment arrives that is sent now."""
        if self.draw.random() < self.loss:
            return False
        self.arrived.add(segment)
        self.last = max(self.last, self.now + self.round_trip / 2)
        return True

    def reduce(self) -> None:
        """Halve the window."""
        self.epoch += 1
        self.threshold = self.window = max(self.window / 2, 2.0)

    def acknowledge(self, number: int) -> None:
        """Let the window grow."""
        if self.window < self.threshold:
            self.window = min(self.window + number, self.threshold)
        else:
            self.window += number / int(self.window)


def transfer(sender: Sender, segments: int) -> float:
    """Send a number of segments; returns the time when the last of them has arrived."""
    waiting = list(range(segments))  # never sent
    lost: list[int] = []  # known to be
    silent: list[int] = []  # lost, and not known to be
    sent_in: dict[int, int] = {}  # the epoch in which a segment was first sent, until it counts
    while len(sender.arrived) < segments:
        room = max(int(sender.window) - len(silent), 1)
        again, lost = lost[:room], lost[room:]
        fresh, waiting = waiting[: room - len(again)], waiting[room - len(again) :]
        sent_in |= dict.fromkeys(fresh, sender.epoch)
        flight = again + fresh
        came = [sender.flies(one) for one in flight]
        if not any(came):
            silent += flight
            lost = _silence(
                sender, silent, lost, recovers=bool(again), since=sender.now, sent_in=sent_in
            )
            silent = []
            continue
        grown = 0 if silent else came.index(False) if False in came else len(came)
        found, silent, sure = _seen(flight, came, silent)
        sender.heard(sender.round_trip)
        if not again or sender.window < sender.threshold:
            sender.acknowledge(grown if found else sum(came))
        if any(sent_in.get(one) == sender.epoch for one in found):
            sender.reduce()
        for one in found:
            sent_in.pop(one, None)
        began = sender.now
        lost += found
        if lost or waiting:
            unsure = bool(found) and sure < 3 and not waiting
            sender.now += sender.round_trip * (1.25 if unsure else 1.0)
        elif silent:
            lost = _silence(
                sender, silent, lost, recovers=bool(again), since=began + sender.round_trip,
                sent_in=sent_in,
            )  # fmt: skip
            silent = []
    return sender.last


def _seen(
    flight: list[int], came: list[bool], silent: list[int]
) -> tuple[list[int], list[int], int]:
    """The signs of a round: lost segments, those lost without a sign, and the number after a
    gap."""
    end = max(at for at, ok in enumerate(came) if ok)
    gaps = [one for one, ok in zip(flight[:end], came[:end], strict=True) if not ok]
    first_gap = came.index(False) if gaps else end
    sure = sum(came) if silent else sum(came[first_gap:]) if gaps else 0
    return silent + gaps, flight[end + 1 :], sure


def _silence(
    sender: Sender,
    silent: list[int],
    lost: list[int],
    *,
    recovers: bool,
    since: float,
    sent_in: dict[int, int],
) -> list[int]:
    """A lost segment gives no sign: a probe, or a timeout; returns the knowledge after it."""
    if not (recovers or lost or sender.doubled):
        assert sender.smoothed is not None
        probe = since + 2 * sender.smoothed + (sender.floor if len(silent) == 1 else 0.0)
        sender.now = max(min(probe, sender.now + sender.timeout()), since)
        if sender.flies(silent[-1]):
            others = silent[:-1]
            if any(sent_in.pop(one, None) == sender.epoch for one in list(silent)):
                sender.reduce()
            sender.heard(sender.round_trip)
            sender.now += sender.round_trip
            return lost + others
        since = sender.now
    sender.now = since + sender.timeout()
    if not sender.doubled:
        sender.reduce()
    sender.window = 1.0
    sender.doubled += 1
    for one in silent:
        sent_in.pop(one, None)
    return lost + silent


def exchange(seed: int, delay: float, loss: float, segments: int, *, connects: bool) -> float:
    """The duration of a request whose response has this many segments."""
    draw = random.Random(seed)
    round_trip, begun, wait = 2 * delay, 0.0, 1.0
    while connects and (draw.random() < loss or draw.random() < loss):
        begun += wait
        wait *= 2
        assert wait < 1000
    begun += round_trip if connects else 0.0
    ends = 0.0
    for number in (1, segments):
        sender = Sender(draw, round_trip, loss, smoothed=None if connects else round_trip)
        if connects:
            sender.heard(round_trip)
        ends += transfer(sender, number)
    return begun + ends
