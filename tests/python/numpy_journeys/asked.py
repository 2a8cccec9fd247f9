"""The requests: by templates, methods, and whether pages embed them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.logs.requests import METHODS

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def codes(template: Ints, path: Ints, method: Ints, embedded: Flags) -> Ints:
    """The code of each request."""
    return (template[path] * len(METHODS) + method.astype(np.int64)) * 2 + embedded


def by_many(coded: Ints, user: Ints, wanted: list[int], least: int) -> list[bool]:
    """The codes among these that enough users asked for."""
    return [len(np.unique(user[coded == code])) >= least for code in wanted]


def kinds(coded: Ints, of_code: Ints, rest: tuple[int, int]) -> Ints:
    """The kind of each request: that of its code; for the rest, by whether it is embedded."""
    known = np.where(coded < len(of_code), of_code[np.minimum(coded, len(of_code) - 1)], -1)
    return np.where(known >= 0, known, np.where(coded % 2 == 1, rest[1], rest[0]))


def members(kind: Ints, path: Ints, counted: Flags, many: int) -> list[tuple[Ints, Ints]]:
    """The paths of each kind in their order, and the number of requests for each."""
    kind, path = kind[counted], path[counted]
    order = np.argsort(kind, kind="stable")
    bounds = np.searchsorted(kind[order], np.arange(many + 1))
    return [np.unique(path[order[low:high]], return_counts=True) for low, high in pairwise(bounds)]
