"""The learned workload as a file for `run` and `simulate`, with the source of each number."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.importing.toml import quoted
from thinktime.learn.comments import note
from thinktime.learn.journeys.text import request_lines, session_lines
from thinktime.learn.logs.log import Log
from thinktime.learn.model.population_model import PopulationModel
from thinktime.learn.starts import arrival_keys, columns
from thinktime.present import units

STARTS = "starts.parquet"


def workload_text(name: str, log: Log, parts: Sequence[PopulationModel], starts_file: str) -> str:
    """The file. It has no addresses, no query values, and no path that few users requested.

    Each of several populations has a table of its own. ``starts_file`` is the file beside it with
    the starts of sessions.
    """
    named = columns([part.population.name for part in parts])
    several = len(parts) > 1
    lines = [note(_about(log, parts)), f"name = {quoted(name)}", ""]
    for part in parts:
        head = "population." if several else ""
        if several:
            lines += ["[[population]]", f"name = {quoted(part.population.name)}"]
        lines += [_verdict(part), ""]
        arrivals = _arrivals(part, named[part.population.name], starts_file, several)
        lines += [f"[{head}arrivals]", *arrivals]
        if not part.alone:
            lines += session_lines(part.journeys, f"{head}session", endless=part.closed)
        lines += request_lines(part.journeys, f"{head}request")
    return "\n".join(lines).rstrip() + "\n"


def _verdict(part: PopulationModel) -> str:
    one = part.population
    text = f"{one.model.capitalize()} ({one.confidence}): {one.reason}."
    if part.brief:
        text += " Its time is too short for rates: its requests are replayed."
    if one.would_change:
        text += f" Another verdict would need {one.would_change}."
    if part.offers_told:
        text += f" {part.offers_told}"
    return note(text)


def _arrivals(part: PopulationModel, column: str, starts_file: str, several: bool) -> list[str]:
    if part.closed:
        return ['model = "closed"', f"clients = {part.clients}", ""]
    starts, model = part.starts, part.model
    assert starts is not None
    assert model is not None
    partly = part.journeys.thinks.law is not None and not part.alone
    where = "where the log has all of them"
    if starts.corrected:
        where = "without those that were under way when it began, by the law of pauses, which are "
        where += "long beside the log: less sure than in a longer one"
    lines = [
        f'model = "{"partly-open" if partly else "open"}"',
        note(
            f"{len(starts.times_ns):,} begin, {starts.rate:.4g}/s {where}; taken as {model.about}."
        ),
    ]
    keys = arrival_keys(starts, model, column, starts_file)
    if model.clocked:
        kept = f"--rate {part.population.name}={keys['rate']}" if several else "--rate"
        told = f"`--scale` multiplies this rate, too, unless `{kept}` is given beside it."
        lines.append(note(told))
    return [*lines, *(f"{key} = {quoted(value)}" for key, value in keys.items()), ""]


def _about(log: Log, parts: Sequence[PopulationModel]) -> str:
    requests = log.requests
    shares = ", ".join(
        f"{part.population.name} {units.percent(len(part.requests) / len(requests))}"
        for part in parts
    )
    users = requests.user_count * log.one_in
    told = (
        f"Learned from {log.count:,} requests of {users:,} user{'s' * (users > 1)} in "
        f"{units.seconds(requests.span_s)}: {shares}."
    )
    if log.one_in > 1:
        told += (
            f" Of these one in {log.one_in} was looked at: all numbers below are theirs, and rates "
            f"and clients {log.one_in} times theirs. Starts are drawn: bursts of seconds are lost."
        )
    left = [part.starts.covered.span_s for part in parts if part.starts is not None]
    if not left or left[0] >= requests.span_s / 2:
        return told
    return told + (
        f" Only {units.seconds(left[0])} of that have lines: the rest is left out, as if these "
        "followed one another at once."
    )
