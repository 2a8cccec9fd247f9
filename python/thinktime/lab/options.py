"""The options of a lab's runs, read in advance as `thinktime run` will read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from thinktime import Workload, _core
from thinktime.inputs import arrivals
from thinktime.inputs.options import options_json

Reader = Callable[[Sequence[str]], Mapping[str, Any]]
"""Reads the words of `thinktime run` as its options, and raises InputError if it cannot: the
commands stand above labs, so the caller that loads a LAB file provides it."""


def check(words: Sequence[str], workload: Workload, read: Reader) -> None:
    """Check that `thinktime run` accepts these words with this workload.

    Raises:
        InputError: It does not; the message gives the reason.
    """
    given = read(words)
    options = options_json("run", given)
    _core.planned_end("run", arrivals.with_arrivals(workload, given), options)
