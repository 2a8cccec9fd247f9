"""The fate of a link and of its traffic, in the words of results and of errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thinktime.lab.link_option import RunLink

if TYPE_CHECKING:
    from thinktime._core_types import CrossedLink, Summary


@dataclass
class LinkRecord:
    """A link with its counts."""

    asked: RunLink
    seed: int
    ways: list[dict[str, int]] = field(default_factory=list)
    """Packets to the target, and from it; empty if the kernel carried them."""

    lost: list[str] = field(default_factory=list)
    """The message if the program that carries the link ended early."""

    relay: dict[str, Any] = field(default_factory=dict)
    """The relay's counts; empty if it ended early."""

    file: str = ""
    """The file with the link, if it was not given as text."""

    generators: int = 1
    """The generators that crossed such a link, each its own."""

    @classmethod
    def together(cls, records: Sequence[LinkRecord], generators: int) -> LinkRecord:
        """The links of several generators, some of which perhaps left no record, as one."""
        first = records[0]
        ended = all(one.relay for one in records) and len(records) == generators
        whys = [one.relay["why"] for one in records if one.relay.get("why")]
        counts = [{key: n for key, n in one.relay.items() if key != "why"} for one in records]
        return cls(
            first.asked,
            first.seed,
            [_summed(ways) for ways in zip(*(one.ways for one in records), strict=False)],
            [lost for one in records for lost in one.lost],
            _summed(counts) | {"why": "; ".join(dict.fromkeys(whys))} if ended else {},
            first.file,
            generators,
        )

    def note(self, summary: Summary) -> None:
        """Write it into the summary of a result."""
        if not summary:
            return
        link: CrossedLink = {
            "asked": self.asked.text,
            "congestion_control": self.asked.congestion_control,
            "seed": self.seed,
        }
        if self.ways:
            link["to_target"], link["from_target"] = self.ways
        if spoilt := "; ".join(self._spoilt()):
            link["spoilt"] = spoilt
        summary["link"] = link
        summary.setdefault("notes", []).append(self._note())
        summary.setdefault("warnings", []).extend(self._warnings())

    def unreached(self, place: str) -> str:
        """Why nobody was reached over the link, while `place` takes connections without it."""
        if spoilt := "; ".join(self._spoilt()):
            return f"nothing comes over {self._link}: {spoilt}"
        passed = [way.get("passed", 0) for way in self.ways]
        if not passed:
            what = "no connection can be made"
        else:
            what = "nothing comes" if not passed[0] else "nothing comes back"
            what = "no connection can be made in time" if all(passed) else what
        return (
            "; ".join([f"{what} over {self._link}", *self._counted()])
            + f". The target is not the cause: without the link {place} takes connections. Ask for "
            "less loss, a shorter delay or a higher rate"
        )

    @property
    def _link(self) -> str:
        """The link, with its requested properties."""
        return f"the link{self.file and f' of {self.file}'} ({self.asked.words})"

    def _note(self) -> str:
        who = "the run crossed a link"
        if self.generators > 1:
            who = f"each of {self.generators} generators crossed a link of its own"
        return "; ".join([f"{who} ({self.asked.words})", *self._counted()])

    def _counted(self) -> list[str]:
        return [
            f"packets {where} the target: "
            + ", ".join(f"{many:,} {what.replace('_', ' ')}" for what, many in way.items())
            for where, way in zip(("to", "from"), self.ways, strict=False)
        ]

    def _spoilt(self) -> Iterable[str]:
        """Why the measurements do not show the link's own behaviour, if so."""
        yield from self.lost
        if not self.relay:
            yield "the relay behind the link ended, or was stopped, before the run ended"

    def _warnings(self) -> Iterable[str]:
        yield from self._spoilt()
        unread = sum(way.get("unread", 0) for way in self.ways)
        if unread:
            yield (
                f"the link was too slow for {unread:,} packets, which were lost: the machine is "
                "busy, or there are too many for a program"
            )
        if refused := self.relay.get("refused"):
            yield (
                f"{refused:,} connections were not taken by the target ({self.relay['why']}): over "
                "the link their clients had them already, and saw a reset"
            )


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts of several, by their names."""
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total)
