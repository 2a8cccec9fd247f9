"""A result: its figures, tables and histogram, in memory or read back from its directory."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from thinktime import _core
from thinktime.inputs import arrivals
from thinktime.inputs.arguments import checked
from thinktime.results import labels, provenance, views
from thinktime.results.finding import SPOILT, Finding
from thinktime.results.labels import Label
from thinktime.results.learned_server import doubt_of
from thinktime.results.link import spoilt_by_link
from thinktime.results.provenance import Provenance
from thinktime.results.response_times import ResponseTimes
from thinktime.results.table import Table
from thinktime.results.verdict import Objective, Verdict, verdict_of, with_causes

if TYPE_CHECKING:
    import polars as pl

    from thinktime._core_types import PopulationFigures, Summary
    from thinktime.present.picture import Picture
    from thinktime.theory.solution import Theory


class Result(ResponseTimes):
    """What a simulation or a run gave."""

    @checked
    def __init__(
        self, outcome: _core.ResultData, label: Label | None = None, made: Provenance | None = None
    ) -> None:
        """Wrap the compiled half's value; users get results from `simulate`, `run` or `load`."""
        self._outcome = outcome
        self._label = label
        self._made = made
        self.summary: Summary = outcome.summary or cast("Summary", {})

    @classmethod
    @checked
    def load(cls, path: str | Path) -> Result:
        """Read a result directory.

        Raises:
            InputError: The directory contains no result, or one of its files is damaged.
        """
        return cls(_core.load(Path(path)))

    @property
    def path(self) -> Path | None:
        """The result directory, if there is one."""
        return None if self._outcome.path is None else Path(self._outcome.path)

    @property
    def label(self) -> str:
        """Its name: the label given when it was made, else workload, commit and time."""
        if self.labelled is not None:
            return self.labelled.text
        return labels.text_of(self.workload.name, None, self.run.get("started"))

    @cached_property
    def labelled(self) -> Label | None:
        """The label with the commit that it was made at.

        None if it has no label and was not written, or an older version wrote it.
        """
        if self._label is not None or self.path is None:
            return self._label
        return labels.read(self.path)

    @cached_property
    def made(self) -> Provenance | None:
        """The command that made it, and the files named in it, by their hashes.

        None if it was not noted: the result was not written, or an older version wrote it.
        """
        if self._made is not None or self.path is None:
            return self._made
        return provenance.read(self.path)

    @property
    def kind(self) -> str:
        """`simulate` or `run`."""
        return self._outcome.kind

    @property
    def target(self) -> str | None:
        """The url of the real system, if it was one."""
        return self._outcome.target

    @cached_property
    def workload(self) -> _core.Workload:
        """The workload as it was used, after a load or a seed was set."""
        return self._outcome.workload

    @cached_property
    def system(self) -> _core.System | None:
        """The modelled system; for a run, the one whose demands the requests carried."""
        return self._outcome.system

    @property
    def rows_complete(self) -> bool:
        """Whether `requests` holds a row for every attempt."""
        return self._outcome.rows_complete

    @property
    def series(self) -> Table | None:
        """A row for each second (or longer interval, in long runs) and request name."""
        found = self._outcome.series
        return None if found is None else Table(found)

    @property
    def populations(self) -> dict[str, PopulationFigures]:
        """The summary of each population, in the workload's order.

        It is empty if the workload names no populations.
        """
        found = self.summary.get("by_population") or {}
        order = {one.name: place for place, one in enumerate(self.workload.populations)}
        names = sorted(found, key=lambda name: order.get(name, len(order)))
        return {name: found[name] for name in names}

    @property
    def pages(self) -> pl.DataFrame | None:
        """A row for each page, made of `requests`; None if no rows were kept.

        `docs/results.md` explains the columns.
        """
        from thinktime.results.pages import pages_of

        return None if self.requests is None else pages_of(self.requests)

    @property
    def run_toml(self) -> str:
        """The operation, as in `run.toml`: enough to repeat it, except for secrets."""
        return self._outcome.run_toml

    @cached_property
    def run(self) -> dict[str, Any]:
        """The table `run` of `run.toml`: version, seed, clock, and what else is known."""
        return self._outcome.run

    @property
    def options(self) -> dict[str, Any]:
        """The given options, without those that the workload has, such as load and seed.

        Raises:
            InputError: An older version wrote the result, which did not note them.
        """
        given = self._outcome.options
        if given is None:
            raise _core.InputError(
                f"{self.path or 'the result'}: it does not say which options were given: an older "
                "version wrote it"
            )
        held = ("load", "seed", *arrivals.OPTIONS)
        return {name: value for name, value in given.items() if name not in held}

    def inputs(
        self, secrets_of: _core.Workload | None = None
    ) -> tuple[_core.Workload, _core.System | None]:
        """Workload and system for a repetition; the files that they name must be there.

        Args:
            secrets_of: A workload that has the passwords and tokens which the result does not keep.

        Raises:
            InputError: if it is needed and not given, or has not got them.
        """
        return self._outcome.inputs(secrets_of)

    @property
    def secrets(self) -> list[str]:
        """Places of passwords and tokens in the workload; no result contains them."""
        return self._outcome.secrets

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped before its end."""
        return self._outcome.interrupted

    @property
    def unwritten(self) -> str | None:
        """Why it could not be written to its directory; None if it could."""
        return self._outcome.unwritten

    @property
    def untrusted(self) -> str | None:
        """Why the result is not to be trusted; None if it is."""
        noted = [Finding.of(one) for one in self.summary.get("validity", [])]
        spoilt = [one.found for one in noted if one.verdict == SPOILT]
        own = spoilt_by_link(self.summary) or with_causes(self._outcome.untrusted, self.summary)
        return own or (spoilt[0] if spoilt else doubt_of(self))

    @property
    def validity(self) -> list[Finding]:
        """The checks of the result's foundations, each with its verdict and its advice.

        `docs/validity.md` explains them. They run when a result is written, else now.
        """
        return views.validity(self)

    @property
    def schedule(self) -> list[dict[str, Any]]:
        """The first turns of modelled machines' cores, as events of the Trace Event Format.

        A machine is a process, a core a thread; times are in microseconds. Empty without machines.
        """
        text = self._outcome.schedule_json
        return [] if text is None else list(json.loads(text))

    @property
    def theory(self) -> Theory | None:
        """The exact steady state of the model, if a formula for it is known."""
        found = self._theory_or_reason
        return None if isinstance(found, str) else found

    @property
    def no_theory(self) -> str | None:
        """Why there is no exact value although a formula for the model is known; else None."""
        found = self._theory_or_reason
        return found if isinstance(found, str) else None

    @cached_property
    def _theory_or_reason(self) -> Theory | str | None:
        return views.theory(self)

    @cached_property
    def objectives(self) -> list[Objective]:
        """The workload's objectives (SLO), and the result's verdicts on them."""
        return [Objective.of_summary(one) for one in self.summary.get("objectives", [])]

    @property
    def verdict(self) -> Verdict:
        """The result's verdict: met, not met, cannot tell, or not to be trusted."""
        return verdict_of(self)

    def breaches(self) -> list[str]:
        """The objectives that the result does not meet, in words."""
        return [one.words for one in self.objectives if one.verdict == "not met"]

    @checked
    def chart(self, name: str) -> Picture:
        """A chart of the report, of this result alone: a picture that a notebook shows.

        Its `save("tail.svg")` writes it to a file, `svg()` is its text, and `values` the drawn
        values as a table.

        Args:
            name: `tail` (the share of requests that take longer than a time), `first_events` (times
                to them), `heat` (response times over time), `by_population`, `pages`, `by_name`,
                `in_system`, `throughput`, `lateness`, `errors`, `names` or `populations` (each over
                time), or `schedule`: those of the report, as its page calls them in links
                (`#section-tail`).

        Raises:
            InputError: if there is no chart of this name, or nothing to draw; it lists those that
                this result has.
        """
        return views.chart(self, name)

    def _repr_html_(self) -> str:
        """Its view in notebooks: its verdict, and its row of the report's table."""
        return views.html(self)

    def __repr__(self) -> str:
        """One line that describes it."""
        mean = self.summary.get("response_time_s", {}).get("mean")
        shown = "no requests" if mean is None else f"mean response {mean:.6g} s"
        return f"<Result {self.kind} {self.summary.get('model', '')}: {shown}>"
