"""Words taken for one template although different pages follow them.

`/api/` with twenty different words behind looks like `/list/` with twenty names of lists. The next
pages show the difference: states of a chain can be lumped to one only if the same pages follow all
of them (Kemeny and Snell, 'Finite Markov chains', 1960, section 6.3). So frequent words are
compared with the rest of their template, by BIC and by the size of the difference.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.journeys.visits import Visits
from thinktime.learn.kinds.templates import Templates
from thinktime.learn.logs.row_order import Places

VISITS_LEAST = 100
"""Words with fewer visits are not compared."""

COMPARED_MAX = 60
"""The number of words that are compared, the most visited."""

DIFFERENT = 0.25
"""Words differ if at least this share of the next pages would have to be moved."""

MOST = 0.5
"""Words become templates of their own if at least this share of the compared visits belongs to
words that differ."""


def set_apart(found: Templates, visits: Visits, path_of_row: Places) -> Templates:
    """Templates in which words with different next pages stand alone.

    ``path_of_row`` is that of each request, by time.
    """
    if not found.by_words.any():
        return found
    path = path_of_row[visits.order[visits.base]]
    many = np.bincount(path, minlength=len(found.of_path))
    words = np.flatnonzero(found.by_words & (many >= VISITS_LEAST))
    words = words[np.argsort(-many[words], kind="stable")][:COMPARED_MAX]
    if len(words) < 2:
        return found
    own = np.full(len(found.of_path), -1)
    own[words] = np.arange(len(words))
    after = np.flatnonzero(visits.previous >= 0)
    following = np.full(len(path), -1)
    following[visits.previous[after]] = after
    then = _followers(found, path, following, own, len(words))
    loners = _loners(found, words, own[path], then, path)
    if not len(loners):
        return found
    of_path = found.of_path.copy()
    of_path[loners] = len(found.texts) + np.arange(len(loners))
    texts = [*found.texts, *found.paths.gather(loners).to_list()]
    return Templates(of_path, texts, found.by_words, found.paths)


def _followers(
    found: Templates, path: Places, following: Places, own: Places, words: int
) -> Places:
    """The next of each page: a word, a template, or (0) the end."""
    next_path = path[np.maximum(following, 0)]
    code = np.where(own[next_path] >= 0, own[next_path], words + found.of_path[next_path]) + 1
    code[following < 0] = 0
    _, dense = np.unique(code, return_inverse=True)
    return dense.astype(np.int64)


def _loners(
    found: Templates, words: Places, word: Places, then: Places, path: Places
) -> NDArray[np.int64]:
    """The words, as paths, that must stand alone."""
    kinds = int(then.max()) + 1
    template = found.of_path[words]
    those = np.isin(found.of_path[path], template)
    loners = []
    for one in np.unique(template).tolist():
        whole = np.bincount(then[those & (found.of_path[path] == one)], minlength=kinds)
        members = np.flatnonzero(template == one)
        counts = [np.bincount(then[word == at], minlength=kinds) for at in members.tolist()]
        unlike = [_differ(count, whole - count) for count in counts]
        visits = np.array([count.sum() for count in counts])
        if visits[unlike].sum() >= MOST * visits.sum():
            loners.append(words[members])
    return np.concatenate(loners) if loners else np.empty(0, np.int64)


def _differ(one: Places, rest: Places) -> bool:
    """Whether the next pages of a word differ from those of the rest, much and beyond chance."""
    if not rest.sum():
        return False
    shares, others = one / one.sum(), rest / rest.sum()
    moved = float(np.abs(shares - others).sum()) / 2
    both = one + rest
    seen = both > 0

    def information(row: Places) -> float:
        used = row[row > 0]
        return float(np.sum(used * np.log(used / row.sum())))

    gain = 2 * (information(one) + information(rest) - information(both))
    return moved >= DIFFERENT and gain > (seen.sum() - 1) * math.log(both.sum())
